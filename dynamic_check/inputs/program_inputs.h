// The tensors that programs get.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <set>
#include <string>

#include "dynamic_check/relate/relate.h"

namespace assay {

// Of one program on one rank, by name.
struct ProgramInputs {
  std::map<std::string, at::Tensor> tensors;
  std::set<std::string> differentiable;  // those that require grad in the program
};

// Of both programs of one check.
struct RunInputs {
  // The same tensors there.
  RunInputs on(at::Device device) const;

  ProgramInputs of_sequential(at::Device device) const;
  ProgramInputs of_rank(Rank rank, at::Device device) const;

  std::map<std::string, at::Tensor> whole;     // sequential inputs, in the run's precision
  std::map<RankTensorName, at::Tensor> parts;  // distributed inputs
  std::set<std::string> differentiable;        // sequential inputs
  std::set<RankTensorName> parts_differentiable;
};

}  // namespace assay
