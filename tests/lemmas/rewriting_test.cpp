// The checker's own replay of steps: what is no instance of a lemma, and what does not show a
// lemma's condition, is refused.
#include "static_check/checker/facts/rewriting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "static_check/checker/facts/regions.h"
#include "static_check/lemmas/shipped_lemmas.h"
#include "tests/lemmas/support.h"

namespace assay::test {
namespace {

using Step = LemmaProof::Step;

/// v0 runs along i, v1 along j, v2 along neither.
LemmaProof leaves() {
  LemmaProof proof;
  proof.dims = {{"i", 2}, {"j", 3}};
  proof.leaves = {{10, 0, {1, 0}}, {11, 0, {0, 1}}, {12, 0, {0, 0}}};
  return proof;
}

Step by(const std::string& lemma, const std::map<std::string, std::string>& variables,
        const std::map<std::string, std::string>& dims = {}, bool forward = true) {
  Step step;
  step.lemma = lemma;
  step.forward = forward;
  step.dims = dims;
  for (const auto& [name, text] : variables) step.variables[name] = formula(text);
  return step;
}

/// What the step makes of the formula, or why it is refused.
std::string after(const std::string& text, const Step& step) {
  LemmaProof proof = leaves();
  proof.steps = {step};
  try {
    return to_string(checker::rewrite(formula(text), proof, builtin_lemmas()));
  } catch (const checker::Rejection& rejection) {
    return rejection.reason;
  }
}

using testing::HasSubstr;

TEST(Rewriting, FollowsALemmaBothWays) {
  EXPECT_EQ(after("exp(v0 + v1)", by("exp_of_sum", {{"x", "v0"}, {"y", "v1"}})),
            "exp(v0) * exp(v1)");
  EXPECT_EQ(after("exp(v0) * exp(v1)", by("exp_of_sum", {{"x", "v0"}, {"y", "v1"}}, {}, false)),
            "exp(v0 + v1)");
}

TEST(Rewriting, RefusesWhatIsNoInstance) {
  EXPECT_THAT(after("exp(v0 * v1)", by("exp_of_sum", {{"x", "v0"}, {"y", "v1"}})),
              HasSubstr("which is not exp(v0 * v1)"));
  EXPECT_THAT(after("exp(v0 + v1)", by("exp_of_sum", {{"x", "v0"}})), HasSubstr("nothing for y"));
  EXPECT_THAT(after("exp(v0 + v1)", by("none", {})), HasSubstr("no lemma is called none"));
}

TEST(Rewriting, RefusesALemmaWhoseSignDoesNotShow) {
  const auto cancelled = [](const std::string& x) {
    return after("(" + x + ") / (" + x + ")", by("quotient_cancels", {{"x", x}}));
  };
  for (const char* nonzero : {"exp(v0)", "sum[i](exp(v0))", "size[i]", "-3 * exp(v0)",
                              "reciprocal(exp(v0))", "softmax[i](v0) + keep(v1, exp(v0))"})
    EXPECT_EQ(cancelled(nonzero), "1") << nonzero;
  for (const char* unknown : {"v0", "0 * v0", "v0 * v0", "exp(v0) - 1", "log(v0)", "sum[i](v0)",
                              "-1 * exp(v0) + exp(v1)", "keep(v1, exp(v0))"})
    EXPECT_THAT(cancelled(unknown), HasSubstr("nonzero(x) does not show")) << unknown;
  EXPECT_THAT(after("exp(log(v0))", by("exp_of_log", {{"x", "v0"}})),
              HasSubstr("positive(x) does not show"));
}

TEST(Rewriting, RefusesALemmaAlongADimensionThatItsConstantSees) {
  const auto factored = [](const std::string& c) {
    return after("sum[i]((" + c + ") * v0)",
                 by("factor_out_of_sum", {{"c", c}, {"x", "v0"}}, {{"d", "i"}}));
  };
  EXPECT_EQ(factored("v1"), "v1 * sum[i](v0)");
  EXPECT_EQ(factored("v2 + size[i]"), "(v2 + size[i]) * sum[i](v0)");
  EXPECT_EQ(factored("max[i](v0)"), "max[i](v0) * sum[i](v0)");
  for (const char* dependent : {"v0", "exp(v0)", "softmax[i](v2)", "sum[j](v0)"})
    EXPECT_THAT(factored(dependent), HasSubstr("independent(c, d) does not show")) << dependent;
}

TEST(Rewriting, RefusesOneDimensionForTwo) {
  const auto swapped = [](const std::string& d, const std::string& e) {
    return after("sum[" + d + "](sum[" + e + "](v0))",
                 by("sums_swap", {{"x", "v0"}}, {{"d", d}, {"e", e}}));
  };
  EXPECT_EQ(swapped("i", "j"), "sum[j](sum[i](v0))");
  EXPECT_THAT(swapped("i", "i"), HasSubstr("no dimension of its own"));
  EXPECT_THAT(swapped("i", "k"), HasSubstr("no dimension of its own"));
}

TEST(Rewriting, RefusesMasksThatMayMeet) {
  const auto united = [](const std::string& m, const std::string& n) {
    return after("keep(" + m + ", v0) + keep(" + n + ", v0)",
                 by("keep_of_disjoint", {{"m", m}, {"n", n}, {"x", "v0"}}));
  };
  EXPECT_EQ(united("v1", "not(v1)"), "keep(or(v1, not(v1)), v0)");
  EXPECT_THAT(united("v1", "v2"), HasSubstr("disjoint(m, n) does not show"));
}

TEST(Rewriting, ComputesWithNumbersAndSizesAlone) {
  const auto computed = [](const std::string& from, const std::string& to) {
    Step step;
    step.kind = Step::Kind::kArithmetic;
    step.replacement = formula(to);
    return after(from, step);
  };
  EXPECT_EQ(computed("2 * 3", "6"), "6");
  EXPECT_EQ(computed("1/3", "reciprocal(size[j])"), "reciprocal(size[j])");
  EXPECT_THAT(computed("2 * 3", "5"), HasSubstr("arithmetic"));
  EXPECT_THAT(computed("v0", "v0"), HasSubstr("arithmetic"));
  EXPECT_THAT(computed("reciprocal(0)", "0"), HasSubstr("arithmetic"));
}

}  // namespace
}  // namespace assay::test
