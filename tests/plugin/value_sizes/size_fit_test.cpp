// Which integers of several runs are made of sizes.
#include "shared_ir/capture/fit/size_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/import/unbacked/padder.h"

namespace assay {
namespace {

std::string found(const SizeForms& forms, const RunValues& values) {
  const auto form = forms.find(values);
  return form ? unbacked::to_string(*form) : "none";
}

TEST(SizeForms, TheSimplestFormIsTaken) {
  SizeForms forms;
  forms.add({1, 2, 5, 3});
  forms.add({4, 0, 1, 2});
  forms.add({0, 3, 2, 7});
  EXPECT_EQ(found(forms, {4, 0, 1, 2}), "u1");
  EXPECT_EQ(found(forms, {5, 5, 8, 12}), "((u0 + u1) + u2)");
  EXPECT_EQ(found(forms, {3, 5, 11, 7}), "((u0 * 2) + 1)");
  EXPECT_EQ(found(forms, {9, 8, 5, 7}), "((u0 * -1) + 10)");
  EXPECT_EQ(found(forms, {2, 0, 4, -3}), "((u0 - u2) + 1)");
  EXPECT_EQ(found(forms, {1, 4, 25, 9}), "none");
}

TEST(SizeForms, NothingIsMadeOfASizeThatDidNotVary) {
  SizeForms forms;
  forms.add({2, 2, 2});
  forms.add({1, 2, 3});
  EXPECT_EQ(found(forms, {1, 2, 3}), "u1");
  EXPECT_EQ(found(forms, {3, 4, 5}), "(u1 + 2)");
}

// A slice of x up to a size that is read.
RecordedRun run_of(int64_t read, int64_t end) {
  RecordedRun run;
  Graph& graph = run.graph;
  graph.name = "rank 0";
  graph.functional = true;
  graph.tensors = {{"x", DType::kFloat32, {8}, kNone, 0},
                   {"n", DType::kInt64, {}, kNone, 0},
                   {"slice", DType::kFloat32, {end}, 0, 0}};
  graph.by_name = {{"x", 0}, {"n", 1}, {"slice", 2}};
  graph.inputs = {0, 1};
  Node node;
  node.op = "aten.slice.Tensor";
  node.args = {{TensorArg{0}}, {int64_t{0}}, {int64_t{0}}, {end}};
  node.outputs = {2};
  graph.nodes.push_back(std::move(node));
  run.sizes = {{0, 1, read, {}, {}}};
  graph.outputs = {2};
  return run;
}

TEST(SizeFit, AnotherRunMustBeMadeAlike) {
  const SizeFit fit({run_of(2, 3), run_of(4, 5), run_of(1, 2)});
  EXPECT_NO_THROW(fit.check(run_of(6, 7)));
  EXPECT_THROW(fit.check(run_of(6, 6)), UserError);
  const UnbackedGraph graph = fit.unbacked();
  ASSERT_EQ(graph.graph.nodes.size(), 2U);
  EXPECT_EQ(graph.items.at(0), "u0");
  EXPECT_EQ(unbacked::to_string(graph.integers.at(0)), "(u0 + 1)");
  EXPECT_EQ(graph.graph.tensors[2].shape[0], kUnknownSize);
}

TEST(SizeFit, ASizeThatNeverVariedIsAsserted) {
  const UnbackedGraph graph = SizeFit({run_of(2, 3), run_of(2, 3)}).unbacked();
  ASSERT_EQ(graph.graph.nodes.size(), 3U);
  EXPECT_EQ(graph.graph.nodes[1].op, kAssertOp);
}

TEST(SizeFit, WhatIsMadeOfNoSizeIsRefused) {
  EXPECT_THROW(SizeFit({run_of(2, 3), run_of(4, 7), run_of(1, 8)}), UserError);
}

}  // namespace
}  // namespace assay
