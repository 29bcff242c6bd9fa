// Lemmas of a user prove something only once they are certified.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/prove.h"
#include "tests/support/scratch_folder.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TensorRef maximum_with(GraphBuilder& g, TensorRef x, TensorRef y) {
  return g.call("m", "aten.maximum.default", {x, y}, g.shape(x));
}

TensorRef sine_of(GraphBuilder& g, TensorRef x) {
  return g.call("s", "aten.sin.default", {x}, g.shape(x));
}

TensorRef negated(GraphBuilder& g, TensorRef x) {
  return g.call("n", "aten.neg.default", {x}, g.shape(x));
}

using Form = std::function<TensorRef(GraphBuilder&, TensorRef x)>;

class UserLemma : public testing::Test {
 protected:
  /// y = sin(form(x)); the ranks have the rows of x. With one lemma of the user.
  Case by_rows(const Form& sequential, const Form& distributed, const std::string& left,
               const std::string& right) {
    CaseBuilder made(2);
    const auto build = [](GraphBuilder& g, int64_t rows, const Form& form) {
      g.output("y", sine_of(g, form(g, g.input("x", {rows, 6}))));
    };
    build(made.sequential(), 4, sequential);
    for (int r = 0; r < 2; ++r) build(made.rank(r), 2, distributed);
    made.shard("x", 0);
    Case refinement = made.build();
    const auto file = folder_.path() / "mine.toml";
    std::ofstream(file) << "[mine]\nleft = \"" << left << "\"\nright = \"" << right
                        << "\"\nsource = \"test\"\n";
    refinement.lemma_files = {file};
    return refinement;
  }

  ScratchFolder folder_;
};

TensorRef itself(GraphBuilder&, TensorRef x) { return x; }

TensorRef exponential(GraphBuilder& g, TensorRef x) {
  return g.call("e", "aten.exp.default", {x}, g.shape(x));
}

TensorRef magnitude_of_exponential(GraphBuilder& g, TensorRef x) {
  const TensorRef e = exponential(g, x);
  return maximum_with(g, e, negated(g, e));
}

TensorRef greatest_of_both_signs(GraphBuilder& g, TensorRef x) {
  const TensorRef m = maximum_with(g, x, negated(g, x));
  return g.call("q", "aten.mul.Tensor", {m, m}, g.shape(x));
}

TensorRef squared(GraphBuilder& g, TensorRef x) {
  return g.call("q", "aten.mul.Tensor", {x, x}, g.shape(x));
}

// No number that this program computes shows that it is false.
TEST_F(UserLemma, ThatIsFalseProvesNothing) {
  const Case refinement = by_rows(magnitude_of_exponential, exponential, "maximum(x, -x)", "x");
  StaticOptions options;
  options.evaluate = false;
  const StaticResult result = static_check(refinement, OperatorTable::builtin(), options);
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
  ASSERT_EQ(result.report.lemmas.size(), 1u);
  EXPECT_EQ(result.report.lemmas[0].name, "mine");
  EXPECT_FALSE(result.report.lemmas[0].certified);
  EXPECT_THAT(result.report.lemmas[0].failures, Not(IsEmpty()));
  CaseReport report;
  report.statics = result.report;
  EXPECT_THAT(to_text(report), HasSubstr("lemmas that are not certified and prove nothing: 1"));
}

TEST_F(UserLemma, ThatIsTrueProvesAndTheReportSaysWhereItIsCertified) {
  const Case refinement =
      by_rows(greatest_of_both_signs, squared, "maximum(x, -x) * maximum(x, -x)", "x * x");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  ASSERT_EQ(result.report.lemmas.size(), 1u);
  EXPECT_TRUE(result.report.lemmas[0].certified);
  EXPECT_THAT(result.report.lemmas[0].shapes, ElementsAre(""));
  EXPECT_GT(result.report.lemmas[0].draws, 0);
  EXPECT_THAT(result.report.trusted,
              testing::Contains(HasSubstr("lemma mine: 1 use, certified for all shapes")));
}

// What the user has is not looked at where the proof needs none of it.
TEST_F(UserLemma, ThatNoProofNeedsIsNotCertified) {
  const Case refinement = by_rows(itself, itself, "maximum(x, -x)", "x");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_THAT(result.report.lemmas, IsEmpty());
}

TEST_F(UserLemma, ThatIsNotCertifiedIsNotOfferedToAProof) {
  const Case refinement =
      by_rows(greatest_of_both_signs, squared, "maximum(x, -x) * maximum(x, -x)", "x * x");
  StaticOptions options;
  options.certified_lemmas = std::set<std::string>{};
  options.evaluate = false;
  EXPECT_EQ(static_check(refinement, OperatorTable::builtin(), options).report.verdict,
            Verdict::kUnproved);
}

// "Not used" is not "wrong": the report says which of both it is.
TEST_F(UserLemma, ThatNoProofUsesIsNamed) {
  const StaticResult result = prove(by_rows(itself, exponential, "exp(x)", "sin(x)"));
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
  EXPECT_THAT(result.report.lemmas, IsEmpty());
  EXPECT_THAT(result.report.searches,
              testing::Contains(HasSubstr("no proof uses the lemma mine of the case")));
}

}  // namespace
}  // namespace assay::test
