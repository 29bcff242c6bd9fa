#include "shared_ir/base/module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "shared_ir/base/error.h"

namespace assay {

namespace {

using std::filesystem::path;

// What the user says; empty when there is nothing.
std::vector<path> named_folders() {
  std::vector<path> result;
  const char* const given = std::getenv("ASSAY_MODULES");
  std::istringstream list(given == nullptr ? "" : given);
  for (std::string folder; std::getline(list, folder, ':');) result.emplace_back(folder);
  return result;
}

std::vector<path> folders_near_program() {
  std::vector<path> result;
  std::error_code failed;
  const path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return result;
  const path here = program.parent_path();
  return {here / "modules", here.parent_path() / "modules",
          here.parent_path() / "lib" / "assay" / "modules"};
}

}  // namespace

Module::Module(const std::string& name) : name_(name) {
  const std::string file = "lib" + name + ".so";
  const std::vector<path> named = named_folders();
  for (const path& folder : named.empty() ? folders_near_program() : named) {
    const path candidate = folder / file;
    if (!std::filesystem::exists(candidate)) continue;
    handle_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) why_not_ = dlerror();
    return;
  }
  if (named.empty()) handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return;
  why_not_ = file + " is in no folder of modules (set ASSAY_MODULES)";
}

void* Module::symbol(const std::string& name) const {
  ASSAY_CHECK(handle_ != nullptr, "a function of a module that is not loaded");
  void* found = dlsym(handle_, name.c_str());
  ASSAY_CHECK(found != nullptr, "the module lacks a function");
  return found;
}

}  // namespace assay
