// Equations by cases: what is continuous, or discrete, but no identity of plain algebra. Each is
// checked by the checker's own evaluation alone, beside a twin that differs somewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "shared_ir/lower/lower.h"
#include "static_check/checker/identity/identity.h"
#include "tests/checker/hand_proof.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

/// An operator's first result, named in turn.
class Calls {
 public:
  explicit Calls(GraphBuilder& graph) : graph_(graph) {}

  TensorRef operator()(const std::string& op, std::vector<Argument> arguments, Shape shape = {2, 3},
                       DType dtype = DType::kFloat32) {
    return graph_.call("n" + std::to_string(count_++), "aten." + op, std::move(arguments),
                       std::move(shape), dtype);
  }
  TensorRef flag(const std::string& op, std::vector<Argument> arguments, Shape shape = {2, 3}) {
    return (*this)(op, std::move(arguments), std::move(shape), DType::kBool);
  }
  TensorRef input(const std::string& name, Shape shape = {2, 3}, DType dtype = DType::kFloat32) {
    return graph_.input(name, std::move(shape), dtype);
  }
  GraphBuilder& graph() { return graph_; }

 private:
  GraphBuilder& graph_;
  int count_ = 0;
};

using Formula = std::function<TensorRef(Calls&)>;

std::vector<Value> input_claims(const Graph& graph, const CoreProgram& program, Universe& universe,
                                std::map<std::string, AtomId>& atoms) {
  std::vector<Value> claims(program.ops.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    const CoreOp& op = program.ops[i];
    if (op.prim != Prim::kInput) continue;
    const std::string& name = graph.tensors[static_cast<size_t>(op.tensor)].name;
    std::vector<int64_t> strides(op.shape.size(), 1);
    int64_t size = 1;
    for (size_t d = op.shape.size(); d-- > 0; size *= op.shape[d]) strides[d] = size;
    if (!atoms.contains(name)) {
      atoms[name] = static_cast<AtomId>(universe.atoms.size());
      Atom atom;
      atom.size = size;
      atom.dtype = op.dtype;
      atom.tensor = op.tensor;
      universe.atoms.push_back(atom);
    }
    claims[i] = claim(op.shape, {view(atoms[name], op.shape, strides)});
  }
  return claims;
}

/// Whether the checker takes both formulas of equally named inputs for one function.
testing::AssertionResult are_equal(const Formula& one, const Formula& other) {
  CaseBuilder builder(1);
  for (const bool sequential : {true, false}) {
    GraphBuilder& graph = sequential ? builder.sequential() : builder.rank(0);
    Calls calls(graph);
    graph.output("out", (sequential ? one : other)(calls));
  }
  builder.expect("out", {"out@0"});
  const Case refinement = builder.build();
  const OperatorTable operators = OperatorTable::builtin();
  const CoreProgram sequential =
      lower(refinement.sequential, refinement.sequential_groups, 0, operators);
  const std::vector<CoreProgram> ranks{
      lower(refinement.ranks[0], refinement.distributed_groups, 0, operators)};
  Certificate certificate;
  std::map<std::string, AtomId> atoms;
  certificate.sequential =
      input_claims(refinement.sequential, sequential, certificate.universe, atoms);
  certificate.ranks = {input_claims(refinement.ranks[0], ranks[0], certificate.universe, atoms)};
  const checker::LinearIn none;
  const checker::Facts facts(certificate.universe, refinement.sequential, none);
  const checker::Joint joint{refinement, sequential, ranks, certificate, facts, {}, {}, 0, 0};
  checker::IdentityCheck check(joint);
  try {
    check.check("out", parse_clean_expr("out@0", {}), parse_clean_expr("out@0", {}));
    return testing::AssertionSuccess();
  } catch (const checker::Rejection& rejection) {
    return testing::AssertionFailure() << rejection.reason;
  }
}

Formula of_x(const std::function<TensorRef(Calls&, TensorRef)>& formula) {
  return [formula](Calls& call) { return formula(call, call.input("x")); };
}

TensorRef relu(Calls& call, TensorRef x) { return call("relu.default", {x}); }

TEST(Cases, TheSquareOfAPositivePart) {
  const Formula square = of_x([](Calls& call, TensorRef x) {
    const TensorRef y = relu(call, x);
    return call("mul.Tensor", {y, y});
  });
  EXPECT_TRUE(are_equal(square, of_x([](Calls& call, TensorRef x) {
                          return call("mul.Tensor", {x, relu(call, x)});
                        })));
  EXPECT_FALSE(
      are_equal(square, of_x([](Calls& call, TensorRef x) { return call("mul.Tensor", {x, x}); })));
}

Formula magnitude_times_magnitude() {
  return of_x([](Calls& call, TensorRef x) {
    const TensorRef y = call("abs.default", {x});
    return call("mul.Tensor", {y, y});
  });
}

TEST(Cases, TheSquareOfAMagnitude) {
  EXPECT_TRUE(are_equal(magnitude_times_magnitude(),
                        of_x([](Calls& call, TensorRef x) { return call("mul.Tensor", {x, x}); })));
  EXPECT_FALSE(are_equal(magnitude_times_magnitude(), of_x([](Calls& call, TensorRef x) {
                           return call("mul.Tensor", {x, call("abs.default", {x})});
                         })));
}

Formula clamped(double low, double high) {
  return of_x([=](Calls& call, TensorRef x) { return call("clamp.default", {x, low, high}); });
}

Formula difference_of_positive_parts(double high) {
  return of_x([=](Calls& call, TensorRef x) {
    return call("sub.Tensor", {relu(call, x), relu(call, call("sub.Scalar", {x, high}))});
  });
}

TEST(Cases, AClampIsADifferenceOfPositiveParts) {
  EXPECT_TRUE(are_equal(clamped(0, 6), difference_of_positive_parts(6)));
  EXPECT_FALSE(are_equal(clamped(0, 6), difference_of_positive_parts(5)));
  EXPECT_FALSE(are_equal(clamped(-1, 6), difference_of_positive_parts(6)));
}

Formula stable_softplus(double sign) {
  return of_x([=](Calls& call, TensorRef x) {
    const TensorRef size = call("mul.Scalar", {call("abs.default", {x}), sign});
    return call("add.Tensor",
                {relu(call, x), call("log1p.default", {call("exp.default", {size})})});
  });
}

TEST(Cases, SoftplusWithoutOverflow) {
  const Formula plain = of_x([](Calls& call, TensorRef x) {
    return call("log.default", {call("add.Scalar", {call("exp.default", {x}), 1})});
  });
  EXPECT_TRUE(are_equal(stable_softplus(-1), plain));
  EXPECT_FALSE(are_equal(stable_softplus(1), plain));
}

TEST(Cases, TheRootOfASquareIsTheMagnitude) {
  const Formula root = of_x(
      [](Calls& call, TensorRef x) { return call("sqrt.default", {call("mul.Tensor", {x, x})}); });
  EXPECT_TRUE(
      are_equal(root, of_x([](Calls& call, TensorRef x) { return call("abs.default", {x}); })));
  EXPECT_FALSE(
      are_equal(root, of_x([](Calls& call, TensorRef x) { return call("clone.default", {x}); })));
}

/// Where `comparison`, f(x), and elsewhere g(x).
Formula chosen(const char* comparison, double threshold, const char* yes, const char* no) {
  return of_x([=](Calls& call, TensorRef x) {
    return call("where.self",
                {call.flag(comparison, {x, threshold}), call(yes, {x}), call(no, {x})});
  });
}

TEST(Cases, AComparisonIsAnotherOneWhereBothAreEqual) {
  const Formula strictly = chosen("gt.Scalar", 0, "exp.default", "sin.default");
  EXPECT_FALSE(are_equal(strictly, chosen("ge.Scalar", 0, "exp.default", "sin.default")));
  EXPECT_TRUE(are_equal(strictly, chosen("le.Scalar", 0, "sin.default", "exp.default")));
  EXPECT_FALSE(are_equal(strictly, chosen("gt.Scalar", 0.001, "exp.default", "sin.default")));
  // Both branches agree there.
  EXPECT_TRUE(are_equal(chosen("gt.Scalar", 0, "sin.default", "tan.default"),
                        chosen("ge.Scalar", 0, "sin.default", "tan.default")));
  EXPECT_FALSE(are_equal(chosen("gt.Scalar", 1, "sin.default", "tan.default"),
                         chosen("ge.Scalar", 1, "sin.default", "tan.default")));
}

/// Of a product, which is no input itself.
TEST(Cases, AComparisonOfWhatIsComputed) {
  const auto compared = [](const char* comparison) -> Formula {
    return of_x([=](Calls& call, TensorRef x) {
      const TensorRef product = call("mul.Tensor", {x, call("sin.default", {x})});
      return call("where.self", {call.flag(comparison, {product, 2}), x, product});
    });
  };
  EXPECT_FALSE(are_equal(compared("gt.Scalar"), compared("ge.Scalar")));
}

Formula of_greatest(bool by_place) {
  return of_x([=](Calls& call, TensorRef x) {
    TensorRef flags{};
    if (by_place) {
      const TensorRef place = call("argmax.default", {x, 1, true}, {2, 1}, DType::kInt64);
      const TensorRef places = call("arange.default", {3}, {3}, DType::kInt64);
      flags = call.flag("eq.Tensor", {places, place});
    } else {
      flags = call.flag("eq.Tensor", {x, call("amax.default", {x, {1}, true}, {2, 1})});
    }
    return call("where.self", {flags, x, call("sin.default", {x})});
  });
}

TEST(Cases, TheGreatestElementsAreSeveral) {
  EXPECT_FALSE(are_equal(of_greatest(false), of_greatest(true)));
  EXPECT_TRUE(are_equal(of_greatest(true), of_greatest(true)));
}

Formula masked_softmax(bool by_infinity, double floor) {
  return [=](Calls& call) {
    const TensorRef x = call.input("x"), mask = call.input("mask", {2, 3}, DType::kBool);
    if (by_infinity) {
      const TensorRef hidden = call("masked_fill.Scalar", {x, mask, -HUGE_VAL});
      return call("softmax.int", {hidden, 1});
    }
    const TensorRef weights = call("softmax.int", {x, 1});
    const TensorRef kept = call("masked_fill.Scalar", {weights, mask, floor});
    return call("div.Tensor", {kept, call("sum.dim_IntList", {kept, {1}, true}, {2, 1})});
  };
}

TEST(Cases, AMaskOfASoftmax) {
  EXPECT_TRUE(are_equal(masked_softmax(true, 0), masked_softmax(false, 0)));
  EXPECT_FALSE(are_equal(masked_softmax(true, 0), masked_softmax(false, 0.01)));
}

/// A row of which all is hidden is one in 2^12 cases; a softmax of nothing is not 0.
TEST(Cases, AMaskOfAllOfARow) {
  const auto mean_of_kept = [](double floor) -> Formula {
    return [=](Calls& call) {
      const TensorRef x = call.input("x", {1, 12});
      const TensorRef mask = call.input("mask", {1, 12}, DType::kBool);
      const TensorRef kept = call("masked_fill.Scalar", {x, mask, 0.0}, {1, 12});
      const TensorRef all = call.flag("all.dim", {mask, 1, true}, {1, 1});
      return call("masked_fill.Scalar", {kept, all, floor}, {1, 12});
    };
  };
  EXPECT_FALSE(are_equal(mean_of_kept(0), mean_of_kept(1)));
}

/// Rows of a table, and those of its halves, which are 0 where the index is in the other half.
Formula rows_of_halves(int64_t half) {
  return [=](Calls& call) {
    const TensorRef table = call.input("table", {8, 3});
    const TensorRef ids = call.input("ids", {4}, DType::kInt64);
    std::vector<TensorRef> parts;
    for (const int64_t start : {int64_t{0}, half}) {
      const TensorRef own = call("slice.Tensor", {table, 0, start, start + 4}, {4, 3});
      const TensorRef place = call("sub.Scalar", {ids, start}, {4}, DType::kInt64);
      const TensorRef inside = call("clamp.default", {place, 0, 3}, {4}, DType::kInt64);
      const TensorRef row = call("embedding.default", {own, inside}, {4, 3});
      const TensorRef fits = call.flag("eq.Tensor", {place, inside}, {4});
      const TensorRef column = call.flag("unsqueeze.default", {fits, 1}, {4, 1});
      parts.push_back(call("where.ScalarOther", {column, row, 0.0}, {4, 3}));
    }
    return call("add.Tensor", {parts[0], parts[1]}, {4, 3});
  };
}

TEST(Cases, AnIndexOfTwoHalvesOfATable) {
  const Formula whole = [](Calls& call) {
    const TensorRef table = call.input("table", {8, 3});
    return call("embedding.default", {table, call.input("ids", {4}, DType::kInt64)}, {4, 3});
  };
  EXPECT_TRUE(are_equal(whole, rows_of_halves(4)));
  EXPECT_FALSE(are_equal(whole, rows_of_halves(3)));
}

/// -sum p log p, and log s - sum p x, of p = softmax(x).
TEST(Cases, LogarithmsHaveCoefficients) {
  const auto entropy = [](const char* logarithm, double scale) -> Formula {
    return of_x([=](Calls& call, TensorRef x) {
      const TensorRef p = call("softmax.int", {x, 1});
      TensorRef log{};
      if (std::string(logarithm) == "log.default")
        log = call("log.default", {p});
      else
        log = call("log_softmax.int", {call("mul.Scalar", {x, scale}), 1});
      return call("sum.dim_IntList", {call("mul.Tensor", {p, log}), {1}}, {2});
    });
  };
  EXPECT_TRUE(are_equal(entropy("log.default", 1), entropy("log_softmax.int", 1)));
  EXPECT_FALSE(are_equal(entropy("log.default", 1), entropy("log_softmax.int", 2)));
}

TEST(Cases, APowerOfTwo) {
  const auto power = [](double base) -> Formula {
    return of_x([=](Calls& call, TensorRef x) { return call("pow.Scalar", {base, x}); });
  };
  const Formula exp2 = of_x([](Calls& call, TensorRef x) { return call("exp2.default", {x}); });
  EXPECT_TRUE(are_equal(power(2), exp2));
  EXPECT_FALSE(are_equal(power(3), exp2));
}

/// Multiples do not change whether a number is positive, also where they are no squares modulo p.
TEST(Cases, MultiplesHaveTheSameSign) {
  const auto nested = [](double times, double result) -> Formula {
    return [=](Calls& call) {
      const TensorRef x = call.input("x"), y = call.input("y");
      const TensorRef sum = call("add.Tensor", {x, y});
      const TensorRef other =
          call("add.Tensor", {call("mul.Scalar", {x, times}), call("mul.Scalar", {y, times})});
      const TensorRef both = call.flag("logical_and.default", {call.flag("gt.Scalar", {sum, 0}),
                                                               call.flag("gt.Scalar", {other, 0})});
      return call("where.ScalarSelf", {both, result, x});
    };
  };
  for (const double times : {3.0, 59.0, 61.0, 67.0, 71.0, 73.0}) {
    EXPECT_FALSE(are_equal(nested(times, 1), nested(times, 2))) << times;
    EXPECT_TRUE(are_equal(nested(times, 1), nested(1, 1))) << times;
  }
}

}  // namespace
}  // namespace assay::test
