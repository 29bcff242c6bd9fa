#include "dynamic_check/cuda/gpus.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "dynamic_check/cuda/driver.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr const char* kVariable = "ASSAY_DEVICE";

// The folder of the LibTorch that this process has loaded, with a slash; empty if it is not known.
std::string torch_folder() {
  void* const torch = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (torch == nullptr) return {};
  link_map* map = nullptr;
  const bool found = dlinfo(torch, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  const std::string file = found ? map->l_name : "";
  dlclose(torch);
  return file.substr(0, file.rfind('/') + 1);
}

int find_gpus() {
  if (cuda::devices_of_driver() == 0) return 0;
  const std::string folder = torch_folder();
  if (!folder.empty()) dlopen((folder + "libtorch_cuda.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  return at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
}

[[maybe_unused]] const bool found_at_start = [] {
  const char* device = std::getenv(kVariable);
  return device != nullptr && std::string_view(device) == "cuda" && usable_gpus() > 0;
}();

}  // namespace

int usable_gpus() {
  static const int gpus = find_gpus();
  return gpus;
}

bool variable_names_gpu() {
  const char* device = std::getenv(kVariable);
  if (device == nullptr || *device == '\0' || std::string_view(device) == "cpu") return false;
  if (std::string_view(device) == "cuda") return true;
  throw UserError({}, std::string(kVariable) + " is '" + device + "'", "set it to cpu or cuda");
}

}  // namespace assay
