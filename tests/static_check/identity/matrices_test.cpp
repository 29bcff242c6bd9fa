// Proof by evaluation of functions of whole matrices: x and y are square.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kSize = 3;

TensorRef matrix(GraphBuilder& graph, const std::string& name, const std::string& op,
                 std::vector<Argument> arguments) {
  return graph.call(name, "aten." + op, std::move(arguments), {kSize, kSize}, DType::kFloat32);
}

TensorRef times(GraphBuilder& graph, const std::string& name, TensorRef a, TensorRef b) {
  return matrix(graph, name, "mm.default", {a, b});
}

TensorRef solution(GraphBuilder& graph, const std::string& name, TensorRef a, TensorRef b) {
  return graph.call_many(name, "aten._linalg_solve_ex.default", {a, b},
                         {{{kSize, kSize}, DType::kFloat32}})[0];
}

TensorRef inverse(GraphBuilder& graph, const std::string& name, TensorRef a) {
  return graph.call_many(name, "aten.linalg_inv_ex.default", {a},
                         {{{kSize, kSize}, DType::kFloat32}})[0];
}

testing::AssertionResult equal_matrices(const Formula& a, const Formula& b) {
  const Shape square{kSize, kSize};
  return proves(formulas(a, b, {"x", square}, {"y", square}));
}

TEST(Matrices, ASolutionTimesTheMatrixIsTheRightSide) {
  const auto back = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    return times(graph, "back", x, solution(graph, "solution", x, y));
  };
  const auto turned = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    const TensorRef t = matrix(graph, "t", "t.default", {x});
    return times(graph, "back", t, solution(graph, "solution", x, y));
  };
  const auto right = [](GraphBuilder& graph, TensorRef, TensorRef y) {
    return matrix(graph, "same", "mul.Scalar", {y, 1.0});
  };
  EXPECT_TRUE(equal_matrices(back, right));
  EXPECT_FALSE(equal_matrices(turned, right));
}

TEST(Matrices, TheInverseOfAProductIsThatOfTheFactorsTurnedAround) {
  const auto of_product = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    return inverse(graph, "inverse", times(graph, "product", x, y));
  };
  const auto of_factors = [](bool turned) {
    return [turned](GraphBuilder& graph, TensorRef x, TensorRef y) {
      const TensorRef a = inverse(graph, "a", x), b = inverse(graph, "b", y);
      return turned ? times(graph, "product", b, a) : times(graph, "product", a, b);
    };
  };
  EXPECT_TRUE(equal_matrices(of_product, of_factors(true)));
  EXPECT_FALSE(equal_matrices(of_product, of_factors(false)));
}

// Of a triangle the other half is not read.
TEST(Matrices, ATriangularSystemIsOneOfTheTriangle) {
  const auto triangle = [](bool upper) {
    return [upper](GraphBuilder& graph, TensorRef x, TensorRef y) {
      const TensorRef result = matrix(graph, "solution", "linalg_solve_triangular.default", {x, y});
      graph.keyword("upper", upper);
      return result;
    };
  };
  const auto whole = [](GraphBuilder& graph, TensorRef x, TensorRef y) {
    return solution(graph, "solution", matrix(graph, "lower", "tril.default", {x}), y);
  };
  EXPECT_TRUE(equal_matrices(triangle(false), whole));
  EXPECT_FALSE(equal_matrices(triangle(true), whole));
}

TEST(Matrices, TheDeterminantOfAProductIsThatOfItsFactors) {
  const auto det = [](GraphBuilder& graph, const std::string& name, TensorRef a) {
    return graph.call_many(name, "aten._linalg_det.default", {a}, {{{}, DType::kFloat32}})[0];
  };
  const auto of_product = [&](GraphBuilder& graph, TensorRef x, TensorRef y) {
    return det(graph, "det", times(graph, "product", x, y));
  };
  const auto of_factors = [&](const std::string& op) {
    return [&det, op](GraphBuilder& graph, TensorRef x, TensorRef y) {
      return graph.call("out", "aten." + op, {det(graph, "a", x), det(graph, "b", y)}, {},
                        DType::kFloat32);
    };
  };
  EXPECT_TRUE(equal_matrices(of_product, of_factors("mul.Tensor")));
  EXPECT_FALSE(equal_matrices(of_product, of_factors("add.Tensor")));
}

}  // namespace
}  // namespace assay::test
