// Proof by evaluation in finite fields: identities of ordinary algebra that no lemma says are
// proved, and programs that differ in one place are not. Every proof is evaluated a second time by
// the checker's own algebra (prove.h replays it).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

TensorRef relu(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("relu.default", {x});
}

Formula where_above(double threshold) {
  return [threshold](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef above = call("gt.Scalar", {x, threshold}, DType::kBool);
    return call("where.self", {above, x, call("zeros_like.default", {x})});
  };
}

TEST(Identity, ReluIsACondition) {
  EXPECT_TRUE(proves(formulas(relu, where_above(0))));
  EXPECT_FALSE(proves(formulas(relu, where_above(0.001))));
}

Formula gelu_by_erf(double scale) {
  return [scale](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef erf = call("erf.default", {call("mul.Scalar", {x, scale})});
    return call("mul.Tensor", {call("mul.Scalar", {x, 0.5}), call("add.Scalar", {erf, 1})});
  };
}

TensorRef gelu(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("gelu.default", {x});
}

TEST(Identity, GeluIsItsDefinitionWithTheNearestNumberToAnIrrationalOne) {
  const StaticResult result = prove(formulas(gelu, gelu_by_erf(0.7071067811865476)));
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_TRUE(result.report.outputs[0].by_evaluation);
  EXPECT_THAT(result.report.assumptions,
              testing::Contains(testing::HasSubstr("is read as sqrt(1/2)")));
  EXPECT_FALSE(proves(formulas(gelu, gelu_by_erf(0.7071))));
}

TEST(Identity, IsNoProofWhereDerivationsAloneAreAccepted) {
  Case refinement = formulas(gelu, gelu_by_erf(0.7071067811865476));
  refinement.exact = true;
  EXPECT_FALSE(proves(refinement));
}

Formula rms_norm_by_definition(double eps) {
  return [eps](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph), row(graph, {4, 1});
    const TensorRef squares = call("mul.Tensor", {x, x});
    const TensorRef mean = graph.call("mean", "aten.mean.dim", {squares, {-1}, true}, {4, 1});
    const TensorRef scale =
        graph.call("scale", "aten.rsqrt.default",
                   {graph.call("sum", "aten.add.Scalar", {mean, eps}, {4, 1})}, {4, 1});
    return call("mul.Tensor", {x, scale});
  };
}

TensorRef rms_norm(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("rms_norm.default", {x, {6}, NoArg{}, 1e-5});
}

TEST(Identity, RmsNormIsItsDefinition) {
  EXPECT_TRUE(proves(formulas(rms_norm, rms_norm_by_definition(1e-5))));
  EXPECT_FALSE(proves(formulas(rms_norm, rms_norm_by_definition(1e-6))));
}

TEST(Identity, TheRootOfASquareIsNotTheNumber) {
  const auto root_of_square = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    return call("sqrt.default", {call("mul.Tensor", {x, x})});
  };
  const auto itself = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    return Calls(graph)("clone.default", {x});
  };
  const auto magnitude = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    return Calls(graph)("abs.default", {x});
  };
  EXPECT_FALSE(proves(formulas(root_of_square, itself)));
  EXPECT_FALSE(proves(formulas(magnitude, itself)));
}

/// The greater of x + c and y + d.
Formula maximum_of_shifted(double c, double d) {
  return [c, d](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Calls call(graph);
    return call("maximum.default", {call("add.Scalar", {x, c}), call("add.Scalar", {y, d})});
  };
}

TEST(Identity, WhatAllElementsOfAMaximumHaveInCommonComesOut) {
  const auto outside = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Calls call(graph);
    return call("add.Scalar", {call("maximum.default", {y, x}), 2.0});
  };
  EXPECT_TRUE(proves(formulas(maximum_of_shifted(2, 2), outside)));
  EXPECT_FALSE(proves(formulas(maximum_of_shifted(2, 3), outside)));
}

TEST(Identity, AConditionalChoiceOfTheGreaterIsTheMaximum) {
  const auto greater = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    return Calls(graph)("maximum.default", {x, y});
  };
  const auto chosen = [](const char* comparison) -> Formula {
    return [comparison](GraphBuilder& graph, TensorRef x, TensorRef y) {
      Calls call(graph);
      return call("where.self", {call(comparison, {x, y}, DType::kBool), x, y});
    };
  };
  EXPECT_TRUE(proves(formulas(greater, chosen("gt.Tensor"))));
  EXPECT_TRUE(proves(formulas(greater, chosen("ge.Tensor"))));
  EXPECT_FALSE(proves(formulas(greater, chosen("lt.Tensor"))));
}

TEST(Identity, TanhIsMadeOfASigmoid) {
  const auto tanh = [](GraphBuilder& graph, TensorRef x, TensorRef) {
    return Calls(graph)("tanh.default", {x});
  };
  const auto by_sigmoid = [](double scale) -> Formula {
    return [scale](GraphBuilder& graph, TensorRef x, TensorRef) {
      Calls call(graph);
      const TensorRef sigmoid = call("sigmoid.default", {call("mul.Scalar", {x, scale})});
      return call("sub.Scalar", {call("mul.Scalar", {sigmoid, 2.0}), 1.0});
    };
  };
  EXPECT_TRUE(proves(formulas(tanh, by_sigmoid(2))));
  EXPECT_FALSE(proves(formulas(tanh, by_sigmoid(1))));
}

/// (x + y) w, and x w + `times` y w.
TEST(Identity, ProductsDistribute) {
  const auto build = [](double times) {
    CaseBuilder builder(1);
    const auto inputs = [](GraphBuilder& graph) {
      return std::vector{graph.input("x", {4, 6}), graph.input("y", {4, 6}),
                         graph.input("w", {6, 3})};
    };
    GraphBuilder& whole = builder.sequential();
    const auto a = inputs(whole);
    whole.output("out", whole.call("p", "aten.mm.default",
                                   {whole.call("s", "aten.add.Tensor", {a[0], a[1]}, {4, 6}), a[2]},
                                   {4, 3}));
    GraphBuilder& rank = builder.rank(0);
    const auto b = inputs(rank);
    const TensorRef left = rank.call("l", "aten.mm.default", {b[0], b[2]}, {4, 3});
    const TensorRef right = rank.call("r", "aten.mm.default", {b[1], b[2]}, {4, 3});
    const TensorRef scaled = rank.call("m", "aten.mul.Scalar", {right, times}, {4, 3});
    rank.output("out", rank.call("s", "aten.add.Tensor", {left, scaled}, {4, 3}));
    for (const char* name : {"x", "y", "w"}) builder.replicate(name);
    builder.expect("out", {"out@0"});
    return builder.build();
  };
  EXPECT_TRUE(proves(build(1)));
  EXPECT_FALSE(proves(build(1.001)));
}

// By cases: identities that hold piece by piece, of products, roots and exponentials of what is
// decided differently from place to place.

Formula of_relu(const std::string& op, double factor) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef positive = call("relu.default", {x});
    return op == "pow" ? call("pow.Tensor_Scalar", {positive, 2})
                       : call("mul.Scalar", {call("mul.Tensor", {x, positive}), factor});
  };
}

TEST(Identity, ProductsOfExtremaAreDecidedByCases) {
  EXPECT_TRUE(proves(formulas(of_relu("pow", 1), of_relu("mul", 1))));
  EXPECT_FALSE(proves(formulas(of_relu("pow", 1), of_relu("mul", 1.001))));
}

Formula softplus(bool stable, double sign) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    if (!stable) return call("log1p.default", {call("exp.default", {x})});
    const TensorRef distance = call("mul.Scalar", {call("abs.default", {x}), sign});
    const TensorRef rest = call("log1p.default", {call("exp.default", {distance})});
    return call("add.Tensor", {call("relu.default", {x}), rest});
  };
}

TEST(Identity, SoftplusIsItsStableForm) {
  EXPECT_TRUE(proves(formulas(softplus(false, 0), softplus(true, -1))));
  EXPECT_FALSE(proves(formulas(softplus(false, 0), softplus(true, 1))));
}

TensorRef up_to_six(GraphBuilder& graph, TensorRef x, TensorRef) {
  return Calls(graph)("clamp.default", {x, 0, 6});
}

Formula two_ramps(double second) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef beyond = call("relu.default", {call("sub.Scalar", {x, second})});
    return call("sub.Tensor", {call("relu.default", {x}), beyond});
  };
}

TEST(Identity, ComparisonsWithConstantsKnowOfEachOther) {
  EXPECT_TRUE(proves(formulas(up_to_six, two_ramps(6))));
  EXPECT_FALSE(proves(formulas(up_to_six, two_ramps(5))));
}

/// A comparison times the square of relu, which only a tie tells apart.
Formula above(const std::string& comparison) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef flag = call(comparison + ".Scalar", {x, 1}, DType::kBool);
    const TensorRef square = call("pow.Tensor_Scalar", {call("relu.default", {x}), 2});
    return call("where.self", {flag, square, call("mul.Scalar", {square, 2})});
  };
}

Formula above_by_product(const std::string& comparison) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Calls call(graph);
    const TensorRef flag = call(comparison + ".Scalar", {x, 1}, DType::kBool);
    const TensorRef square = call("mul.Tensor", {x, call("relu.default", {x})});
    return call("where.self", {flag, square, call("mul.Scalar", {square, 2})});
  };
}

TEST(Identity, TiesTellComparisonsApart) {
  EXPECT_TRUE(proves(formulas(above("gt"), above_by_product("gt"))));
  EXPECT_FALSE(proves(formulas(above("gt"), above_by_product("ge"))));
}

Formula where_y_is_positive(const Formula& formula) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    const TensorRef flag = graph.call("flag", "aten.gt.Scalar", {y, 0}, {4, 6}, DType::kBool);
    const TensorRef kept = formula(graph, x, y);
    const TensorRef most = graph.call("most", "aten.full_like.default",
                                      {x, std::numeric_limits<double>::infinity()}, {4, 6});
    return graph.call("chosen", "aten.where.self", {flag, kept, most}, {4, 6});
  };
}

/// Infinities under a condition are no numbers, but in each case.
TEST(Identity, WhatConstantsAreReadAsIsListedWhereOnlyCasesAreDecided) {
  const StaticResult result =
      prove(formulas(where_y_is_positive(gelu), where_y_is_positive(gelu_by_erf(std::sqrt(0.5)))));
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_THAT(result.report.trusted,
              testing::Contains(testing::HasSubstr("identity test by cases")));
  EXPECT_THAT(result.report.assumptions,
              testing::Contains(testing::HasSubstr("is read as sqrt(1/2)")));
}

/// y, or 2 y where all elements of the first row of x are positive, one case in 2^24 of all.
Formula unless_all(int times) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Calls call(graph);
    const TensorRef flag = call("gt.Scalar", {x, 0}, DType::kBool);
    const TensorRef all = graph.call("all", "aten.all.default", {flag}, {}, DType::kBool);
    return call("where.self", {all, call("mul.Scalar", {y, times}), y});
  };
}

TEST(Identity, WhatFewCasesShowIsNotProved) {
  EXPECT_FALSE(proves(formulas(unless_all(1), unless_all(2))));
}

/// Products of signs of x y and of x, y apart; a multiple of a sum has its sign.
Formula distance(double factor, bool apart) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Calls call(graph);
    if (!apart) return call("mul.Scalar", {call("abs.default", {call("add.Tensor", {x, y})}), 67});
    const TensorRef left = call("mul.Scalar", {x, 67}), right = call("mul.Scalar", {y, factor});
    return call("abs.default", {call("add.Tensor", {left, right})});
  };
}

TEST(Identity, AMultipleOfASumHasItsSign) {
  EXPECT_TRUE(proves(formulas(distance(67, false), distance(67, true))));
  EXPECT_FALSE(proves(formulas(distance(67, false), distance(-67, true))));
}

/// A row of a table, and the product of the table with a one-hot of the index.
TEST(Identity, AnIndexIsOneRowOfItsTable) {
  const auto build = [](int first) {
    CaseBuilder builder(1);
    GraphBuilder& whole = builder.sequential();
    const TensorRef table = whole.input("table", {5, 6});
    whole.output("out", whole.call("e", "aten.embedding.default",
                                   {table, whole.input("ids", {3}, DType::kInt64)}, {3, 6}));
    GraphBuilder& rank = builder.rank(0);
    const TensorRef own = rank.input("table", {5, 6});
    const TensorRef ids = rank.input("ids", {3}, DType::kInt64);
    const TensorRef column =
        rank.call("u", "aten.unsqueeze.default", {ids, 1}, {3, 1}, DType::kInt64);
    const TensorRef rows =
        rank.call("a", "aten.arange.start", {first, first + 5}, {5}, DType::kInt64);
    const TensorRef same = rank.call("q", "aten.eq.Tensor", {column, rows}, {3, 5}, DType::kBool);
    const TensorRef numbers = rank.call("c", "aten._to_copy.default", {same}, {3, 5});
    rank.keyword("dtype", DType::kFloat32);
    rank.output("out", rank.call("m", "aten.mm.default", {numbers, own}, {3, 6}));
    builder.replicate("table");
    builder.replicate("ids");
    builder.expect("out", {"out@0"});
    return builder.build();
  };
  EXPECT_TRUE(proves(build(0)));
  EXPECT_FALSE(proves(build(1)));
}

}  // namespace
}  // namespace assay::test
