// Tensors come out of a trace as they went in.
#include "dynamic_check/keep/tensor_trace.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "dynamic_check/keep/run_trace.h"
#include "tests/dynamic/support/mlp.h"
#include "tests/support/scratch_folder.h"

namespace assay {
namespace {

using test::ScratchFolder;

TEST(TensorsInTraces, AreTheirValuesWhateverTheMemory) {
  const ScratchFolder folder;
  const at::Tensor x = at::arange(6, at::kFloat).reshape({2, 3});
  TraceWriter writer(folder.path() / "trace", {});
  add_tensor(writer, {"transposed", "", "", DType::kFloat32, {}}, x.t());
  add_tensor(writer, {"negated", "", "", DType::kFloat32, {}}, at::_neg_view(x));
  writer.finish();
  TensorTrace trace(folder.path() / "trace");
  EXPECT_TRUE(at::equal(trace.read("transposed"), x.t()));
  EXPECT_TRUE(at::equal(trace.read("negated"), -x));
}

TEST(TensorsInTraces, AreThoseThatWereMadeFirst) {
  const ScratchFolder folder;
  const Graph graph = test::make_mlp().refinement.sequential;
  RunTrace trace(folder.path() / "trace", graph, {});
  const at::Tensor x = at::arange(6, at::kFloat);
  trace.add(graph.find("x"), x);
  trace.add(graph.find("x"), x + 1);
  trace.finish();
  EXPECT_TRUE(at::equal(TensorTrace(folder.path() / "trace").read("x"), x));
}

}  // namespace
}  // namespace assay
