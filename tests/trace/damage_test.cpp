// Traces that were cut off or changed on their way: refused, whatever is left of them.
#include <gtest/gtest.h>

#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

TEST(TraceDamage, AFileCutAnywhereIsRefused) {
  const std::string archive = small_trace();
  ASSERT_EQ(error_of(archive), "accepted");
  for (size_t size = 0; size < archive.size(); ++size) {
    const std::string error = error_of(archive.substr(0, size));
    EXPECT_EQ(error.substr(0, error.find('\n')), "a.trace: the recording did not end") << size;
  }
}

TEST(TraceDamage, AFileWithoutItsBeginningIsRefused) {
  const std::string archive = small_trace();
  for (size_t size = 1; size < archive.size(); ++size) {
    EXPECT_NE(error_of(archive.substr(size)), "accepted") << size;
  }
}

TEST(TraceDamage, AChangedByteOfDataIsFoundByItsChecksum) {
  const std::string archive = small_trace();
  const auto expect_damaged = [&](std::string_view data, const std::string& name) {
    const size_t begin = archive.find(data);
    ASSERT_NE(begin, std::string::npos) << "entries are stored, not compressed";
    for (size_t i = begin; i < begin + data.size(); ++i) {
      for (const int bit : {0, 7}) {
        std::string damaged = archive;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        EXPECT_EQ(error_of(damaged), "a.trace: the data of tensor '" + name +
                                         "' are damaged: they do not have their checksum\n  hint: "
                                         "copy the file again, or record the trace again");
      }
    }
  };
  expect_damaged(kDataOfX, "x");
  expect_damaged(kDataOfY, "y");
}

TEST(TraceDamage, AChangedIndexIsFoundByItsChecksum) {
  std::string archive = small_trace();
  archive[archive.find("bfloat16")] = ' ';
  EXPECT_EQ(error_of(archive),
            "a.trace: trace.json is damaged: it does not have its checksum\n  hint: copy the file "
            "again, or record the trace again");
}

// Other tensors can be read all the same.
TEST(TraceDamage, IsOfOneTensor) {
  std::string archive = small_trace();
  archive[archive.find(kDataOfX)] ^= 1;
  TraceReader reader(archive, "a.trace");
  EXPECT_EQ(text_of(reader.read(1)), kDataOfY);
}

// Any byte: refused, or the same tensors with the same data.
TEST(TraceDamage, AChangedByteChangesNoData) {
  const std::string archive = small_trace();
  for (size_t i = 0; i < archive.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x20, 0x7f, 0x80, 0xff}) {
      std::string damaged = archive;
      damaged[i] = static_cast<char>(damaged[i] ^ value);
      if (error_of(damaged) != "accepted") continue;
      TraceReader reader(damaged, "a.trace");
      ASSERT_EQ(reader.tensors().size(), 2u) << i;
      EXPECT_EQ(text_of(reader.read(0)), kDataOfX) << i;
      EXPECT_EQ(text_of(reader.read(1)), kDataOfY) << i;
    }
  }
}

}  // namespace
}  // namespace assay::test
