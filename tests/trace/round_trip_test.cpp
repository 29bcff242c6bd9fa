// What is written is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/scratch_folder.h"
#include "tests/trace/trace_file.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TraceOfDType : public testing::TestWithParam<DType> {};

// Sizes 0 and 1 are as likely as others: no elements, and dimensions that hold nothing apart.
Shape random_shape(std::mt19937& random) {
  Shape shape(std::uniform_int_distribution<size_t>(0, 4)(random));
  for (int64_t& size : shape) size = std::uniform_int_distribution<int64_t>(0, 5)(random);
  return shape;
}

TEST_P(TraceOfDType, HoldsTensorsOfEveryShape) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const ScratchFolder folder;
  std::vector<std::pair<TracedTensor, Bytes>> written;
  TraceWriter writer(folder.path() / "trace", {"program", 0, 1, GetParam(), {}, {}});
  for (int i = 0; i < 100; ++i) {
    TracedTensor tensor{"t." + std::to_string(i), "aten.op.default", "m.py:1", GetParam(),
                        i == 0   ? Shape{}
                        : i == 1 ? Shape{3, 0, 2}
                                 : random_shape(random)};
    Bytes data(static_cast<size_t>(element_count(tensor.shape)) * byte_size(GetParam()));
    for (std::byte& byte : data) byte = static_cast<std::byte>(random());
    writer.add(tensor, data);
    written.emplace_back(std::move(tensor), std::move(data));
  }
  writer.finish();

  TraceReader reader(folder.path() / "trace");
  EXPECT_EQ(reader.run().precision, GetParam());
  ASSERT_EQ(reader.tensors().size(), written.size());
  for (size_t i = written.size(); i-- > 0;) {  // in any order
    const TracedTensor& read = reader.tensors()[i];
    const auto& [tensor, data] = written[i];
    EXPECT_EQ(read.name, tensor.name);
    EXPECT_EQ(read.dtype, tensor.dtype);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_EQ(reader.read(i), data) << to_string(tensor.shape);
  }
}

std::vector<DType> all_dtypes() {
  std::vector<DType> dtypes;
  for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
    dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes;
}

INSTANTIATE_TEST_SUITE_P(Trace, TraceOfDType, testing::ValuesIn(all_dtypes()),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST(TraceRoundTrip, HoldsWhatWasRunAndWhatMadeEachTensor) {
  TraceReader reader(small_trace(), "a.trace");
  EXPECT_EQ(reader.run().program, "step");
  EXPECT_EQ(reader.run().rank, 1);
  EXPECT_EQ(reader.run().world_size, 2);
  EXPECT_EQ(reader.run().precision, DType::kBFloat16);
  EXPECT_EQ(reader.run().seed, 7u);
  EXPECT_EQ(reader.run().producer, "a test");
  ASSERT_EQ(reader.tensors().size(), 2u);
  EXPECT_EQ(reader.tensors()[0].op, "");
  EXPECT_EQ(reader.tensors()[0].source, "");
  EXPECT_EQ(reader.tensors()[1].op, "aten.op.default");
  EXPECT_EQ(reader.tensors()[1].source, "m.py:3");
  Bytes data(kDataOfX.size());
  reader.read(0, data);
  EXPECT_EQ(text_of(data), kDataOfX);
  TraceReader moved = std::move(reader);
  EXPECT_EQ(text_of(moved.read(1)), kDataOfY);
}

TEST(TraceRoundTrip, OptionalFieldsMayBeLeftOut) {
  const ScratchFolder folder;
  TraceWriter writer(folder.path() / "trace", {});
  writer.finish();
  const TraceReader reader(folder.path() / "trace");
  EXPECT_EQ(reader.run().program, "");
  EXPECT_EQ(reader.run().seed, std::nullopt);
  EXPECT_THAT(reader.run().producer, testing::StartsWith("assay 0."));
  EXPECT_THAT(reader.tensors(), IsEmpty());
}

TEST(TraceRoundTrip, TextsMayHoldAnything) {
  constexpr uint64_t kSeed = std::numeric_limits<uint64_t>::max();
  const ScratchFolder folder;
  TraceWriter writer(folder.path() / "trace",
                     {"\"\\\n\x01 \xc3\xa9", 0, 1, DType::kFloat32, kSeed, "no UTF-8: \xff"});
  writer.finish();
  const TraceReader reader(folder.path() / "trace");
  EXPECT_EQ(reader.run().program, "\"\\\n\x01 \xc3\xa9");
  EXPECT_EQ(reader.run().producer, "no UTF-8: \xef\xbf\xbd");
  EXPECT_EQ(reader.run().seed, kSeed);
}

TEST(TraceRoundTrip, TheSameRunMakesTheSameBytes) { EXPECT_EQ(small_trace(), small_trace()); }

// Where the count of a ZIP archive's entries outgrows its field.
TEST(TraceRoundTrip, TensorsMayBeMany) {
  for (const size_t tensors : {65'533u, 65'534u, 65'535u}) {
    const ScratchFolder folder;
    TraceWriter writer(folder.path() / "trace", {});
    for (size_t i = 0; i < tensors; ++i) {
      writer.add({std::to_string(i), "", "", DType::kBool, {}}, bytes_of(i % 2 ? "1" : "0"));
    }
    writer.finish();
    TraceReader reader(folder.path() / "trace");
    ASSERT_EQ(reader.tensors().size(), tensors);
    EXPECT_EQ(text_of(reader.read(tensors - 1)), (tensors - 1) % 2 ? "1" : "0");
  }
}

}  // namespace
}  // namespace assay::test
