// Modules: shared libraries that are loaded on first use, because what they link is large.
#pragma once

#include <string>

namespace assay::cli {

// The function `entry` of the module `file`, looked for in modules/ beside the program, then in
// lib/assay/modules of the install tree. nullptr, and `why` says so, when there is no such module
// or it cannot be loaded.
void* module_entry(const std::string& file, const std::string& entry, std::string& why);

}  // namespace assay::cli
