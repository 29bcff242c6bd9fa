// The archives under traces.
#include <gtest/gtest.h>

#include <sstream>

#include "shared_ir/zip/crc32.h"
#include "shared_ir/zip/zip_reader.h"
#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

TEST(Crc32, HasTheCheckValueOfItsStandard) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
}

// Bit by bit, as it is defined.
uint32_t slow_crc32(const Bytes& data) {
  uint32_t crc = 0xffffffff;
  for (const std::byte byte : data) {
    crc ^= static_cast<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320 : 0);
  }
  return ~crc;
}

TEST(Crc32, IsThatOfItsDefinitionAtEveryLength) {
  Bytes data;
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(crc32(data), slow_crc32(data)) << i;
    data.push_back(static_cast<std::byte>(i * 37 + 11));
  }
}

TEST(Zip, HoldsWhatIsPutIn) {
  const std::string archive = archive_of({{"a", "some"}, {"folder/b", ""}, {"c", "thing"}});
  std::istringstream stream(archive);
  auto zip = ZipReader::open(stream);
  ASSERT_TRUE(zip);
  EXPECT_EQ(zip->size(), archive.size());
  const auto entries = zip->entries();
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[1].name, "folder/b");
  EXPECT_EQ((*entries)[1].size, 0u);
  Bytes data(5);
  EXPECT_TRUE(zip->read((*entries)[2], data));
  EXPECT_EQ(text_of(data), "thing");
}

TEST(Zip, EndsWithItsLastByte) {
  const std::string archive = archive_of({{"a", "some"}});
  for (const std::string& other : {archive + '\0', archive.substr(0, archive.size() - 1)}) {
    std::istringstream stream(other);
    EXPECT_FALSE(ZipReader::open(stream));
  }
  std::string commented = archive;
  commented[archive.size() - 2] = 5;
  std::istringstream stream(commented + "about");
  EXPECT_TRUE(ZipReader::open(stream));
}

}  // namespace
}  // namespace assay::test
