// What an operator does to numbers follows from its declaration: whether it rounds, what it adds
// up, which products of matrices it makes, whether it works by parts of dimensions.
#include "shared_ir/operator_table/operator_facts.h"

#include <gtest/gtest.h>

#include "shared_ir/lower/declare/declaration.h"
#include "shared_ir/operator_table/operator_description.h"
#include "shared_ir/operator_table/operator_table.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

const OperatorFacts& facts(const std::string& op) {
  Node node;
  node.op = op;
  const OperatorFacts* found = facts_of(node);
  if (found == nullptr) throw std::runtime_error(op + " has no declaration");
  return *found;
}

TEST(OperatorFacts, WhatMovesSelectsOrComparesRoundsNothing) {
  for (const char* op : {"aten.abs",
                         "aten.amax",
                         "aten.cat",
                         "aten.clamp",
                         "aten.clone",
                         "aten.constant_pad_nd",
                         "aten.copy",
                         "aten.embedding",
                         "aten.fill.Scalar",
                         "aten.flip",
                         "aten.gather",
                         "aten.gt.Tensor",
                         "aten.index.Tensor",
                         "aten.index_select",
                         "aten.masked_fill.Scalar",
                         "aten.max.dim",
                         "aten.maximum",
                         "aten.neg",
                         "aten.permute",
                         "aten.relu",
                         "aten.repeat",
                         "aten.roll",
                         "aten.select_backward",
                         "aten.select_scatter",
                         "aten.slice.Tensor",
                         "aten.slice_backward",
                         "aten.slice_scatter",
                         "aten.sort",
                         "aten.split.Tensor",
                         "aten.stack",
                         "aten.threshold_backward",
                         "aten.topk",
                         "aten.tril",
                         "aten.triu",
                         "aten.where.self",
                         "hlo.slice",
                         "hlo.select",
                         "_c10d_functional.all_gather_into_tensor",
                         "_c10d_functional.all_to_all_single",
                         "_c10d_functional.broadcast",
                         "_c10d_functional.wait_tensor"})
    EXPECT_FALSE(facts(op).rounds) << op;
}

TEST(OperatorFacts, WhatComputesRounds) {
  for (const char* op : {"aten.add.Tensor",
                         "aten.mul.Tensor",
                         "aten.div.Scalar",
                         "aten.exp",
                         "aten.gelu",
                         "aten._softmax",
                         "aten.native_layer_norm",
                         "aten.mm",
                         "aten.sum.dim_IntList",
                         "aten.mean.dim",
                         "aten.cumsum",
                         "aten.embedding_dense_backward",
                         "aten.index_add",
                         "aten.scatter_add",
                         "aten.convolution",
                         "aten._to_copy",
                         "hlo.dot",
                         "hlo.add",
                         "_c10d_functional.all_reduce",
                         "_c10d_functional.reduce_scatter_tensor"}) {
    const bool narrows = facts(op).casts;
    EXPECT_TRUE(facts(op).rounds || narrows) << op;
  }
}

struct Call {
  GraphBuilder graph{"call"};
  const Node& node() { return graph.graph().nodes.back(); }
};

TEST(OperatorFacts, ACastRoundsWhereItsResultIsNarrower) {
  const auto is_exact_cast = [](DType from, DType to) {
    Call call;
    const TensorRef x = call.graph.input("x", {4}, from);
    call.graph.call("y", "aten._to_copy.default", {x, to}, {4}, to);
    return is_exact(call.graph.graph(), call.node());
  };
  EXPECT_TRUE(is_exact_cast(DType::kBFloat16, DType::kFloat32));
  EXPECT_TRUE(is_exact_cast(DType::kFloat32, DType::kInt64));
  EXPECT_FALSE(is_exact_cast(DType::kFloat32, DType::kBFloat16));
  EXPECT_FALSE(is_exact_cast(DType::kInt64, DType::kFloat32));
}

TEST(OperatorFacts, AnUndeclaredOperatorMayDoAnything) {
  Call call;
  const TensorRef x = call.graph.input("x", {4});
  call.graph.call("y", "user.unknown.default", {x}, {4});
  EXPECT_FALSE(is_exact(call.graph.graph(), call.node()));
  EXPECT_FALSE(product_of(call.node()));
  EXPECT_EQ(contraction_length(call.graph.graph(), call.node()), 1);
}

int64_t terms(const std::string& op, const std::vector<Shape>& operands,
              const std::vector<Argument>& attributes, const Shape& result) {
  Call call;
  std::vector<Argument> arguments;
  for (size_t i = 0; i < operands.size(); ++i)
    arguments.emplace_back(call.graph.input("x" + std::to_string(i), operands[i]));
  for (const Argument& attribute : attributes) arguments.emplace_back(attribute);
  call.graph.call("y", op, std::move(arguments), result);
  return contraction_length(call.graph.graph(), call.node());
}

TEST(OperatorFacts, AContractionAddsUpTheDimensionsThatItsResultHasNot) {
  EXPECT_EQ(terms("aten.mm.default", {{2, 7}, {7, 3}}, {}, {2, 3}), 7);
  EXPECT_EQ(terms("aten.bmm.default", {{5, 2, 7}, {5, 7, 3}}, {}, {5, 2, 3}), 7);
  EXPECT_EQ(terms("aten.addmm.default", {{3}, {2, 7}, {7, 3}}, {}, {2, 3}), 7);
  EXPECT_EQ(terms("aten.baddbmm.default", {{5, 2, 3}, {5, 2, 7}, {5, 7, 3}}, {}, {5, 2, 3}), 7);
  EXPECT_EQ(terms("aten.linear.default", {{2, 4, 7}, {3, 7}}, {}, {2, 4, 3}), 7);
  EXPECT_EQ(terms("aten.matmul.default", {{2, 7}, {7, 3}}, {}, {2, 3}), 7);
  EXPECT_EQ(terms("aten.mv.default", {{2, 7}, {7}}, {}, {2}), 7);
  EXPECT_EQ(terms("aten.dot.default", {{7}, {7}}, {}, {}), 7);
  EXPECT_EQ(terms("aten.sum.dim_IntList", {{2, 7}}, {{1}}, {2}), 7);
  EXPECT_EQ(terms("aten.mean.default", {{2, 7}}, {}, {}), 14);
  EXPECT_EQ(terms("aten.mul.Tensor", {{2, 7}, {2, 7}}, {}, {2, 7}), 1);
  EXPECT_EQ(terms("aten._softmax.default", {{2, 7}}, {1, false}, {2, 7}), 1);
}

TEST(OperatorFacts, ProductsOfMatricesAreKnownByTheirLabels) {
  const auto product = [](const char* op) { return facts(op).product; };
  ASSERT_TRUE(product("aten.mm"));
  EXPECT_FALSE(product("aten.mm")->batched);
  ASSERT_TRUE(product("aten.bmm"));
  EXPECT_TRUE(product("aten.bmm")->batched);
  ASSERT_TRUE(product("aten.addmm"));
  EXPECT_EQ(product("aten.addmm")->first, 1u);
  EXPECT_EQ(product("aten.addmm")->added, 0u);
  EXPECT_EQ(product("aten.baddbmm")->added, 0u);
  for (const char* op : {"aten.mv", "aten.linear", "aten._scaled_mm", "aten.mul.Tensor",
                         "aten.addmv", "aten.addbmm", "aten.sum.default"})
    EXPECT_FALSE(product(op)) << op;
}

TEST(OperatorFacts, AProductOfATensorWithItselfHasTwoFactors) {
  Call call;
  const TensorRef x = call.graph.input("x", {3, 3});
  call.graph.call("y", "aten.mm.default", {x, x}, {3, 3});
  ASSERT_TRUE(product_of(call.node()));
  EXPECT_EQ(product_of(call.node())->first, 0u);
  call.graph.call("z", "aten.addmm.default", {x, x, x}, {3, 3});
  ASSERT_TRUE(product_of(call.node()));
  EXPECT_EQ(product_of(call.node())->first, 1u);
  EXPECT_EQ(product_of(call.node())->added, 0u);
}

TEST(OperatorFacts, PartsOfDimensionsAndNothingElse) {
  for (const char* op :
       {"aten.cat", "aten.slice.Tensor", "aten.split.Tensor", "aten.split_with_sizes", "aten.chunk",
        "aten.narrow", "aten.constant_pad_nd", "aten.slice_scatter", "aten.slice_backward",
        "hlo.slice", "hlo.concatenate", "hlo.pad", "hlo.dynamic-slice", "hlo.all-gather",
        "hlo.reduce-scatter", "_c10d_functional.all_gather_into_tensor",
        "_c10d_functional.reduce_scatter_tensor", "_c10d_functional.all_to_all_single"})
    EXPECT_TRUE(facts(op).by_parts) << op;
  for (const char* op : {"aten.mm", "aten.view", "aten.add.Tensor", "aten.gather",
                         "aten.sum.default", "_C.rotary_embedding"})
    EXPECT_FALSE(facts(op).by_parts) << op;
}

// An operator of the user's is as well known as PyTorch's.
TEST(OperatorFacts, ADeclarationOfTheUsersSaysAllOfIt) {
  OperatorTable table = OperatorTable::builtin();
  table.add_text(R"toml(
["user.up_proj"]
schema = 'x, weight, bias, gain=1'
returns = 'add(scale(einsum("m k, k n -> m n", cast(x, none), weight), gain), bias)'

["user.last_token"]
schema = 'x'
returns = 'select(x, 0, -1)'
)toml",
                 "user.toml");
  const OperatorFacts product = facts_of(*table.find("user.up_proj"));
  ASSERT_TRUE(product.product);
  EXPECT_EQ(product.product->second, 1u);
  EXPECT_EQ(product.product->added, 2u);
  EXPECT_EQ(product.product->multiplied, std::vector<size_t>{3});
  EXPECT_TRUE(product.rounds);
  EXPECT_FALSE(facts_of(*table.find("user.last_token")).rounds);
  EXPECT_EQ(describe(*table.find("user.up_proj")),
            "declared at: user.toml:2\n"
            "parameters: x, weight, bias, gain=1\n"
            "results: 1\n"
            "numbers: rounds\n"
            "random: no\n"
            "adds up: dimension -1 of x\n"
            "product of matrices: x by weight, and bias added; a float8 run rounds both factors\n"
            "memory: of its own\n");
}

}  // namespace
}  // namespace assay::test
