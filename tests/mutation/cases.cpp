#include "tests/mutation/cases.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "dynamic_check/witness/shrink_case.h"
#include "tests/support/captured_cases.h"
#include "tests/support/captured_graphs.h"

namespace assay::test {
namespace {

// Of the captured graphs, the ones whose sizes shrink together.
constexpr const char* kRunnable[] = {"qwen2-tp2", "gpt-tp2-l1"};

constexpr const char* kRight[] = {"qwen2-tp2", "gpt-tp2-l1", "gpt-tp4-l2", "llama3-tp2-l1",
                                  "llama3-tp2-l1-hlo"};

bool have_captured_graphs() { return std::filesystem::is_directory(captured_graphs()); }

// Those that were captured from the fixtures' programs, and those that write into memory, which
// captures make functional.
void add_fixtures(std::vector<NamedCase>& cases) {
  std::vector<std::filesystem::path> folders;
  for (const char* root : {ASSAY_FIXTURE_CASES, ASSAY_MEMORY_CASES})
    for (const auto& entry : std::filesystem::directory_iterator(root))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const auto& folder : folders) {
    Case fixture = load_case(folder);
    if (fixture.known && fixture.known->verdict == "refines")
      cases.push_back({folder.filename().string(), std::move(fixture), std::nullopt});
  }
}

}  // namespace

std::vector<NamedCase> runnable_cases() {
  std::vector<NamedCase> cases;
  for (const char* folder : kRunnable) {
    if (!have_captured_graphs()) break;
    const Case whole = load_case(captured_graphs() / folder);
    cases.push_back({folder, shrink_case(whole), whole});
  }
  add_fixtures(cases);
  return cases;
}

std::vector<NamedCase> whole_cases() {
  std::vector<NamedCase> cases;
  for (const char* folder : kRight) {
    if (!have_captured_graphs()) break;
    cases.push_back({folder, load_case(captured_graphs() / folder), std::nullopt});
  }
  if (have_captured_graphs()) cases.push_back({"backward", mended_backward(), std::nullopt});
  add_fixtures(cases);
  return cases;
}

size_t sample_size(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace assay::test
