#include "ci/cli/module.h"

#include <dlfcn.h>

#include <filesystem>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

fs::path find_module(const std::string& file) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {program / "modules", program / "../lib/assay/modules"}) {
    if (fs::exists(folder / file)) return folder / file;
  }
  return {};
}

}  // namespace

void* module_entry(const std::string& file, const std::string& entry, std::string& why) {
  const fs::path path = find_module(file);
  if (path.empty()) {
    why = "module " + file + " is not built";
    return nullptr;
  }
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = module ? dlsym(module, entry.c_str()) : nullptr;
  if (!function) why = "module " + path.string() + " cannot be loaded: " + dlerror();
  return function;
}

}  // namespace assay::cli
