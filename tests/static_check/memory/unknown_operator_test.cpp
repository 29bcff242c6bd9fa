// What is not known is not guessed: operators that draw random numbers are equal to no other call,
// functions are defined where that is an assumption of the report, and assumptions are held against
// the programs' own constants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using ProgramOfTwo = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef w)>;

Case case_of_two(const ProgramOfTwo& sequential, const ProgramOfTwo& rank,
                 bool random_agrees = true) {
  CaseBuilder c(2);
  const auto add = [](GraphBuilder& g, const ProgramOfTwo& body) {
    const TensorRef x = g.input("x", {4, 3}), w = g.input("w", {4, 3});
    g.output("y", body(g, x, w));
  };
  add(c.sequential(), sequential);
  for (int r = 0; r < 2; ++r) add(c.rank(r), rank);
  c.replicate("x");
  c.replicate("w");
  Case result = c.build();
  result.random_agrees = random_agrees;
  return result;
}

StaticReport report_of_two(const Case& refinement) {
  return static_check(refinement, OperatorTable::builtin()).report;
}

TensorRef rows_by(GraphBuilder& g, const char* op, std::vector<Argument> args,
                  DType dtype = DType::kFloat32) {
  return g.call("t" + std::to_string(g.graph().nodes.size()), op, std::move(args), {4, 3}, dtype);
}

class RandomOperators : public testing::TestWithParam<const char*> {};

TEST_P(RandomOperators, AreEqualAsTheNthCallAlone) {
  const ProgramOfTwo once = [](GraphBuilder& g, TensorRef x, TensorRef) {
    return rows_by(g, GetParam(), {x});
  };
  EXPECT_EQ(report_of_two(case_of_two(once, once)).outputs[0].verdict, Verdict::kProved);
  EXPECT_NE(report_of_two(case_of_two(once, once, false)).outputs[0].verdict, Verdict::kProved);
  const StaticReport independent = report_of_two(case_of_two(once, once, false));
  EXPECT_THAT(independent.failures.at(0).reason, HasSubstr("draws are independent"));
  EXPECT_THAT(independent.assumptions, Not(Contains(HasSubstr("undeclared operator"))));
  const auto twice = [](bool again) -> ProgramOfTwo {
    return [=](GraphBuilder& g, TensorRef x, TensorRef) {
      const TensorRef first = rows_by(g, GetParam(), {x});
      const TensorRef second = again ? rows_by(g, GetParam(), {x}) : first;
      return rows_by(g, "aten.mul.Tensor", {first, second});
    };
  };
  EXPECT_EQ(report_of_two(case_of_two(twice(true), twice(true))).outputs[0].verdict,
            Verdict::kProved);
  EXPECT_NE(report_of_two(case_of_two(twice(true), twice(false))).outputs[0].verdict,
            Verdict::kProved);
}

INSTANTIATE_TEST_SUITE_P(All, RandomOperators,
                         testing::Values("aten.poisson.default",
                                         "aten.rrelu_with_noise_functional.default",
                                         "aten._standard_gamma.default",
                                         "aten._sample_dirichlet.default",
                                         "aten.binomial.default"));

// What the sequential program alone computes of x, with its inverse around it.
struct PartialAndTotal {
  const char* name;
  const char* partial;
  const char* total;
};

class Domains : public testing::TestWithParam<PartialAndTotal> {};

TEST_P(Domains, OfWhatCancelsAreAssumed) {
  const auto cancelled = [](const char* op) -> ProgramOfTwo {
    return [=](GraphBuilder& g, TensorRef x, TensorRef w) {
      const TensorRef of = rows_by(g, op, {x});
      return rows_by(g, "aten.sub.Tensor", {rows_by(g, "aten.add.Tensor", {of, w}), of});
    };
  };
  const ProgramOfTwo same = [](GraphBuilder& g, TensorRef, TensorRef w) {
    return rows_by(g, "aten.mul.Tensor", {w, 1});
  };
  const StaticReport partial = report_of_two(case_of_two(cancelled(GetParam().partial), same));
  EXPECT_THAT(partial.assumptions, Contains(HasSubstr(GetParam().partial)));
  const StaticReport both =
      report_of_two(case_of_two(cancelled(GetParam().partial), cancelled(GetParam().partial)));
  // What goes on from there may need less of it on one side than on the other.
  EXPECT_THAT(both.assumptions, Contains(HasSubstr("the proof leaves out")));
  EXPECT_THAT(both.assumptions, Not(Contains(HasSubstr("alone has"))));
  EXPECT_EQ(both.verdict, Verdict::kProved);
  const StaticReport total = report_of_two(case_of_two(cancelled(GetParam().total), same));
  EXPECT_THAT(total.assumptions, Not(Contains(HasSubstr("domains"))));
  EXPECT_EQ(total.verdict, Verdict::kProved);
}

INSTANTIATE_TEST_SUITE_P(
    All, Domains,
    testing::Values(PartialAndTotal{"Log", "aten.log.default", "aten.exp.default"},
                    PartialAndTotal{"Sqrt", "aten.sqrt.default", "aten.abs.default"},
                    PartialAndTotal{"Rsqrt", "aten.rsqrt.default", "aten.relu.default"},
                    PartialAndTotal{"Reciprocal", "aten.reciprocal.default",
                                    "aten.sigmoid.default"},
                    PartialAndTotal{"Asin", "aten.asin.default", "aten.sin.default"},
                    PartialAndTotal{"Acos", "aten.acos.default", "aten.cos.default"},
                    PartialAndTotal{"Atanh", "aten.atanh.default", "aten.tanh.default"}),
    [](const auto& domain) { return domain.param.name; });

// Nothing, divided by x, and on the rank by x or by nothing.
Case nothing_divided(bool by_nothing) {
  CaseBuilder c(1);
  const auto program = [](GraphBuilder& g, bool nothing) {
    const TensorRef x = g.input("x", {4});
    const TensorRef zeros = g.call("zeros", "aten.mul.Scalar", {x, 0}, {4});
    g.output(g.call("y", "aten.div.Tensor", {zeros, nothing ? zeros : x}, {4}));
  };
  program(c.sequential(), false);
  program(c.rank(0), by_nothing);
  c.replicate("x");
  return c.build();
}

TEST(Domains, ADivisionByNothingIsNotTakenToBeDefined) {
  EXPECT_TRUE(proves(nothing_divided(false)));
  EXPECT_THROW(prove(nothing_divided(true)), UserError);
}

// Functions of x, and on the rank of x and what it is padded with, which is cut off.
Case padded(const std::string& op) {
  CaseBuilder c(1);
  const auto program = [&](GraphBuilder& g, bool pads) {
    const TensorRef x = g.input("x", {4});
    const TensorRef more =
        pads ? g.call("more", "aten.constant_pad_nd.default", {x, {0, 2}, 0}, {6}) : x;
    const TensorRef all = g.call("all", op, {more}, g.shape(more));
    g.output(pads ? g.call("y", "aten.slice.Tensor", {all, 0, 0, 4}, {4}) : all);
  };
  program(c.sequential(), false);
  program(c.rank(0), true);
  c.replicate("x");
  return c.build();
}

TEST(Domains, PaddingThatIsCutOffMayHaveNoValue) {
  for (const char* op : {"aten.log.default", "aten.rsqrt.default", "aten.reciprocal.default"})
    EXPECT_TRUE(proves(padded(op))) << op;
}

TEST(Domains, ANormalizationWithoutEpsilonIsNotFinite) {
  const auto normalized = [](double epsilon) -> ProgramOfTwo {
    return [=](GraphBuilder& g, TensorRef x, TensorRef w) {
      const TensorRef normal =
          g.call_many("n", "aten.native_layer_norm.default", {x, {3}, NoArg{}, NoArg{}, epsilon},
                      {{{4, 3}}, {{4, 1}}, {{4, 1}}})[0];
      const TensorRef positive = rows_by(g, "aten.exp.default", {normal});
      return rows_by(g, "aten.div.Tensor",
                     {rows_by(g, "aten.mul.Tensor", {w, positive}), positive});
    };
  };
  const ProgramOfTwo same = [](GraphBuilder& g, TensorRef, TensorRef w) {
    return rows_by(g, "aten.mul.Tensor", {w, 1});
  };
  EXPECT_EQ(report_of_two(case_of_two(normalized(1e-5), same)).verdict, Verdict::kProved);
  EXPECT_NE(report_of_two(case_of_two(normalized(0.0), same)).verdict, Verdict::kProved);
  EXPECT_NE(report_of_two(case_of_two(normalized(-1.0), same)).verdict, Verdict::kProved);
}

// x at constant rows, or with w put there.
ProgramOfTwo rows_at(std::vector<Argument> rows, const char* op) {
  return [=](GraphBuilder& g, TensorRef x, TensorRef w) {
    const auto count = static_cast<int64_t>(rows.size());
    const TensorRef ids = g.call("ids", "assay.constant", {Argument(rows)}, {count}, DType::kInt64);
    if (std::string_view(op) == "aten.index.Tensor")
      return g.call("rows", op, {x, std::vector<Argument>{ids}}, {count, 3});
    const TensorRef given = g.call("given", "aten.slice.Tensor", {w, 0, 0, count}, {count, 3});
    return g.call("rows", op, {x, std::vector<Argument>{ids}, given}, {4, 3});
  };
}

TEST(ConstantIndices, AreHeldAgainstWhatIsAssumedOfThem) {
  const auto verdict = [](std::vector<Argument> rows, const char* op) {
    return report_of_two(case_of_two(rows_at(rows, op), rows_at(rows, op)));
  };
  const auto assumes = [](const StaticReport& report, const char* what) {
    return std::ranges::any_of(report.assumptions, [&](const std::string& note) {
      return note.find(what) != std::string::npos;
    });
  };
  for (const char* op : {"aten.index.Tensor", "aten.index_put.default"}) {
    EXPECT_EQ(verdict({0, 2, 3}, op).verdict, Verdict::kProved) << op;
    EXPECT_THROW(verdict({0, 4}, op), UserError) << op;
    EXPECT_THROW(verdict({0, -5}, op), UserError) << op;
  }
  // Those that count from the end name the same rows.
  for (const char* op : {"aten.index.Tensor", "aten.index_put.default"}) {
    EXPECT_EQ(report_of_two(case_of_two(rows_at({0, -1}, op), rows_at({0, 3}, op))).verdict,
              Verdict::kProved);
    EXPECT_NE(report_of_two(case_of_two(rows_at({0, -1}, op), rows_at({0, 2}, op))).verdict,
              Verdict::kProved);
  }
  for (const std::vector<Argument>& rows : {std::vector<Argument>{1, 1}, {3, -1}})
    EXPECT_TRUE(assumes(verdict(rows, "aten.index_put.default"), "writes an element twice"));
  EXPECT_FALSE(assumes(verdict({1, 2}, "aten.index_put.default"), "twice"));
}

TensorRef part(GraphBuilder& g, TensorRef x, int start, int end) {
  return g.call("t" + std::to_string(g.graph().nodes.size()), "aten.slice.Tensor",
                {x, 0, start, end}, {end - start, 3});
}

ProgramOfTwo put_at(std::vector<Argument> rows, bool accumulate) {
  return [=](GraphBuilder& g, TensorRef x, TensorRef w) {
    const auto count = static_cast<int>(rows.size());
    const TensorRef ids = g.call("ids", "assay.constant", {Argument(rows)}, {count}, DType::kInt64);
    return rows_by(g, "aten.index_put.default",
                   {x, std::vector<Argument>{ids}, part(g, w, 0, count), accumulate});
  };
}

// Rows of x with the sum of `added` rows of w, from the first on, at `row`, on what was there or in
// its place.
ProgramOfTwo joined(int row, int added, bool accumulate) {
  return [=](GraphBuilder& g, TensorRef x, TensorRef w) {
    std::vector<TensorRef> terms;
    if (accumulate) terms.push_back(part(g, x, row, row + 1));
    for (int i = 0; i < added; ++i) terms.push_back(part(g, w, i, i + 1));
    TensorRef sum = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
      sum = g.call("sum" + std::to_string(i), "aten.add.Tensor", {sum, terms[i]}, {1, 3});
    std::vector<Argument> pieces;
    if (row > 0) pieces.emplace_back(part(g, x, 0, row));
    pieces.emplace_back(sum);
    if (row < 3) pieces.emplace_back(part(g, x, row + 1, 4));
    return rows_by(g, "aten.cat.default", {Argument(pieces)});
  };
}

TEST(ConstantIndices, AreRowsBetweenSlicesWhereTheyAreWritten) {
  const auto verdict = [](const ProgramOfTwo& sequential, const ProgramOfTwo& rank) {
    return report_of_two(case_of_two(sequential, rank)).verdict;
  };
  EXPECT_EQ(verdict(put_at({1, 1}, true), joined(1, 2, true)), Verdict::kProved);
  EXPECT_NE(verdict(put_at({1, 1}, true), joined(1, 1, true)), Verdict::kProved);
  EXPECT_NE(verdict(put_at({1, 1}, true), joined(1, 2, false)), Verdict::kProved);
  EXPECT_EQ(verdict(put_at({0, -4}, true), joined(0, 2, true)), Verdict::kProved);
  EXPECT_EQ(verdict(put_at({-1}, false), joined(3, 1, false)), Verdict::kProved);
  EXPECT_NE(verdict(put_at({-1}, false), joined(3, 1, true)), Verdict::kProved);
  EXPECT_NE(verdict(put_at({-1}, false), joined(0, 1, false)), Verdict::kProved);
}

TEST(ConstantIndices, OfAScatterAreDifferent) {
  const auto scatter = [](std::vector<Argument> places) {
    CaseBuilder c(1);
    for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
      const TensorRef x = g->input("x", {4}), w = g->input("w", {2});
      const TensorRef ids =
          g->call("ids", "assay.constant", {Argument(places)}, {2}, DType::kInt64);
      g->output(g->call("y", "aten.scatter.src", {x, 0, ids, w}, {4}));
    }
    c.replicate("x");
    c.replicate("w");
    return report_of_two(c.build());
  };
  EXPECT_THAT(scatter({1, 1}).assumptions, Contains(HasSubstr("writes an element twice")));
  EXPECT_THAT(scatter({1, 2}).assumptions, Not(Contains(HasSubstr("writes an element twice"))));
  EXPECT_EQ(scatter({1, 2}).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace assay::test
