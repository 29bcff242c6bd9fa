// Small case folders that were once judged wrongly (tests/static_check/soundness): none that is
// wrong is proved, what is right is, and lifter and checker agree on each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "shared_ir/base/error.h"
#include "tests/support/prove.h"
#include "tests/support/sanitizers.h"

namespace assay::test {
namespace {

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> result;
  const char* source = std::getenv("ASSAY_SOURCE_DIR");
  if (source == nullptr) return result;
  const std::filesystem::path root(source);
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "tests/static_check/soundness"))
    result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  return result;
}

// A case that is refused may not load.
bool is_right(const std::filesystem::path& folder) {
  std::ifstream file(folder / "case.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("static = \"refines\"") != std::string::npos;
}

TEST(SoundnessCases, NoneIsJudgedWrongly) {
  const auto cases = folders();
  EXPECT_GT(cases.size(), 20u) << "ASSAY_SOURCE_DIR is not set";
  const size_t step = kUnderSanitizers ? 3 : 1;  // they see the same code in each
  for (size_t i = 0; i < cases.size(); i += step) {
    const auto& folder = cases[i];
    SCOPED_TRACE(folder.filename().string());
    try {
      const Case refinement = load_case(folder);
      const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
      StaticOptions options;
      options.verify = true;
      options.refute_first = kUnderSanitizers;  // else each method has to see that it is wrong
      const StaticResult result = static_check(refinement, operators, options);
      EXPECT_EQ(result.rejected, "");
      const StaticReport& report = result.report;
      EXPECT_NE(report.verdict, Verdict::kError);
      if (!refinement.known) continue;
      if (refinement.known->verdict == "violates")
        EXPECT_NE(report.verdict, Verdict::kProved);
      else
        EXPECT_EQ(report.verdict, Verdict::kProved) << testing::PrintToString(report.searches);
    } catch (const UserError& error) {
      EXPECT_FALSE(is_right(folder)) << error.message();
    }
  }
}

// What these take for granted hides an input on which a rank stops, or has NaN: it is listed.
TEST(SoundnessCases, WhatTheyAssumeIsListed) {
  const std::pair<const char*, const char*> kListed[] = {
      {"assertion_of_a_rank", "assertions: what aten._assert_async.msg of a rank asks for holds"},
      {"ignored_targets_all_of_a_mean",
       "domains: every argument of aten.div.Tensor that both programs have is one for which it is "
       "defined"},
      {"undefined_asked_by_specification",
       "domains: every argument of aten.log.default that the sequential program alone has is one "
       "for which it is defined"},
  };
  for (const auto& listed : kListed) {
    const std::string name = listed.first;
    SCOPED_TRACE(name);
    const auto all = folders();
    const auto folder = std::ranges::find_if(
        all, [&](const auto& path) { return path.filename().string() == name; });
    ASSERT_NE(folder, all.end()) << "ASSAY_SOURCE_DIR is not set";
    const StaticResult result = static_check(load_case(*folder), OperatorTable::builtin());
    EXPECT_THAT(result.report.assumptions, testing::Contains(listed.second));
  }
}

}  // namespace
}  // namespace assay::test
