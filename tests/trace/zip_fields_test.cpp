// The fields of archives: those of ZIP64, and every one with another value.
#include <gtest/gtest.h>

#include <sstream>

#include "shared_ir/zip/zip_reader.h"
#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

std::string number(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

// The archive of an entry "a" with the data "some", all of whose fields are those of ZIP64;
// `values` of them are there.
std::string large_archive(size_t values) {
  const std::string archive = archive_of({{"a", "some"}});
  const size_t at = archive.find("PK\1\2");
  std::string directory = archive.substr(at, 47);
  for (const size_t field : {20, 24, 42}) directory.replace(field, 4, number(0xffffffff, 4));
  std::string extra = number(0x5455, 2) + number(1, 2) + "?";  // another field before it
  extra += number(1, 2) + number(8 * values, 2);
  for (size_t i = 0; i < values; ++i) extra += number(i < 2 ? 4 : 0, 8);
  directory.replace(30, 2, number(extra.size(), 2));
  directory += extra;
  const std::string record = "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) +
                             number(0, 8) + number(1, 8) + number(1, 8) +
                             number(directory.size(), 8) + number(at, 8);
  const std::string locator =
      "PK\6\7" + number(0, 4) + number(at + directory.size(), 8) + number(1, 4);
  const std::string end = "PK\5\6" + number(0, 4) + number(0xffffffff, 4) + number(0xffffffff, 4) +
                          number(0xffffffff, 4) + number(0, 2);
  return archive.substr(0, at) + directory + record + locator + end;
}

TEST(Zip, LargeFieldsAreThoseOfZip64) {
  std::istringstream stream(large_archive(3));
  auto zip = ZipReader::open(stream);
  ASSERT_TRUE(zip);
  const auto entries = zip->entries();
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1u);
  ASSERT_EQ((*entries)[0].size, 4u);
  EXPECT_TRUE((*entries)[0].stored);
  Bytes data(4);
  EXPECT_TRUE(zip->read((*entries)[0], data));
  EXPECT_EQ(text_of(data), "some");

  std::istringstream without_offset(large_archive(2));
  auto damaged = ZipReader::open(without_offset);
  ASSERT_TRUE(damaged);
  EXPECT_FALSE(damaged->entries());
}

// How far an archive is read: 0, it is none; 1, its directory is damaged; 2, so is an entry; 3,
// all.
int readable(const std::string& archive) {
  std::istringstream stream(archive);
  auto zip = ZipReader::open(stream);
  if (!zip) return 0;
  const auto entries = zip->entries();
  if (!entries) return 1;
  for (const ZipEntry& entry : *entries) {
    if (!entry.stored || entry.size > archive.size()) return 2;
    Bytes data(entry.size);
    if (!zip->read(entry, data)) return 2;
  }
  return 3;
}

// The bytes at an offset from the last record with this signature.
std::string with_bytes(std::string archive, const std::string& signature, size_t offset,
                       const std::string& bytes) {
  return archive.replace(archive.rfind(signature) + offset, bytes.size(), bytes);
}

TEST(Zip, EveryFieldIsChecked) {
  const std::string archive = archive_of({{"a", "some"}, {"b", "more"}}), large = large_archive(3);
  ASSERT_EQ(readable(archive), 3);
  ASSERT_EQ(readable(large), 3);
  struct Damage {
    const std::string& of;
    const char* record;
    size_t offset;
    std::string bytes;
    int readable;
  };
  const Damage damages[] = {
      {archive, "PK\5\6", 4, number(1, 2), 0},            // of another disk
      {archive, "PK\5\6", 12, number(100, 4), 0},         // size of the directory
      {archive, "PK\5\6", 16, number(1, 4), 0},           // place of the directory
      {archive, "PK\5\6", 10, number(1, 2), 1},           // fewer entries than there are
      {archive, "PK\5\6", 10, number(3, 2), 1},           // more
      {archive, "PK\1\2", 0, "QK", 1},                    // an entry's record
      {archive, "PK\1\2", 28, number(2, 2), 1},           // length of its name
      {archive, "PK\1\2", 10, number(8, 2), 2},           // compressed
      {archive, "PK\1\2", 8, number(1, 2), 2},            // encrypted
      {archive, "PK\1\2", 20, number(3, 4), 2},           // sizes that differ
      {archive, "PK\1\2", 16, number(0, 4), 2},           // checksum
      {archive, "PK\1\2", 42, number(1, 4), 2},           // place
      {archive, "PK\1\2", 42, number(0xfffffffe, 4), 2},  // place behind the end
      {archive, "PK\3\4", 0, "QK", 2},                    // an entry's own header
      {archive, "PK\3\4", 26, number(0, 2), 2},           // length of its name
      {archive, "PK\3\4", 28, number(1, 2), 2},           // extra fields up to the directory
      {archive, "PK\3\4", 28, number(0xffff, 2), 2},      // and behind it
      {archive, "PK\3\4", 30, "c", 2},                    // its name
      {large, "PK\6\7", 0, "QK", 0},                      // where the record of ZIP64 is
      {large, "PK\6\7", 8, number(1, 8), 0},              // at another place
      {large, "PK\6\7", 8, number(~uint64_t{0}, 8), 0},   // nowhere
      {large, "PK\6\6", 0, "QK", 0},                      // no record
      {large, "PK\6\6", 16, number(1, 4), 0},             // of another disk
      {large, "PK\6\6", 40, number(~uint64_t{0}, 8), 0},  // size of the directory
      {large, "PK\6\6", 48, number(1, 8), 0},             // place of the directory
      {large, "PK\6\6", 32, number(~uint64_t{0}, 8), 1},  // more entries than there are
  };
  for (const Damage& damage : damages) {
    EXPECT_EQ(readable(with_bytes(damage.of, damage.record, damage.offset, damage.bytes)),
              damage.readable)
        << damage.record + 2 << " " << damage.offset;
  }
}

}  // namespace
}  // namespace assay::test
