#include "dynamic_check/inputs/program_inputs.h"

namespace assay {

RunInputs RunInputs::on(at::Device device) const {
  RunInputs result = *this;
  for (auto& [name, tensor] : result.whole) tensor = tensor.to(device);
  for (auto& [name, tensor] : result.parts) tensor = tensor.to(device);
  return result;
}

ProgramInputs RunInputs::of_sequential(at::Device device) const {
  ProgramInputs result{whole, differentiable};
  for (auto& [name, tensor] : result.tensors) tensor = tensor.to(device);
  return result;
}

ProgramInputs RunInputs::of_rank(Rank rank, at::Device device) const {
  ProgramInputs result;
  for (const auto& [name, tensor] : parts) {
    if (name.second != rank) continue;
    result.tensors[name.first] = tensor.to(device);
    if (parts_differentiable.contains(name)) result.differentiable.insert(name.first);
  }
  return result;
}

}  // namespace assay
