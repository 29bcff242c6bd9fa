// Makes the tensors that one check gives to both programs.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>

#include "dynamic_check/inputs/program_inputs.h"
#include "dynamic_check/question/question.h"
#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay {

// What the ranks' own parameters were found to be.
struct SelfMade {
  std::map<std::string, at::Tensor> whole;     // merged by the input relation
  std::map<RankTensorName, at::Tensor> parts;  // as made
  std::optional<DeviationReport> broken;  // the first weight whose replicas differ, and the ranks
};

// Merges the parameters that the ranks made, `made`, and holds them against the case's input
// relation: all replicas bit by bit. Throws UserError when a rank did not make one of them.
SelfMade check_self_made(const Case& refinement, const std::vector<DynamicInput>& inputs,
                         const std::map<RankTensorName, at::Tensor>& made);

// Generates the other inputs and hands out parts. Throws UserError when the declared inputs do not
// fit the case.
RunInputs make_run_inputs(const Case& refinement, const std::vector<DynamicInput>& inputs,
                          const SelfMade& self_made, DType precision, uint64_t seed);

}  // namespace assay
