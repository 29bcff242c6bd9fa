// Lemmas are certified by z3 and numbers; wrong ones, and needless conditions, are not.
#include "static_check/certify/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "static_check/lemmas/shipped_lemmas.h"
#include "tests/lemmas/support.h"
#include "tests/support/golden.h"

namespace assay::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Certification, OfAllShippedLemmas) {
  std::vector<Certification> results;
  const LemmaTable table = builtin_lemmas();
  for (const Lemma& lemma : table.lemmas()) results.push_back(certify(lemma));
  expect_golden("lemmas/certified.txt", to_text(results));
  for (const Certification& one : results) EXPECT_THAT(one.failures, IsEmpty()) << one.lemma;
}

TEST(Certification, SaysForWhichShapesAndOnWhichAxiomsItRests) {
  const Certification result =
      certify(lemma("softmax[d](x + c)", "softmax[d](x)", "\"independent(c, d)\""));
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.shapes, ElementsAre("d = 1", "d = 2", "d = 3"));
  EXPECT_THAT(result.axioms, ElementsAre("exp_positive", "exp_sum"));
  EXPECT_TRUE(certify(lemma("x + y", "y + x")).axioms.empty());
}

TEST(Certification, RefusesWhatIsFalseWithACounterexample) {
  const Certification result = certify(lemma("sum[d](x) * sum[d](y)", "sum[d](x * y)"));
  EXPECT_THAT(result.failures, Contains(HasSubstr("float64: left is")));
  EXPECT_FALSE(certify(lemma("exp(x * y)", "exp(x) * exp(y)")).certified());
  EXPECT_FALSE(certify(lemma("x / x", "1")).certified());
}

// Sizes that nobody looked at are no different only where sizes are factors and summands.
TEST(Certification, RefusesWhatMayBeFalseAtLargerSizes) {
  EXPECT_THAT(certify(lemma("maximum(sum[d](x), -1000)", "sum[d](x)", "\"positive(size[d] - 3)\""))
                  .failures,
              Contains(HasSubstr("speaks of sizes")));
  EXPECT_THAT(certify(lemma("sum[d](x) * maximum(size[d], 5)", "5 * sum[d](x)")).failures,
              Contains(HasSubstr("a function of a size")));
  EXPECT_THAT(
      certify(lemma("x * (size[d] - 1) * (size[d] - 2) * (size[d] - 3) * (size[d] - 4)", "0 * x"))
          .failures,
      Contains(HasSubstr("float64")));
  EXPECT_TRUE(certify(lemma("sum[d](x + c)", "sum[d](x) + size[d] * c", "\"independent(c, d)\""))
                  .certified());
}

TEST(Certification, RefusesWhatItsAxiomsDoNotGive) {
  // True, but nothing that z3 is told about the sine says so.
  const Certification result = certify(lemma("maximum(sin(x), 2)", "2"));
  EXPECT_THAT(result.failures, IsEmpty());  // by the circle
  const Certification unknown = certify(lemma("maximum(exp(x), x)", "exp(x)"));
  EXPECT_THAT(unknown.failures, Contains(HasSubstr("z3: the axioms do not give it")));
}

TEST(Certification, RefusesANeedlessCondition) {
  const Certification result = certify(lemma("x + y", "y + x", "\"positive(x)\""));
  EXPECT_THAT(result.failures, ElementsAre("condition positive(x) is not needed: nothing breaks "
                                           "without it"));
}

TEST(Certification, RefusesOneOfTwoConditionsThatIsNeedless) {
  const Certification result = certify(lemma("x / x", "1", "\"nonzero(x)\", \"positive(x * x)\""));
  EXPECT_FALSE(result.certified());
}

TEST(Certification, NamesATimeout) {
  // Right, and long for z3.
  CertifyOptions options;
  options.limit = std::chrono::milliseconds(1);
  const std::string left = "sum[d](sum[e](sum[f](exp(a) * exp(b) / (exp(c) + exp(g)))))";
  const std::string right = "sum[d](sum[e](sum[f](exp(a + b + h) / (exp(c + h) + exp(g + h)))))";
  const Certification result = certify(lemma(left, right), options);
  EXPECT_THAT(result.failures, Contains(HasSubstr("z3: no answer within 1 ms at d = ")));
}

TEST(Numbers, AreTheSameForTheSameSeed) {
  const Lemma wrong = lemma("x * y", "x + y");
  EXPECT_EQ(search_difference(wrong).difference, search_difference(wrong).difference);
  NumericSearch other;
  other.seed = 2;
  EXPECT_NE(search_difference(wrong).difference, search_difference(wrong, other).difference);
}

TEST(Numbers, MeetTheConditions) {
  EXPECT_FALSE(search_difference(lemma("sqrt(x * x)", "x", "\"nonnegative(x)\"")).difference);
  EXPECT_TRUE(search_difference(lemma("sqrt(x * x)", "x")).difference);
  EXPECT_FALSE(
      search_difference(lemma("keep(m, x) + keep(n, x)", "keep(or(m, n), x)", "\"disjoint(m, n)\""))
          .difference);
}

TEST(Numbers, ReachSizesBeyondThoseOfZ3) {
  // Right up to d = 2.
  EXPECT_TRUE(search_difference(lemma("(size[d] - 1) * (size[d] - 2) * x", "0")).difference);
}

}  // namespace
}  // namespace assay::test
