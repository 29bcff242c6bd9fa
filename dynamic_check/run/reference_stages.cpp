#include "dynamic_check/run/reference_stages.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "dynamic_check/cuda/cuda.h"
#include "shared_ir/base/error.h"

namespace assay {
namespace {

at::Device device_of(std::string_view name, int gpus) {
  if (name == "cpu") return at::kCPU;
  constexpr std::string_view kGpu = "cuda:";
  int index = -1;
  const char* const end = name.data() + name.size();
  const bool is_gpu = name.starts_with(kGpu);
  if (is_gpu) {
    const auto [rest, error] = std::from_chars(name.data() + kGpu.size(), end, index);
    if (rest != end || error != std::errc()) index = -1;
  }
  if (index < 0) {
    throw UserError({}, fmt::format("a stage of the reference is to run on '{}'", name),
                    "name a device: cpu, cuda:0, cuda:1, ...");
  }
  if (index >= gpus) {
    throw UserError(
        {}, fmt::format("a stage of the reference is to run on {}, which is not there", name),
        gpus == 0 ? "this program sees no GPU"
                  : fmt::format("this program sees cuda:0 to cuda:{}", gpus - 1));
  }
  return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
}

}  // namespace

std::vector<at::Device> reference_devices(const std::vector<std::string>& names) {
  const int gpus = usable_gpus();
  std::vector<at::Device> devices;
  for (const std::string& name : names) devices.push_back(device_of(name, gpus));
  return devices;
}

std::shared_ptr<const StagedGraph> staged_graph(const Case& refinement,
                                                const DynamicOptions& options,
                                                Arithmetic arithmetic) {
  if (options.reference_stages.empty()) return nullptr;
  return std::make_shared<StagedGraph>(
      refinement.sequential, reference_devices(options.reference_stages), arithmetic,
      std::make_shared<DeclaredOperators>(refinement.operator_files));
}

}  // namespace assay
