// Writing: to disk at once, and what a writer refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "shared_ir/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

namespace fs = std::filesystem;

template <class Step>
std::string error_of_step(const Step& step) {
  try {
    step();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

size_t resident_bytes() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(TraceWriter, TensorsGoToDiskAsTheyAreGiven) {
  constexpr size_t kSize = size_t{1} << 20, kTensors = 64, kBuffers = size_t{1} << 18;
  const ScratchFolder folder;
  const fs::path file = folder.path() / "trace";
  const Bytes data(kSize, std::byte{1});
  TraceWriter writer(file, {});
  writer.add({"first", "", "", DType::kUint8, {kSize}}, data);
  const size_t before = resident_bytes();
  for (size_t i = 1; i < kTensors; ++i) {
    writer.add({"t" + std::to_string(i), "", "", DType::kUint8, {kSize}}, data);
    EXPECT_GT(fs::file_size(file) + kBuffers, (i + 1) * kSize);
  }
  EXPECT_LT(resident_bytes(), before + kTensors * kSize / 4);
  writer.finish();
  EXPECT_EQ(TraceReader(file).tensors().size(), kTensors);
}

TEST(TraceWriter, ARecordingThatDoesNotEndIsRefused) {
  constexpr const char* kMessage =
      "a.trace: the recording did not end\n  hint: the program stopped before its recorder was "
      "done, or the file was cut off: record the trace again";
  const ScratchFolder folder;
  const fs::path file = folder.path() / "trace";
  for (const int64_t tensors : {0, 1, 3}) {
    {
      TraceWriter writer(file, {});
      for (int64_t i = 0; i < tensors; ++i) {
        writer.add({std::to_string(i), "", "", DType::kUint8, {8}}, bytes_of("bytes..."));
      }
    }
    EXPECT_EQ(error_of(text_of_file(file)), kMessage) << tensors;
  }
  // Killed, without its destructor: what is on disk is at most this.
  {
    TraceWriter writer(file, {});
    EXPECT_EQ(error_of(text_of_file(file)), kMessage);
    writer.add({"x", "", "", DType::kUint8, {1 << 20}}, Bytes(1 << 20));
    const std::string written = text_of_file(file);
    EXPECT_GT(written.size(), size_t{1} << 19);
    EXPECT_EQ(error_of(written), kMessage);
  }
}

TEST(TraceWriter, RefusesWhatNoReaderTakes) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "trace";
  TraceWriter writer(file, {});
  const auto error_of_add = [&](const TracedTensor& tensor) {
    return error_of_step([&] { writer.add(tensor, Bytes(4)); });
  };
  EXPECT_EQ(error_of_add({"x", "", "", DType::kFloat32, {}}), "accepted");
  EXPECT_EQ(error_of_add({"x", "", "", DType::kFloat32, {}}),
            file.string() + ": there are two tensors 'x'\n  hint: number the operators' outputs");
  EXPECT_EQ(
      error_of_add({"a b", "", "", DType::kFloat32, {}}),
      file.string() + ": 'a b' cannot name a tensor\n  hint: use letters, digits and _ . - :");
  EXPECT_EQ(error_of_add({"y", "", "", DType::kFloat32, {2, -1}}),
            file.string() +
                ": tensor 'y' has impossible shape [2, -1]\n  hint: sizes are not negative, and a "
                "tensor has at most 2^60 elements");
  EXPECT_THROW(writer.add({"y", "", "", DType::kFloat64, {}}, Bytes(4)), InternalError);
  writer.finish();
  EXPECT_EQ(TraceReader(file).tensors().size(), 1u) << "what is refused leaves no mark";
  EXPECT_THROW(writer.finish(), InternalError);
}

TEST(TraceWriter, ARankIsOneOfItsRun) {
  const ScratchFolder folder;
  const fs::path file = folder.write("trace", "before");
  for (const Rank rank : {-1, 2}) {
    EXPECT_EQ(error_of_step([&] { TraceWriter(file, {"p", rank, 2, DType::kFloat32, {}, {}}); }),
              file.string() + ": there is no rank " + std::to_string(rank) +
                  " in a run of 2 ranks\n  hint: ranks count from 0");
  }
  EXPECT_EQ(text_of_file(file), "before");
}

TEST(TraceWriter, SaysWhenItCannotWrite) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "none" / "trace";
  EXPECT_EQ(error_of_step([&] { TraceWriter(file, {}); }),
            file.string() + ": cannot write this file\n  hint: does its folder exist?");
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no device that is always full";
  constexpr const char* kFull = "/dev/full: cannot write this file\n  hint: is the disk full?";
  TraceWriter large("/dev/full", {}), small("/dev/full", {});
  const TracedTensor tensor{"x", "", "", DType::kUint8, {1 << 20}};
  EXPECT_EQ(error_of_step([&] { large.add(tensor, Bytes(1 << 20)); }), kFull);
  EXPECT_THROW(large.finish(), InternalError);
  EXPECT_EQ(error_of_step([&] { small.finish(); }), kFull);
}

}  // namespace
}  // namespace assay::test
