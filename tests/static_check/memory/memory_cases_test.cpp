// The cases of fixtures/memory: programs that write into memory, with their known answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "static_check/check.h"

namespace assay::test {
namespace {

std::vector<std::filesystem::path> memory_cases() {
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  if (root == nullptr) return {};
  std::vector<std::filesystem::path> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(root) / "fixtures" / "memory"))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// A case that is refused is not proved.
bool case_is_proved(const Case& refinement) {
  const OperatorTable operators = OperatorTable::builtin();
  try {
    return static_check(refinement, operators).report.verdict == Verdict::kProved;
  } catch (const UserError&) {
    return false;
  }
}

TEST(MemoryCases, AreProvedWhereTheyRefineAndNowhereElse) {
  const std::vector<std::filesystem::path> folders = memory_cases();
  ASSERT_FALSE(folders.empty()) << "ASSAY_SOURCE_DIR is not set";
  for (const std::filesystem::path& folder : folders) {
    const Case refinement = load_case(folder);
    ASSERT_TRUE(refinement.known) << folder;
    EXPECT_EQ(case_is_proved(refinement), refinement.known->verdict == "refines") << folder;
  }
}

}  // namespace
}  // namespace assay::test
