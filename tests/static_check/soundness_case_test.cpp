// Small case folders that were once judged wrongly (tests/static_check/soundness): none that is
// wrong is proved, what is right is, and lifter and checker agree on each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "shared_ir/base/error.h"
#include "tests/support/prove.h"

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
  for (const auto& folder : cases) {
    SCOPED_TRACE(folder.filename().string());
    try {
      const Case refinement = load_case(folder);
      const OperatorTable operators = OperatorTable::with_files(refinement.operator_files);
      StaticOptions options;
      options.verify = true;
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

}  // namespace
}  // namespace assay::test
