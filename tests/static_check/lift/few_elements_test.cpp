// Reductions of few elements whose parts no instance shows: elements that occur several times,
// zeros among them, products that are each other's mirror. What is claimed of them is checked, and
// nothing else.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/claims/replay.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

using Writes = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef y)>;

// Both sides compute what `sequential` and `rank` write of x and y, of shape [2, 3].
Case both_write(const Writes& sequential, const Writes& rank) {
  CaseBuilder builder(1);
  for (GraphBuilder* graph : {&builder.sequential(), &builder.rank(0)}) {
    const TensorRef x = graph->input("x", {2, 3}), y = graph->input("y", {2, 3});
    graph->output("out", (graph == &builder.rank(0) ? rank : sequential)(*graph, x, y));
  }
  builder.replicate("x");
  builder.replicate("y");
  builder.expect("out", {"out@0"});
  return builder.build();
}

Writes extremum_of(const char* op, std::vector<int> parts) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    const TensorRef doubled = graph.call("d", "aten.mul.Tensor", {x, 2}, {2, 3});
    std::vector<Argument> list;
    for (const int part : parts) list.push_back(part == 0 ? x : part == 1 ? y : doubled);
    const TensorRef joined =
        graph.call("j", "aten.cat.default", {list, 1}, {2, 3 * static_cast<int64_t>(parts.size())});
    return graph.call("o", op, {joined, {1}}, {2});
  };
}

Writes padded_extremum(const char* op) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    const TensorRef padded = graph.call("p", "aten.constant_pad_nd.default", {x, {1, 2}}, {2, 6});
    return graph.call("o", op, {padded, {1}}, {2});
  };
}

// x^T x, where every product occurs twice.
TensorRef mirrored(GraphBuilder& graph, TensorRef x, TensorRef) {
  const TensorRef softmax = graph.call("s", "aten._softmax.default", {x, 1, false}, {2, 3});
  const TensorRef square = graph.call("q", "aten.slice.Tensor", {softmax, 1, 0, 2}, {2, 2});
  return graph.call("o", "aten.mm.default", {square, square}, {2, 2});
}

// A part of what softmax divides by, over all of it.
TensorRef part_of_softmax(GraphBuilder& graph, TensorRef x, TensorRef) {
  const TensorRef softmax = graph.call("s", "aten._softmax.default", {x, 1, false}, {2, 3});
  const TensorRef part = graph.call("q", "aten.slice.Tensor", {softmax, 1, 0, 2}, {2, 2});
  return graph.call("o", "aten.sum.dim_IntList", {part, {1}}, {2});
}

TensorRef whole_softmax(GraphBuilder& graph, TensorRef x, TensorRef) {
  const TensorRef softmax = graph.call("s", "aten._softmax.default", {x, 1, false}, {2, 3});
  return graph.call("o", "aten.sum.dim_IntList", {softmax, {1}}, {2});
}

// How many of 0 ... 7 are at most `bound`.
Writes counted(int bound) {
  return [=](GraphBuilder& graph, TensorRef, TensorRef) {
    const TensorRef numbers = graph.call("n", "aten.arange.default", {8}, {8}, DType::kInt64);
    const TensorRef flags = graph.call("f", "aten.le.Scalar", {numbers, bound}, {8}, DType::kBool);
    return graph.call("o", "aten.sum.default", {flags}, {}, DType::kInt64);
  };
}

// Classes that are flags.
Writes flags_as_classes(const char* compare) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    const TensorRef row = graph.call("r", "aten.slice.Tensor", {x, 0, 0, 1}, {1, 3});
    const TensorRef flags = graph.call("f", compare, {row, 1}, {1, 3}, DType::kBool);
    const TensorRef sums =
        graph.call("s", "aten.sum.dim_IntList", {flags, {0}}, {3}, DType::kInt64);
    return graph.call("o", "aten.one_hot.default", {sums, 2}, {3, 2}, DType::kInt64);
  };
}

TEST(FewElements, ExtremaOfRepeatedElementsAreThoseOfEach) {
  for (const char* op : {"aten.amax.default", "aten.amin.default"}) {
    EXPECT_TRUE(proves(both_write(extremum_of(op, {0, 0, 1}), extremum_of(op, {0, 0, 1}))));
    EXPECT_TRUE(proves(both_write(extremum_of(op, {0, 1, 0, 2}), extremum_of(op, {0, 1, 0, 2}))));
    EXPECT_FALSE(proves(both_write(extremum_of(op, {0, 0, 1}), extremum_of(op, {0, 0, 2}))));
  }
}

TEST(FewElements, PaddingCountsAmongExtrema) {
  EXPECT_TRUE(proves(
      both_write(padded_extremum("aten.amax.default"), padded_extremum("aten.amax.default"))));
  EXPECT_FALSE(proves(
      both_write(padded_extremum("aten.amax.default"), extremum_of("aten.amax.default", {0, 0}))));
}

TEST(FewElements, SumsOfMirroredProductsAreTheirSums) {
  EXPECT_TRUE(proves(both_write(mirrored, mirrored)));
}

TEST(FewElements, APartOfASumStaysAPartWhenTheWholeDividesIt) {
  EXPECT_TRUE(proves(both_write(part_of_softmax, part_of_softmax)));
  EXPECT_FALSE(proves(both_write(part_of_softmax, whole_softmax)));
}

TEST(FewElements, FlagsOfKnownNumbersAreCounted) {
  EXPECT_TRUE(proves(both_write(counted(0), counted(0))));
  EXPECT_FALSE(proves(both_write(counted(0), counted(1))));
}

TEST(FewElements, FlagsAreClasses) {
  EXPECT_TRUE(
      proves(both_write(flags_as_classes("aten.ge.Scalar"), flags_as_classes("aten.ge.Scalar"))));
  EXPECT_FALSE(
      proves(both_write(flags_as_classes("aten.ge.Scalar"), flags_as_classes("aten.lt.Scalar"))));
}

// A claim of one program is no claim of another, of which an element is not among the first's.
TEST(FewElements, ClaimsOfOtherElementsAreRejected) {
  const OperatorTable operators = OperatorTable::builtin();
  const auto of = [](std::vector<int> parts) {
    return both_write(extremum_of("aten.amax.default", parts),
                      extremum_of("aten.amax.default", parts));
  };
  const StaticResult proof = static_check(of({0, 0, 1}), operators);
  EXPECT_TRUE(replay_of(of({0, 0, 1}), proof.certificate, operators).check().accepted);
  for (const std::vector<int>& parts : {std::vector{0, 0, 2}, {1, 1, 1}, {0, 0, 0}, {0, 2, 1}})
    EXPECT_FALSE(replay_of(of(parts), proof.certificate, operators).check().accepted);
}

}  // namespace
}  // namespace assay::test
