// Programs whose ranks compute in another form what lemmas show to be the same; and programs beside
// them that compute something else.
#include <gmock/gmock.h>

#include <limits>

#include "static_check/lemmas/shipped_lemmas.h"
#include "tests/support/claims/replay.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

using Form = std::function<TensorRef(GraphBuilder&, TensorRef x)>;

TensorRef reduced(GraphBuilder& g, const std::string& name, const char* op, TensorRef x) {
  return g.call(name, op, {x, {1}, true}, {g.shape(x)[0], 1});
}

TensorRef binary(GraphBuilder& g, const std::string& name, const char* op, TensorRef x,
                 TensorRef y) {
  return g.call(name, op, {x, y}, g.shape(x));
}

TensorRef unary(GraphBuilder& g, const std::string& name, const char* op, TensorRef x) {
  return g.call(name, op, {x}, g.shape(x));
}

TensorRef softmax(GraphBuilder& g, TensorRef x) {
  return g.call("p", "aten._softmax.default", {x, -1, false}, g.shape(x));
}

/// exp(x - m) / sum(exp(x - m)) along the columns, m their maximum.
TensorRef softmax_by_maximum(GraphBuilder& g, TensorRef x) {
  const TensorRef m = reduced(g, "m", "aten.amax.default", x);
  const TensorRef e = unary(g, "e", "aten.exp.default", binary(g, "s", "aten.sub.Tensor", x, m));
  return binary(g, "p", "aten.div.Tensor", e, reduced(g, "z", "aten.sum.dim_IntList", e));
}

/// exp(x - c) / sum(exp(x - c)): c is one number a row, the mean; or one an element.
Form softmax_shifted_by(bool mean) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef c =
        mean ? reduced(g, "c", "aten.mean.dim", x) : binary(g, "c", "aten.mul.Tensor", x, x);
    const TensorRef e = unary(g, "e", "aten.exp.default", binary(g, "s", "aten.sub.Tensor", x, c));
    return binary(g, "p", "aten.div.Tensor", e, reduced(g, "z", "aten.sum.dim_IntList", e));
  };
}

/// The same, but for the shift of the denominator.
TensorRef softmax_of_two_shifts(GraphBuilder& g, TensorRef x) {
  const TensorRef m = reduced(g, "m", "aten.amax.default", x);
  const TensorRef e = unary(g, "e", "aten.exp.default", binary(g, "s", "aten.sub.Tensor", x, m));
  const TensorRef f = unary(g, "f", "aten.exp.default", x);
  return binary(g, "p", "aten.div.Tensor", e, reduced(g, "z", "aten.sum.dim_IntList", f));
}

/// y = form(x) w; the ranks have the rows of x.
Case by_rows(const Form& sequential, const Form& distributed) {
  CaseBuilder made(2);
  const auto build = [](GraphBuilder& g, int64_t rows, const Form& form) {
    const TensorRef x = g.input("x", {rows, 6});
    const TensorRef w = g.input("w", {6, 3});
    g.output(g.call("y", "aten.mm.default", {form(g, x), w}, {rows, 3}));
  };
  build(made.sequential(), 4, sequential);
  for (int r = 0; r < 2; ++r) build(made.rank(r), 2, distributed);
  made.shard("x", 0);
  made.replicate("w");
  return made.build();
}

TEST(LemmaProof, OfSoftmaxByItsMaximum) {
  EXPECT_TRUE(proves(by_rows(softmax, softmax_by_maximum)));
  EXPECT_TRUE(proves(by_rows(softmax_by_maximum, softmax)));
  EXPECT_FALSE(proves(by_rows(softmax, softmax_of_two_shifts)));
}

TEST(LemmaProof, SaysWhichLemmasItRestsOn) {
  const StaticResult result = prove(by_rows(softmax, softmax_shifted_by(true)));
  EXPECT_GT(result.report.counts.lemmas.size(), 0u);
  EXPECT_THAT(result.report.trusted, testing::Contains(testing::HasSubstr("lemma ")));
  EXPECT_TRUE(prove(by_rows(softmax, softmax)).report.counts.lemmas.empty());
}

/// Softmax over columns that the ranks share: a maximum and a sum over all of them.
Case softmax_by_columns(bool whole_maximum, bool whole_sum) {
  CaseBuilder made(2);
  GraphBuilder& s = made.sequential();
  s.output("y", softmax(s, s.input("x", {4, 6})));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = made.rank(r);
    const TensorRef x = g.input("x", {4, 3});
    TensorRef m = reduced(g, "m", "aten.amax.default", x);
    if (whole_maximum) m = all_reduce(g, "whole_m", m, "max");
    const TensorRef e = unary(g, "e", "aten.exp.default", binary(g, "s", "aten.sub.Tensor", x, m));
    TensorRef z = reduced(g, "z", "aten.sum.dim_IntList", e);
    if (whole_sum) z = all_reduce(g, "whole_z", z);
    g.output("y", binary(g, "p", "aten.div.Tensor", e, z));
  }
  made.shard("x", 1);
  return made.build();
}

TEST(LemmaProof, OfSoftmaxOverColumnsOfAllRanks) {
  EXPECT_TRUE(proves(softmax_by_columns(true, true)));
  EXPECT_FALSE(proves(softmax_by_columns(true, false)));
  EXPECT_FALSE(proves(softmax_by_columns(false, true)));
}

/// The form of x, filled with -inf under a mask.
Form masked(const Form& form) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef mask = g.input("mask", g.shape(x), DType::kBool);
    const TensorRef scores =
        g.call("scores", "aten.masked_fill.Scalar",
               {x, mask, -std::numeric_limits<double>::infinity()}, g.shape(x));
    return form(g, scores);
  };
}

TEST(LemmaProof, IsNotOfInfinities) {
  CaseBuilder made(1);
  for (GraphBuilder* g : {&made.sequential(), &made.rank(0)}) {
    const TensorRef x = g->input("x", {4, 6});
    g->output("y", masked(g == &made.rank(0) ? softmax_shifted_by(true) : Form(softmax))(*g, x));
  }
  made.replicate("x");
  made.replicate("mask");
  EXPECT_FALSE(proves(made.build()));
}

TEST(LemmaProof, OfAShiftThatSoftmaxDoesNotSee) {
  EXPECT_TRUE(proves(by_rows(softmax, softmax_shifted_by(true))));
  EXPECT_TRUE(proves(by_rows(softmax_by_maximum, softmax_shifted_by(true))));
  EXPECT_FALSE(proves(by_rows(softmax, softmax_shifted_by(false))));
}

/// The variance along the columns: of what is centred, or by the moments. By a divisor that is the
/// number of columns, or not.
Form variance(bool centred, double divisor) {
  return [=](GraphBuilder& g, TensorRef x) {
    const auto mean = [&](const std::string& name, TensorRef of) {
      const TensorRef sum = reduced(g, name + "_sum", "aten.sum.dim_IntList", of);
      return g.call(name, "aten.div.Scalar", {sum, divisor}, g.shape(sum));
    };
    const auto square = [&](const std::string& name, TensorRef of) {
      return binary(g, name, "aten.mul.Tensor", of, of);
    };
    const TensorRef m = mean("m", x);
    const TensorRef v =
        centred ? mean("v", square("q", binary(g, "d", "aten.sub.Tensor", x, m)))
                : binary(g, "v", "aten.sub.Tensor", mean("qm", square("q", x)), square("mm", m));
    return binary(g, "scaled", "aten.mul.Tensor", x, v);
  };
}

TEST(LemmaProof, OfAVarianceByItsMoments) {
  EXPECT_TRUE(proves(by_rows(variance(true, 6), variance(false, 6))));
  EXPECT_FALSE(proves(by_rows(variance(true, 6), variance(false, 5))));
  EXPECT_FALSE(proves(by_rows(variance(true, 5), variance(false, 5))));
}

class LemmaCertificate : public testing::Test {
 protected:
  LemmaCertificate() : refinement_(by_rows(softmax, softmax_shifted_by(true))) {
    const OperatorTable operators = OperatorTable::builtin();
    const StaticResult result = static_check(refinement_, operators);
    replay_ = replay_of(refinement_, result.certificate, operators);
  }

  CheckResult check() const {
    return check_certificate(replay_.refinement, replay_.sequential, replay_.ranks,
                             replay_.certificate, Replayed::kProof, builtin_lemmas());
  }
  LemmaProof& proof() { return replay_.certificate.lemmas.at(0); }

  Case refinement_;
  Replay replay_;
};

TEST_F(LemmaCertificate, IsAcceptedWithItsLemmasAlone) {
  EXPECT_TRUE(check().accepted) << check().reason;
  const CheckResult without =
      check_certificate(replay_.refinement, replay_.sequential, replay_.ranks, replay_.certificate);
  EXPECT_FALSE(without.accepted);
  EXPECT_THAT(without.reason, testing::HasSubstr("no lemma is called"));
}

TEST_F(LemmaCertificate, IsRejectedWithoutItsProof) {
  replay_.certificate.lemmas.clear();
  EXPECT_FALSE(check().accepted);
}

TEST_F(LemmaCertificate, IsRejectedWhenAStepIsLeftOutOrTurnedRound) {
  const LemmaProof right = proof();
  for (size_t i = 0; i < right.steps.size(); ++i) {
    proof() = right;
    proof().steps.erase(proof().steps.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_FALSE(check().accepted) << "without step " << i;
    proof() = right;
    proof().steps[i].forward = !right.steps[i].forward;
    if (right.steps[i].kind != LemmaProof::Step::Kind::kArithmetic) {
      EXPECT_FALSE(check().accepted) << "step " << i << " the other way";
    }
    proof() = right;
    proof().steps[i].path.push_back(0);
    EXPECT_FALSE(check().accepted) << "step " << i << " elsewhere";
  }
}

TEST_F(LemmaCertificate, IsRejectedWhenADefinitionIsNotTheInstances) {
  const LemmaProof right = proof();
  for (size_t i = 0; i < right.definitions.size(); ++i) {
    proof() = right;
    proof().definitions[i].formula = make_variable(leaf_name(right.left));
    EXPECT_FALSE(check().accepted) << "definition " << i;
    proof() = right;
    Formula& formula = proof().definitions[i].formula;
    if (formula.kind != Formula::Kind::kCall || formula.operands.empty()) continue;
    formula.operands[0] = make_call("add", {formula.operands[0], make_number(1)});
    EXPECT_FALSE(check().accepted) << "definition " << i << " with another operand";
  }
}

TEST_F(LemmaCertificate, IsRejectedWhenALeafIsAnotherElement) {
  const LemmaProof right = proof();
  for (size_t i = 0; i < right.leaves.size(); ++i) {
    proof() = right;
    proof().leaves[i].offset += 1;
    EXPECT_FALSE(check().accepted) << "leaf " << i;
  }
}

TEST_F(LemmaCertificate, IsRejectedForOtherAtoms) {
  std::swap(proof().left, proof().right);
  EXPECT_FALSE(check().accepted);
}

/// sin(2x), and 3 sin(x) cos(x).
TensorRef sine_of_double(GraphBuilder& g, TensorRef x) {
  return unary(g, "p", "aten.sin.default", g.call("d", "aten.mul.Scalar", {x, 2}, g.shape(x)));
}

TensorRef triple_product(GraphBuilder& g, TensorRef x) {
  const TensorRef product = binary(g, "sc", "aten.mul.Tensor", unary(g, "s", "aten.sin.default", x),
                                   unary(g, "c", "aten.cos.default", x));
  return g.call("p", "aten.mul.Scalar", {product, 3}, g.shape(x));
}

TEST(LemmaSearch, WithoutAProofIsInTheReportWithWhatEndedIt) {
  CaseReport report;
  report.statics = prove(by_rows(sine_of_double, triple_product)).report;
  EXPECT_EQ(report.statics->verdict, Verdict::kUnproved);
  EXPECT_THAT(report.statics->searches, testing::Contains(testing::HasSubstr("p = ")));
  EXPECT_THAT(to_text(report), testing::HasSubstr("searches by lemmas without a proof: "));
  EXPECT_THAT(to_json({{report}}), testing::HasSubstr("\"searches\": ["));
}

TEST(LemmaSearch, IsNotInTheReportOfAProofWithoutOne) {
  EXPECT_TRUE(prove(by_rows(softmax, softmax)).report.searches.empty());
}

}  // namespace
}  // namespace assay::test
