// Partial functions: what a proof takes to be defined is listed where it is left out, and refused
// where it never is.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "shared_ir/base/error.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

using Builds = std::function<void(GraphBuilder&)>;

TensorRef log_of(GraphBuilder& g, TensorRef x) {
  return g.call("log_" + g.name_of(x), "aten.log.default", {x}, g.shape(x));
}
TensorRef times(GraphBuilder& g, const std::string& name, TensorRef x, Argument by) {
  return g.call(name, "aten.mul.Tensor", {x, by}, g.shape(x));
}
TensorRef add(GraphBuilder& g, const std::string& name, TensorRef x, TensorRef y) {
  return g.call(name, "aten.add.Tensor", {x, y}, g.shape(x));
}
TensorRef sub(GraphBuilder& g, const std::string& name, TensorRef x, TensorRef y) {
  return g.call(name, "aten.sub.Tensor", {x, y}, g.shape(x));
}
TensorRef part(GraphBuilder& g, const std::string& name, TensorRef x, int start, int end) {
  return g.call(name, "aten.slice.Tensor", {x, 0, start, end}, {end - start});
}
TensorRef where(GraphBuilder& g, TensorRef mask, TensorRef x) {
  const TensorRef zero = g.call("zero", "aten.zeros_like.default", {x}, g.shape(x));
  return g.call("kept", "aten.where.self", {mask, x, zero}, g.shape(x));
}

/// Every input of the sequential program is replicated; both ranks run the same.
Case replicated(const Builds& sequential, const Builds& rank) {
  CaseBuilder c(2);
  sequential(c.sequential());
  for (int r = 0; r < 2; ++r) rank(c.rank(r));
  const Graph& graph = c.sequential().graph();
  for (const TensorId input : graph.inputs)
    c.replicate(graph.tensors[static_cast<size_t>(input)].name);
  return c.build();
}

/// Not `prove`: claims hold where the functions are defined.
StaticReport check(const Case& refinement) {
  return static_check(refinement, OperatorTable::builtin()).report;
}

bool lists_domains(const Case& refinement) {
  const StaticReport report = check(refinement);
  EXPECT_EQ(report.verdict, Verdict::kProved);
  return std::ranges::any_of(report.assumptions, [](const std::string& assumption) {
    return assumption.starts_with("domains: every argument of aten.log.default that ");
  });
}

/// The sequential program computes log(x), has no use for it, and gives x.
void unused(GraphBuilder& g) {
  const TensorRef x = g.input("x", {4});
  log_of(g, x);
  g.output(g.call("y", "aten.clone.default", {x}, {4}));
}

TEST(Domains, WhatIsMultipliedByZeroIsAssumedToBeDefined) {
  const auto ranks = [](double by) {
    return [by](GraphBuilder& g) {
      const TensorRef x = g.input("x", {4});
      g.output(add(g, "y", x, times(g, "zero", log_of(g, x), by)));
    };
  };
  EXPECT_TRUE(lists_domains(replicated(unused, ranks(0))));
  const auto same = ranks(2);
  EXPECT_FALSE(lists_domains(replicated(same, same)));
}

TEST(Domains, WhatCancelsIsAssumedToBeDefined) {
  EXPECT_TRUE(lists_domains(replicated(unused, [](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4});
    const TensorRef l = log_of(g, x);
    g.output(add(g, "y", x, sub(g, "zero", l, l)));
  })));
  EXPECT_TRUE(lists_domains(replicated(unused, [](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4});
    const TensorRef l = log_of(g, x);
    const TensorRef both = g.call("both", "aten.cat.default", {{l, times(g, "minus", l, -1)}}, {8});
    const TensorRef zero = g.call("zero", "aten.sum.default", {both}, {});
    g.output(g.call("y", "aten.add.Tensor", {x, zero}, {4}));
  })));
}

TEST(Domains, ElementsThatCancelAreAssumedToBeDefined) {
  const auto program = [](int start) {
    return [start](GraphBuilder& g) {
      const TensorRef l = log_of(g, g.input("x", {4}));
      const TensorRef first = part(g, "first", l, 0, 2),
                      other = part(g, "other", l, start, start + 2);
      g.output(sub(g, "y", add(g, "both", first, other), other));
    };
  };
  const Builds sequential = [](GraphBuilder& g) {
    g.output(part(g, "y", log_of(g, g.input("x", {4})), 0, 2));
  };
  EXPECT_TRUE(lists_domains(replicated(sequential, program(2))));
  EXPECT_FALSE(lists_domains(replicated(sequential, program(0))));
}

TEST(Domains, PartsOfSumsThatCancelAreAssumedToBeDefined) {
  const auto sum = [](GraphBuilder& g, const std::string& name, TensorRef x) {
    return g.call(name, "aten.sum.default", {x}, {});
  };
  const Builds sequential = [&](GraphBuilder& g) {
    const TensorRef l = log_of(g, g.input("x", {4}));
    sum(g, "all", l);
    g.output(sum(g, "y", part(g, "first", l, 0, 2)));
  };
  EXPECT_TRUE(lists_domains(replicated(sequential, [&](GraphBuilder& g) {
    const TensorRef l = log_of(g, g.input("x", {4}));
    g.output(sub(g, "y", sum(g, "all", l), sum(g, "last", part(g, "end", l, 2, 4))));
  })));
  EXPECT_FALSE(lists_domains(replicated(sequential, [&](GraphBuilder& g) {
    const TensorRef l = log_of(g, g.input("x", {4}));
    g.output(
        add(g, "y", sum(g, "a", part(g, "one", l, 0, 1)), sum(g, "b", part(g, "two", l, 1, 2))));
  })));
}

TEST(Domains, AMaskThatIsMultipliedIsNoCondition) {
  const auto program = [](bool multiplied) {
    return [multiplied](GraphBuilder& g) {
      const TensorRef l = log_of(g, g.input("x", {4}));
      const TensorRef ids = g.input("ids", {4}, DType::kInt64);
      const TensorRef mask = g.call("mask", "aten.gt.Scalar", {ids, 2}, {4}, DType::kBool);
      const TensorRef number =
          g.call("number", "aten._to_copy.default", {mask}, {4}, DType::kFloat32);
      g.keyword("dtype", DType::kFloat32);
      g.output(multiplied ? times(g, "kept", l, number) : where(g, mask, l));
    };
  };
  EXPECT_TRUE(lists_domains(replicated(program(false), program(true))));
  EXPECT_FALSE(lists_domains(replicated(program(false), program(false))));
}

TEST(Domains, AProductWithAOneHotReadsAllRows) {
  const auto table = [](GraphBuilder& g) {
    const TensorRef w = g.input("w", {4, 3});
    return log_of(g, w);
  };
  const Builds gather = [&](GraphBuilder& g) {
    const TensorRef rows = table(g);
    g.output(
        g.call("y", "aten.embedding.default", {rows, g.input("ids", {2}, DType::kInt64)}, {2, 3}));
  };
  const Builds product = [&](GraphBuilder& g) {
    const TensorRef rows = table(g);
    const TensorRef hot = g.call("hot", "aten.one_hot.default",
                                 {g.input("ids", {2}, DType::kInt64), 4}, {2, 4}, DType::kInt64);
    const TensorRef number =
        g.call("number", "aten._to_copy.default", {hot}, {2, 4}, DType::kFloat32);
    g.keyword("dtype", DType::kFloat32);
    g.output(g.call("y", "aten.mm.default", {number, rows}, {2, 3}));
  };
  EXPECT_TRUE(lists_domains(replicated(gather, product)));
  EXPECT_FALSE(lists_domains(replicated(gather, gather)));
}

/// Rank 0 adds log(x), rank 1 adds `by` times it; their sum is what is compared.
Case log_over_ranks(double by, bool reduced) {
  CaseBuilder c(2);
  const TensorRef x = c.sequential().input("x", {4});
  const TensorRef all = times(c.sequential(), "all", log_of(c.sequential(), x), 1 + by);
  c.sequential().output(add(c.sequential(), "y", x, all));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef half = times(g, "half", g.input("x", {4}), 0.5);
    const TensorRef l = times(g, "part", log_of(g, {0}), r == 0 ? 1 : by);
    const TensorRef sum = add(g, "sum", half, l);
    g.output(reduced ? all_reduce(g, "y", sum) : sum);
  }
  c.replicate("x");
  if (reduced)
    c.expect("y", {"y@0", "y@1"});
  else
    c.expect("y", {"sum(sum@0, sum@1)"});
  return c.build();
}

TEST(Domains, WhatCancelsOverRanksIsAssumedToBeDefined) {
  for (const bool reduced : {true, false}) {
    EXPECT_TRUE(lists_domains(log_over_ranks(-1, reduced))) << reduced;
    EXPECT_FALSE(lists_domains(log_over_ranks(2, reduced))) << reduced;
  }
}

TEST(Domains, ShardsOfASumNeedNoAssumption) {
  CaseBuilder c(2);
  const auto program = [](GraphBuilder& g, int rows, bool reduce) {
    const TensorRef sum = g.call("sum", "aten.sum.default", {log_of(g, g.input("x", {rows}))}, {});
    g.output(reduce ? all_reduce(g, "y", sum) : g.call("y", "aten.clone.default", {sum}, {}));
  };
  program(c.sequential(), 8, false);
  for (int r = 0; r < 2; ++r) program(c.rank(r), 4, true);
  c.shard("x", 0);
  EXPECT_FALSE(lists_domains(c.build()));
}

/// The ranks add 0 * fn(argument) to x.
Case zero_of(const char* fn, const std::function<TensorRef(GraphBuilder&, TensorRef)>& argument) {
  const Builds sequential = [](GraphBuilder& g) {
    g.output(g.call("y", "aten.clone.default", {g.input("x", {4})}, {4}));
  };
  return replicated(sequential, [&](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4});
    const TensorRef a = argument(g, x);
    g.at("model.py", 7);
    const TensorRef f = g.call("f", fn, {a}, {4});
    g.at("model.py", 8);
    g.output(add(g, "y", x, times(g, "zero", f, 0)));
  });
}

TEST(Domains, FunctionsThatAreNeverDefinedAreRefused) {
  const auto minus_square = [](GraphBuilder& g, TensorRef x) {
    return times(g, "minus", times(g, "square", x, x), -1);
  };
  try {
    check(zero_of("aten.log.default", minus_square));
    ADD_FAILURE() << "log(-x * x) is taken to be defined";
  } catch (const UserError& error) {
    EXPECT_EQ(error.place().line, 7);
    EXPECT_NE(error.message().find("aten.log.default"), std::string::npos);
  }
  EXPECT_THROW(check(zero_of("aten.acos.default",
                             [](GraphBuilder& g, TensorRef x) {
                               const TensorRef e = g.call("e", "aten.exp.default", {x}, {4});
                               return g.call("beyond", "aten.add.Tensor", {e, 1}, {4});
                             })),
               UserError);
}

/// Where the ranks have no number and the specification has one, nothing is proved.
void expect_no_number(const Case& refinement, const std::string& op) {
  const StaticReport report = check(refinement);
  EXPECT_EQ(report.verdict, Verdict::kUnproved) << op;
  ASSERT_FALSE(report.failures.empty()) << op;
  EXPECT_EQ(report.failures[0].kind, "domain") << op;
  EXPECT_EQ(report.failures[0].op, op);
}

TEST(Domains, RanksHaveNumbersWhereTheSpecificationHas) {
  const auto same = [](GraphBuilder&, TensorRef x) { return x; };
  const auto minus = [](GraphBuilder& g, TensorRef x) { return times(g, "minus", x, -1); };
  const auto exp = [](GraphBuilder& g, TensorRef x) {
    return g.call("e", "aten.exp.default", {x}, {4});
  };
  for (const char* fn : {"aten.log.default", "aten.acos.default", "aten.rsqrt.default"}) {
    expect_no_number(zero_of(fn, same), fn);
    expect_no_number(zero_of(fn, minus), fn);
  }
  EXPECT_EQ(check(zero_of("aten.log.default", exp)).verdict, Verdict::kProved);
}

TEST(Domains, EachInputMayHaveASignOfItsOwn) {
  const Builds sequential = [](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4});
    g.input("z", {4});
    g.output(g.call("y", "aten.clone.default", {x}, {4}));
  };
  expect_no_number(replicated(sequential,
                              [](GraphBuilder& g) {
                                const TensorRef x = g.input("x", {4});
                                const TensorRef minus = times(g, "minus", g.input("z", {4}), -1);
                                const TensorRef both =
                                    add(g, "both", log_of(g, x), log_of(g, minus));
                                g.output(add(g, "y", x, times(g, "zero", both, 0)));
                              }),
                   "aten.log.default");
}

/// The sum over a mean's count, where that is not 0; or 0 times that.
Builds masked_mean(bool multiplied) {
  return [multiplied](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4}), mask = g.input("mask", {4}, DType::kBool);
    const TensorRef kept = times(g, "kept", x, mask);
    const TensorRef sum = g.call("sum", "aten.sum.default", {kept}, Shape{});
    const TensorRef count = g.call("count", "aten.sum.default", {mask}, Shape{}, DType::kInt64);
    const TensorRef mean = g.call("mean", "aten.div.Tensor", {sum, count}, Shape{});
    const TensorRef any = g.call("any", "aten.gt.Scalar", {count, 0}, Shape{}, DType::kBool);
    const TensorRef none = g.call("none", "aten.mul.Tensor", {sum, 0.0}, Shape{});
    g.output(multiplied ? g.call("y", "aten.mul.Tensor", {mean, any}, Shape{})
                        : g.call("y", "aten.where.self", {any, mean, none}, Shape{}));
  };
}

TEST(Domains, AMeanOfNothingIsNoNumber) {
  expect_no_number(replicated(masked_mean(false), masked_mean(true)), "aten.div.Tensor");
  EXPECT_EQ(check(replicated(masked_mean(false), masked_mean(false))).verdict, Verdict::kProved);
}

/// log(x) where x is positive, else 0; by a condition or by a product with the flags.
Builds log_where_positive(bool multiplied) {
  return [multiplied](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4}), log = log_of(g, x);
    const TensorRef positive = g.call("positive", "aten.gt.Scalar", {x, 0.0}, {4}, DType::kBool);
    if (!multiplied) return g.output(where(g, positive, log));
    g.output(times(g, "kept", log, positive));
  };
}

TEST(Domains, WhatTheSpecificationLeavesOutIsNotMultiplied) {
  expect_no_number(replicated(log_where_positive(false), log_where_positive(true)),
                   "aten.log.default");
  EXPECT_EQ(check(replicated(log_where_positive(false), log_where_positive(false))).verdict,
            Verdict::kProved);
  EXPECT_EQ(check(replicated(log_where_positive(true), log_where_positive(true))).verdict,
            Verdict::kProved);
}

// What the ranks multiply may be a function that the specification has no need of.
TEST(Domains, NorIsAnotherFunctionWhereItLeavesOneOut) {
  const auto with_root = [](GraphBuilder& g) {
    const TensorRef x = g.input("x", {4}), log = log_of(g, x);
    const TensorRef positive = g.call("positive", "aten.gt.Scalar", {x, 0.0}, {4}, DType::kBool);
    const TensorRef root = g.call("root", "aten.sqrt.default", {x}, {4});
    g.output(add(g, "y", where(g, positive, log), times(g, "none", root, 0)));
  };
  expect_no_number(replicated(log_where_positive(false), with_root), "aten.sqrt.default");
}

TEST(Domains, AFunctionWithoutAFormulaHasOne) {
  for (const char* fn : {"aten.erfinv.default", "aten.lgamma.default", "aten.digamma.default"}) {
    const auto program = [fn](bool cancels) {
      return [=](GraphBuilder& g) {
        const TensorRef x = g.input("x", {4}), of = g.call("of", fn, {x}, {4});
        g.output(cancels ? add(g, "y", x, sub(g, "none", of, of))
                         : g.call("y", "aten.clone.default", {x}, {4}));
      };
    };
    const StaticReport report = check(replicated(program(false), program(true)));
    EXPECT_NE(testing::PrintToString(report.assumptions).find("domains"), std::string::npos) << fn;
  }
}

}  // namespace
}  // namespace assay::test
