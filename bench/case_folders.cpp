#include "bench/case_folders.h"

#include <algorithm>
#include <cstdlib>

namespace assay::bench {
namespace {

namespace fs = std::filesystem;

void add_cases(const char* variable, const char* otherwise, std::vector<fs::path>& folders) {
  const char* value = std::getenv(variable);
  const fs::path parent = value ? value : otherwise;
  if (!fs::is_directory(parent)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent)) {
    if (fs::exists(entry.path() / "case.toml")) folders.push_back(entry.path());
  }
}

}  // namespace

std::vector<fs::path> case_folders() {
  std::vector<fs::path> folders;
  add_cases("ASSAY_GRAPHS", ASSAY_GRAPHS, folders);
  add_cases("ASSAY_FIXTURE_CASES", ASSAY_FIXTURE_CASES, folders);
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace assay::bench
