#include "dynamic_check/witness/find_witness.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "dynamic_check/witness/shrink_case.h"
#include "tests/dynamic/support/mlp.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/graph_builder.h"

namespace assay {
namespace {

TEST(Witness, ACorrectProgramHasNoWitness) {
  const test::Mlp mlp = test::make_mlp();
  const WitnessSearch result = find_witness(mlp.refinement, mlp.relations);
  EXPECT_EQ(result.why_not, "");
  EXPECT_FALSE(result.witness) << result.witness->tensor << " " << result.witness->error;
  EXPECT_GT(result.compared, 10);
}

TEST(Witness, AMissingReductionHasAWitness) {
  const test::Mlp mlp = test::make_mlp({.reduces = false});
  const WitnessSearch result = find_witness(mlp.refinement);
  ASSERT_TRUE(result.witness);
  EXPECT_EQ(result.witness->tensor, "y");
}

TEST(Witness, CollectivesThatDoNotMeetAreAWitness) {
  test::Mlp mlp = test::make_mlp();
  mlp.refinement.ranks[1] = test::make_mlp({.reduces = false}).refinement.ranks[1];
  const WitnessSearch result = find_witness(mlp.refinement);
  ASSERT_TRUE(result.witness);
  EXPECT_NE(result.witness->failure, "");
}

TEST(Witness, WithoutAnExpectationThereIsNothingToCompare) {
  test::Mlp mlp = test::make_mlp();
  mlp.refinement.expect.clear();
  EXPECT_NE(find_witness(mlp.refinement).why_not, "");
}

// The offset of the second vocabulary shard, one too small: only ids at the bound show it.
TEST(Witness, AVocabularyOffsetThatIsOffByOneHasAWitness) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  Case refinement = load_case(test::captured_graphs() / "qwen2-tp2");
  for (Node& node : refinement.ranks[1].nodes) {
    for (Arg& arg : node.args) {
      auto* integer = std::get_if<int64_t>(&arg.value);
      if (integer && *integer == 75968 && node.op == "aten.ge.Scalar") *integer -= 1;
    }
  }
  const WitnessSearch result = find_witness(refinement);
  EXPECT_EQ(result.why_not, "");
  EXPECT_TRUE(result.witness);
}

// Rows before those of the ids, of which 0 has none: h[ids - 1] counts from the end there, a select
// fails.
Case rows_before(int ranks_less) {
  test::CaseBuilder builder(1);
  const auto build = [](test::GraphBuilder& graph, const char* op, int less) {
    const test::TensorRef h = graph.input("h", {4, 3}),
                          ids = graph.input("ids", {2}, DType::kInt64);
    const test::TensorRef before =
        graph.call("before", "aten.sub.Tensor", {ids, less}, {2}, DType::kInt64);
    const bool list = std::string_view(op) == "aten.index.Tensor";
    graph.output("out", list ? graph.call("o", op, {h, std::vector<test::Argument>{before}}, {2, 3})
                             : graph.call("o", op, {h, 0, before}, {2, 3}));
  };
  build(builder.sequential(), "aten.index.Tensor", 1);
  build(builder.rank(0), "aten.index_select.default", ranks_less);
  builder.replicate("h");
  builder.replicate("ids");
  builder.expect("out", {"out@0"});
  return builder.build();
}

TEST(Witness, IndicesThatAreAssumedNotToComeAreNone) {
  const WitnessSearch right = find_witness(rows_before(1));
  EXPECT_EQ(right.why_not, "");
  EXPECT_FALSE(right.witness) << right.witness->failure;
  EXPECT_GT(right.compared, 0);
  EXPECT_TRUE(find_witness(rows_before(0)).witness);
}

// A token whose expert is none (3 of 3) reads row 0 of the table, and counts as 0: that the ranks
// forget it shows on such a token alone, and no table is indexed by its number as it is.
TEST(Witness, IdsThatAConditionKeepsFromTheirTableAreDrawnBeyondIt) {
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "ASSAY_SOURCE_DIR is not set";
  const auto cases = std::filesystem::path(root) / "tests/static_check/soundness";
  const WitnessSearch wrong = find_witness(load_case(cases / "conditional_index_dropped_token_x"));
  EXPECT_TRUE(wrong.witness) << wrong.why_not;
  const WitnessSearch right = find_witness(load_case(cases / "conditional_index_dropped_token"));
  EXPECT_FALSE(right.witness);
  EXPECT_GT(right.compared, wrong.compared);
}

// The sum of a thousand millions and a little, less the thousand millions: what is left has few
// digits, and ranks that add in another order find others.
WitnessSearch cancelling_sums(double added_by_rank_1) {
  test::CaseBuilder builder(2);
  const auto program = [](test::GraphBuilder& graph, int64_t tokens, double added) {
    const test::TensorRef x = graph.input("x", {tokens, 4});
    const test::TensorRef shifted =
        graph.call("shifted", "aten.add.Scalar", {x, added}, {tokens, 4});
    return graph.call("total", "aten.sum.dim_IntList", {shifted, {0}}, {4});
  };
  const auto rest = [](test::GraphBuilder& graph, test::TensorRef total) {
    graph.output(graph.call("y", "aten.sub.Scalar", {total, 12e9}, {4}));
  };
  rest(builder.sequential(), program(builder.sequential(), 12, 1e9));
  for (const int rank : {0, 1}) {
    test::GraphBuilder& graph = builder.rank(rank);
    const test::TensorRef own = program(graph, 6, rank == 1 ? added_by_rank_1 : 1e9);
    rest(graph, graph.call("sum", "_c10d_functional.all_reduce.default", {own, "sum", "tp"}, {4}));
  }
  builder.shard("x", 0);
  builder.expect("y", {"y@0", "y@1"});
  return find_witness(builder.build(), {}, {.seeds = {1, 2, 3, 4, 5, 6}, .reduce = false});
}

TEST(Witness, RoundingOfValuesThatCancelIsNoWitness) {
  const WitnessSearch right = cancelling_sums(1e9);
  EXPECT_EQ(right.why_not, "");
  EXPECT_FALSE(right.witness) << right.witness->error;
  EXPECT_TRUE(cancelling_sums(1e9 + 1e-3).witness);
}

// A proof takes integers as numbers, whatever types the ranks have them in.
TEST(Witness, ReadsIntegersOfSeveralTypesAsNumbers) {
  const auto run = [](int64_t added_by_rank_1) {
    test::CaseBuilder builder(2);
    test::GraphBuilder& whole = builder.sequential();
    whole.output(whole.call("y", "aten.add.Scalar", {whole.input("x", {4}, DType::kInt32), 1}, {4},
                            DType::kInt32));
    for (const int rank : {0, 1}) {
      test::GraphBuilder& graph = builder.rank(rank);
      const test::TensorRef x = graph.input("x", {2}, DType::kInt32);
      const DType dtype = rank == 0 ? DType::kInt32 : DType::kInt64;
      const test::TensorRef cast = graph.call("cast", "aten.to.dtype", {x, dtype}, {2}, dtype);
      graph.output(
          graph.call("y", "aten.add.Scalar", {cast, rank == 0 ? 1 : added_by_rank_1}, {2}, dtype));
    }
    builder.shard("x", 0);
    builder.expect("y", {"concat(y@0, y@1; dim=0)"});
    return find_witness(builder.build());
  };
  const WitnessSearch right = run(1);
  EXPECT_EQ(right.why_not, "");
  EXPECT_FALSE(right.witness);
  EXPECT_TRUE(run(2).witness);
}

// What is a view of memory in flight is what arrives there.
TEST(Witness, LooksAtViewsOfMemoryInFlightOnceItHasArrived) {
  const auto run = [](const char* tensor) {
    test::CaseBuilder builder(2);
    test::GraphBuilder& whole = builder.sequential();
    whole.output(whole.call("y", "aten.mul.Tensor", {whole.input("x", {4}), 2}, {4}));
    for (const int rank : {0, 1}) {
      test::GraphBuilder& graph = builder.rank(rank);
      const test::TensorRef memory =
          graph.call("memory", "aten.clone.default", {graph.input("x", {4})}, {4});
      const test::TensorRef flying =
          graph.call("flying", "_c10d_functional.all_reduce_.default", {memory, "sum", "tp"}, {4});
      graph.call("view", "aten.view.default", {memory, {4}}, {4});
      graph.output(graph.call("y", "_c10d_functional.wait_tensor.default", {flying}, {4}));
    }
    builder.replicate("x");
    builder.expect("y", {"y@0"});
    Relation claim{"y", {}, {}};
    claim.replicas.push_back(parse_clean_expr(tensor, {}));
    return find_witness(builder.build(), {claim});
  };
  const WitnessSearch right = run("view@0");
  EXPECT_EQ(right.why_not, "");
  EXPECT_FALSE(right.witness);
  EXPECT_TRUE(run("memory@0").witness);
}

// A sequential graph alone, of tensors of these shapes and one operator with these arguments.
Case case_of(const std::vector<Shape>& shapes, std::vector<int64_t> args) {
  Case refinement;
  for (const Shape& shape : shapes)
    refinement.sequential.tensors.push_back({"t", DType::kFloat32, shape});
  Node node;
  node.op = "aten.ge.Scalar";
  for (const int64_t arg : args) node.args.push_back(Arg{arg});
  refinement.sequential.nodes.push_back(node);
  return refinement;
}

int64_t argument(const Case& refinement, size_t position) {
  return std::get<int64_t>(refinement.sequential.nodes.at(0).args.at(position).value);
}

TEST(ReduceCase, SizesShrinkAndTheirNeighboursMultiplesAndDivisorsFollow) {
  const Case reduced =
      shrink_case(case_of({{256, 3}}, {255, 768, -256, 64, 511, -1, 7, INT64_MAX}), 4);
  EXPECT_EQ(reduced.sequential.tensors[0].shape, (Shape{4, 3}));
  EXPECT_EQ(argument(reduced, 0), 3);
  EXPECT_EQ(argument(reduced, 1), 12);
  EXPECT_EQ(argument(reduced, 2), -4);
  EXPECT_EQ(argument(reduced, 3), 1);
  EXPECT_EQ(argument(reduced, 4), 7);
  EXPECT_EQ(argument(reduced, 5), -1);
  EXPECT_EQ(argument(reduced, 6), 7);
  EXPECT_EQ(argument(reduced, 7), INT64_MAX);
}

TEST(ReduceCase, NothingThatShrinksGetsSmallerThanTheLeastSize) {
  EXPECT_EQ(shrink_case(case_of({{256, 48}}, {}), 16).sequential.tensors[0].shape, (Shape{16, 24}));
}

// 768 columns as 24 heads of 32: the product of what they become is what 768 becomes.
TEST(ReduceCase, TheSizesOfAViewKeepItsProduct) {
  Case refinement = case_of({{8, 768}, {8, 24, 32}}, {});
  Node& view = refinement.sequential.nodes[0];
  view.op = "aten.view.default";
  view.args = {Arg{TensorArg{0}},
               Arg{ArgList{Arg{int64_t{8}}, Arg{int64_t{24}}, Arg{int64_t{32}}}}};
  view.outputs = {1};
  const Case reduced = shrink_case(refinement, 4);
  const Shape& flat = reduced.sequential.tensors[0].shape;
  const Shape& heads = reduced.sequential.tensors[1].shape;
  EXPECT_LT(flat[1], 768);
  EXPECT_EQ(flat[1], heads[1] * heads[2]);
}

// 96 = 64 + 32.
TEST(ReduceCase, PartsShrinkAsTheWholeDoes) {
  Case refinement = case_of({{96}, {64}, {32}, {1024}}, {});
  Node& cat = refinement.sequential.nodes[0];
  cat.op = "aten.cat.default";
  cat.args = {Arg{ArgList{Arg{TensorArg{1}}, Arg{TensorArg{2}}}}};
  cat.outputs = {0};
  const Case reduced = shrink_case(refinement, 4);
  const std::vector<Tensor>& tensors = reduced.sequential.tensors;
  EXPECT_EQ(tensors[0].shape[0], tensors[1].shape[0] + tensors[2].shape[0]);
  EXPECT_LT(tensors[0].shape[0], 96);
}

TEST(ReduceCase, AnArgumentThatFitsNoSizeIsRefused) {
  EXPECT_THROW(shrink_case(case_of({{256}}, {100}), 4), UserError);
}

int64_t elements_of(const Graph& graph) {
  int64_t sum = 0;
  for (const Tensor& tensor : graph.tensors) {
    int64_t elements = 1;
    for (const int64_t size : tensor.shape) elements *= size;
    sum += elements;
  }
  return sum;
}

class CapturedModel : public testing::TestWithParam<const char*> {};

// Heads and sizes of which several are products of others: the smaller case runs.
TEST_P(CapturedModel, RunsAtReducedSizesAndHasNoWitness) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case whole = load_case(test::captured_graphs() / GetParam());
  EXPECT_LT(elements_of(shrink_case(whole).sequential), elements_of(whole.sequential));
  WitnessOptions once;
  once.seeds = {1};
  const WitnessSearch result = find_witness(whole, {}, once);
  EXPECT_EQ(result.why_not, "");
  EXPECT_GT(result.compared, 0);
  EXPECT_FALSE(result.witness) << result.witness->tensor << " differs by " << result.witness->error;
}

INSTANTIATE_TEST_SUITE_P(Right, CapturedModel,
                         testing::Values("qwen2-tp2", "gpt-tp2-l1", "llama3-tp2-l1"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace assay
