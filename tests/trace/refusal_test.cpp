// What is no trace, or not all of one: every refusal, with its message.
#include <gtest/gtest.h>

#include "shared_ir/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

constexpr const char* kForeign = "\n  hint: a trace is what Assay's recorders write";
constexpr const char* kRecord = "\n  hint: record the trace again";
constexpr const char* kStored = "\n  hint: entries of a trace are stored: record the trace again";

std::string error_of_file(const std::filesystem::path& file) {
  try {
    const TraceReader reader(file);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

// trace.json of a trace with the tensors x and y, of eight bytes each.
const std::string kIndex =
    R"({"assay_trace":1,"program":"p","rank":0,"world_size":1,"precision":"float32","tensors":[)"
    R"({"name":"x","dtype":"float32","shape":[2],"data":"data/0"},)"
    R"({"name":"y","dtype":"int64","shape":[],"data":"data/1"}]})";

std::string error_of_entries(const std::vector<std::pair<std::string, std::string>>& entries) {
  return error_of(archive_of(entries));
}

TEST(TraceRefusal, OfAFileThatIsNotThere) {
  const ScratchFolder folder;
  const auto none = folder.path() / "none";
  EXPECT_EQ(error_of_file(none), none.string() + ": cannot read this file\n  hint: does it exist?");
  EXPECT_EQ(error_of_file(folder.path()),
            folder.path().string() + ": cannot read this file\n  hint: does it exist?");
}

TEST(TraceRefusal, OfForeignFiles) {
  for (const char* text : {"torch", "Q", "PK and no more", "{\"assay_trace\":1}"}) {
    const std::string bytes = text;
    EXPECT_EQ(error_of(bytes),
              std::string("a.trace: this is no trace: it is no ZIP archive") + kForeign)
        << text;
  }
  EXPECT_EQ(error_of_entries({{"archive/data.pkl", "x"}, {"archive/data/0", "y"}}),
            std::string("a.trace: this is no trace: the archive has no trace.json") + kForeign);
}

// As record_trace.py leaves them when its program raises.
TEST(TraceRefusal, OfArchivesThatHaveDataAlone) {
  const std::string message =
      "a.trace: the recording did not end\n  hint: the program stopped before its recorder was "
      "done, or the file was cut off: record the trace again";
  EXPECT_EQ(error_of_entries({}), message);
  EXPECT_EQ(error_of_entries({{"data/0", "x"}, {"data/1", "y"}}), message);
}

TEST(TraceRefusal, OfAWrongSetOfEntries) {
  const std::string x(kDataOfX), y(kDataOfY);
  EXPECT_EQ(error_of_entries({{"data/0", x}, {"data/1", y}, {"trace.json", kIndex}}), "accepted");
  EXPECT_EQ(error_of_entries({{"trace.json", kIndex}, {"data/1", y}, {"data/0", x}}), "accepted");
  EXPECT_EQ(error_of_entries({{"data/0", x}, {"trace.json", kIndex}}),
            std::string("a.trace: the data of tensor 'y' are missing: no entry 'data/1' is left "
                        "for them") +
                kRecord);
  EXPECT_EQ(error_of_entries({{"data/0", x}, {"data/0", x}, {"trace.json", kIndex}}),
            std::string("a.trace: the archive has two entries 'data/0'") + kRecord);
  EXPECT_EQ(
      error_of_entries({{"data/0", x}, {"data/1", y}, {"data/2", y}, {"trace.json", kIndex}}),
      std::string("a.trace: the archive has an entry 'data/2', which no tensor has") + kRecord);
  std::string shared = kIndex;
  shared.replace(shared.find("data/1"), 6, "data/0");
  EXPECT_EQ(error_of_entries({{"data/0", x}, {"trace.json", shared}}),
            std::string("a.trace: the data of tensor 'y' are missing: no entry 'data/0' is left "
                        "for them") +
                kRecord);
}

TEST(TraceRefusal, OfDataOfAnotherSize) {
  for (const char* data : {"", "seven..", "nine bytes"}) {
    EXPECT_EQ(error_of_entries(
                  {{"data/0", std::string(kDataOfX)}, {"data/1", data}, {"trace.json", kIndex}}),
              "a.trace: the data of tensor 'y' have " + std::to_string(std::string(data).size()) +
                  " bytes; int64 [] has 8" + kRecord);
  }
}

// A field of the directory's record of the first entry, x's data, is changed.
std::string with_field(size_t offset, const std::string& value) {
  std::string archive = small_trace();
  const size_t record = archive.find("PK\1\2");
  return archive.replace(record + offset, value.size(), value);
}

TEST(TraceRefusal, OfEntriesThatAreNotStored) {
  constexpr size_t kFlags = 8, kMethod = 10;
  const std::string message =
      std::string("a.trace: entry 'data/0' is compressed or encrypted") + kStored;
  EXPECT_EQ(error_of(with_field(kMethod, "\x08")), message);
  EXPECT_EQ(error_of(with_field(kFlags, "\x01")), message);
}

// No memory is made for what the file cannot have.
TEST(TraceRefusal, OfEntriesThatAreLargerThanTheFile) {
  constexpr size_t kSizes = 20;
  EXPECT_EQ(error_of(with_field(kSizes, "\xff\xff\xff\x7f\xff\xff\xff\x7f")),
            "a.trace: entry 'data/0' is cut off\n  hint: copy the file again, or record the trace "
            "again");
}

TEST(TraceRefusal, OfADamagedDirectory) {
  EXPECT_EQ(error_of(with_field(0, "QK")),
            std::string("a.trace: the archive is damaged") + kRecord);
}

}  // namespace
}  // namespace assay::test
