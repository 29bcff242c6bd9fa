// Small case folders that were once judged wrongly (tests/static_check/soundness): none that is
// wrong is proved, and lifter and checker agree on each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "shared_ir/error.h"
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

TEST(SoundnessCases, NoneIsJudgedWrongly) {
  const auto cases = folders();
  EXPECT_GT(cases.size(), 20u) << "ASSAY_SOURCE_DIR is not set";
  for (const auto& folder : cases) {
    SCOPED_TRACE(folder.filename().string());
    try {
      const Case refinement = load_case(folder);
      const StaticReport report = static_check(refinement, OperatorTable::builtin()).report;
      if (refinement.known && refinement.known->verdict == "violates") {
        EXPECT_NE(report.verdict, Verdict::kProved);
      }
      EXPECT_NE(report.verdict, Verdict::kError);
    } catch (const UserError&) {
      continue;  // refused
    }
  }
}

}  // namespace
}  // namespace assay::test
