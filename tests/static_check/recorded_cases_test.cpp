// Cases that were recorded with PyTorch, with their known answers: programs with sizes that depend
// on values (fixtures/value_sizes), on complex numbers (fixtures/complex_numbers), parts of
// tensor-parallel layers (fixtures/tensor_parallel), and layers of experts that are split over the
// ranks by masks (fixtures/expert_parallel).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "static_check/check.h"
#include "tests/support/sanitizers.h"

namespace assay::test {
namespace {

std::vector<std::filesystem::path> cases_of(const char* family) {
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  if (root == nullptr) return {};
  std::vector<std::filesystem::path> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(root) / "fixtures" / family))
    if (entry.is_directory() && std::filesystem::exists(entry.path() / "case.toml"))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

void expect_known_answers(const std::vector<std::filesystem::path>& folders) {
  const OperatorTable operators = OperatorTable::builtin();
  // Sanitizers see the same code in each.
  const size_t step = kUnderSanitizers ? 5 : 1;
  for (size_t i = 0; i < folders.size(); i += step) {
    const std::filesystem::path& folder = folders[i];
    const Case refinement = load_case(folder);
    ASSERT_TRUE(refinement.known) << folder;
    StaticOptions options;
    options.timeout = std::chrono::minutes(10);  // sanitizers are slow
    const Verdict verdict = static_check(refinement, operators, options).report.verdict;
    EXPECT_EQ(verdict == Verdict::kProved, refinement.known->verdict == "refines") << folder;
  }
}

TEST(ValueSizeCases, AreProvedWhereTheyRefineAndNowhereElse) {
  const std::vector<std::filesystem::path> folders = cases_of("value_sizes");
  ASSERT_GE(folders.size(), 17U) << "ASSAY_SOURCE_DIR is not set";
  expect_known_answers(folders);
}

TEST(TensorParallelCases, AreDerivedWhereTheyRefineAndNowhereElse) {
  const std::vector<std::filesystem::path> folders = cases_of("tensor_parallel");
  ASSERT_GE(folders.size(), 10U) << "ASSAY_SOURCE_DIR is not set";
  expect_known_answers(folders);
}

TEST(ExpertParallelCases, AreProvedWhereTheyRefineAndNowhereElse) {
  const std::vector<std::filesystem::path> folders = cases_of("expert_parallel");
  ASSERT_GE(folders.size(), 4U) << "ASSAY_SOURCE_DIR is not set";
  expect_known_answers(folders);
}

// The programs cannot be evaluated as a whole, and nothing derives what the experts make together.
TEST(ExpertParallelCases, AreEvaluatedBetweenWhatIsDerived) {
  const std::vector<std::filesystem::path> folders = cases_of("expert_parallel");
  ASSERT_FALSE(folders.empty()) << "ASSAY_SOURCE_DIR is not set";
  const OperatorTable operators = OperatorTable::builtin();
  const Case refinement = load_case(folders.front().parent_path() / "masked_experts");
  const StaticResult result = static_check(refinement, operators);
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_EQ(result.certificate.evaluated_claims.size(), 1U);
  EXPECT_TRUE(result.certificate.evaluated.empty());
  ASSERT_EQ(result.report.outputs.size(), 1U);
  EXPECT_FALSE(result.report.outputs[0].by_evaluation);
  ASSERT_FALSE(result.report.trusted.empty());
  EXPECT_EQ(result.report.trusted.back().substr(0, 13), "identity test");

  Case exact = refinement;
  exact.exact = true;
  EXPECT_EQ(static_check(exact, operators).report.verdict, Verdict::kUnproved);
}

TEST(ComplexCases, AreProvedWhereTheyRefineAndNowhereElse) {
  const std::vector<std::filesystem::path> folders = cases_of("complex_numbers");
  ASSERT_GE(folders.size(), 15U) << "ASSAY_SOURCE_DIR is not set";
  expect_known_answers(folders);
}

}  // namespace
}  // namespace assay::test
