// Traces that record_trace.py makes of PyTorch programs (record_programs.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "shared_ir/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/trace_file.h"

#ifdef ASSAY_TRACE_PYTHON

#include "tests/cli/run_assay.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

std::filesystem::path script() {
  const char* source = std::getenv("ASSAY_SOURCE_DIR");
  return std::filesystem::path(source ? source : ".") / "tests/trace/record_programs.py";
}

// The number of the script's line that holds this text.
std::string line_of(const std::string& part) {
  const std::string text = text_of_file(script());
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(part));
  return std::to_string(std::count(text.begin(), end, '\n') + 1);
}

// Runs the script; false where torch cannot be imported.
bool record_programs(const std::filesystem::path& folder) {
  const std::string command = std::string(ASSAY_TRACE_PYTHON) + " " + script().string() + " " +
                              folder.string() + " >" + (folder / "log").string() + " 2>&1";
  const int status = std::system(command.c_str());
  constexpr int kNoTorch = 77;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoTorch) return false;
  EXPECT_EQ(status, 0) << text_of_file(folder / "log");
  return true;
}

size_t number_of(const TraceReader& reader, const std::string& name) {
  for (size_t i = 0; i < reader.tensors().size(); ++i) {
    if (reader.tensors()[i].name == name) return i;
  }
  throw InternalError("no tensor " + name);
}

std::vector<float> floats(TraceReader& reader, const std::string& name) {
  const Bytes data = reader.read(number_of(reader, name));
  std::vector<float> values(data.size() / sizeof(float));
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

void expect_results(TraceReader& reader) {
  EXPECT_THAT(floats(reader, "x"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(floats(reader, "mul"), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(floats(reader, "t"), ElementsAre(0, 6, 2, 8, 4, 10)) << "row-major";
  EXPECT_THAT(floats(reader, "mm"), ElementsAre(3, 3, 12, 12));
  EXPECT_THAT(floats(reader, "mm_1"), ElementsAre(6, 6, 6, 24, 24, 24));
  EXPECT_THAT(floats(reader, "sum_1"), ElementsAre(90)) << "torch.fx numbers Python's own names";
  EXPECT_THAT(floats(reader, "getitem"), ElementsAre(0, 3));
  EXPECT_THAT(floats(reader, "getitem_1"), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(floats(reader, "add_"), ElementsAre(1, 3, 5, 7, 9, 11));
  EXPECT_EQ(number_of(reader, "mm_2") > number_of(reader, "sum_1"), true) << "the backward pass";
}

// One test: most of its time is the import of torch.
TEST(TraceRecorder, RecordsTheResultsOfOperators) {
  const ScratchFolder folder;
  if (!record_programs(folder.path())) {
    const char* ci = std::getenv("CI");
    ASSERT_STRNE(ci ? ci : "", "true") << "torch cannot be imported";
    GTEST_SKIP() << "torch cannot be imported";
  }
  // A program that raises has no trace.
  EXPECT_THAT(error_of(text_of_file(folder.path() / "raised.trace")),
              HasSubstr("the recording did not end"));
  EXPECT_EQ(error_of(text_of_file(folder.path() / "empty.trace")), "accepted");

  TraceReader reader(folder.path() / "program.trace");
  EXPECT_EQ(reader.run().program, "program");
  EXPECT_EQ(reader.run().rank, 1);
  EXPECT_EQ(reader.run().world_size, 2);
  EXPECT_EQ(reader.run().precision, DType::kFloat32);
  EXPECT_EQ(reader.run().seed, 3u);
  EXPECT_THAT(reader.run().producer, HasSubstr("torch"));
  expect_results(reader);

  const auto& tensors = reader.tensors();
  EXPECT_EQ(tensors[number_of(reader, "x")].op, "");
  const TracedTensor& product = tensors[number_of(reader, "mul")];
  EXPECT_EQ(product.op, "aten.mul.Tensor");
  EXPECT_THAT(product.source, testing::EndsWith("record_programs.py:" + line_of("# mul")));
  EXPECT_THAT(tensors[number_of(reader, "t")].shape, ElementsAre(3, 2));
  EXPECT_THAT(tensors[number_of(reader, "sum_1")].shape, ElementsAre());
  EXPECT_THAT(tensors[number_of(reader, "slice_1")].shape, ElementsAre(0, 3));

  // x as other dtypes: 0 to 5.
  const auto converted = [&](const std::string& name, DType dtype) {
    EXPECT_EQ(tensors[number_of(reader, name)].dtype, dtype);
    return text_of(reader.read(number_of(reader, name)));
  };
  EXPECT_EQ(converted("_to_copy", DType::kBFloat16).substr(2, 4), "\x80\x3f\x00\x40"s);
  EXPECT_EQ(converted("_to_copy_1", DType::kFloat8E4M3), "\x00\x38\x40\x44\x48\x4a"s);
  EXPECT_EQ(converted("_to_copy_2", DType::kFloat8E5M2), "\x00\x3c\x40\x42\x44\x45"s);
  EXPECT_EQ(converted("_to_copy_3", DType::kFloat64).size(), 48u);
  EXPECT_EQ(converted("_to_copy_4", DType::kBool), "\0\1\1\1\1\1"s);

  // Each of these dtypes compares with itself.
  const std::string trace = (folder.path() / "program.trace").string();
  const Outcome same = run_assay("compare --bound 0 --base " + trace + " --rank " + trace);
  EXPECT_EQ(same.exit, 0) << same.text;
  EXPECT_THAT(same.text, HasSubstr(std::to_string(tensors.size()) + " tensors compared"));

  // A tensor around two others.
  EXPECT_THAT(floats(reader, "neg"), ElementsAre(0, -1, -2, -3, -4, -5));
  EXPECT_THAT(floats(reader, "neg_1"), ElementsAre(-1, -2, -3, -4, -5, -6));

  // What has no values, no dtype of ours, or none yet is left out; what comes after it is not.
  for (const TracedTensor& tensor : tensors) {
    for (const char* op : {"complex", "cos", "all_reduce", "allreduce_"}) {
      EXPECT_EQ(tensor.op.find("." + std::string(op) + "."), std::string::npos) << tensor.op;
    }
  }
  EXPECT_EQ(tensors[number_of(reader, "wait_tensor")].op, "_c10d_functional.wait_tensor.default");
  number_of(reader, "tanh");
  EXPECT_EQ(tensors.back().name, "exp");
}

}  // namespace
}  // namespace assay::test

#endif
