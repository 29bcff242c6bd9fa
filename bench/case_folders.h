// Where the benches find cases.
#pragma once

#include <filesystem>
#include <vector>

namespace assay::bench {

// The case folders of the captured graphs ($ASSAY_GRAPHS) and of the fixtures
// ($ASSAY_FIXTURE_CASES, which the program dump_cases fills), sorted by path. The variables have
// the build's settings as defaults; a folder that does not exist has no cases.
std::vector<std::filesystem::path> case_folders();

}  // namespace assay::bench
