// Inputs for graphs of which nothing is declared: roles and bounds are read off the operators that
// use them.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

#include "dynamic_check/question/question.h"
#include "dynamic_check/relate/relate.h"
#include "shared_ir/case/case.h"

namespace assay {

struct WitnessInputs {
  std::map<RankTensorName, at::Tensor> sequential;  // at rank 0
  std::map<RankTensorName, at::Tensor> distributed;
};

// What follows from the graphs, whatever the numbers are.
struct DescribedInputs {
  std::vector<DynamicInput> sequential;          // and tensors of relations that are no inputs
  std::vector<std::vector<DynamicInput>> ranks;  // by rank, in the order of their inputs
};

// Roles and bounds. Lowers every graph that reads integers; throws UserError where one does not fit
// its operators' declarations.
DescribedInputs describe_inputs(const Case& refinement);

// Integer inputs are ids below the smallest table that they index (else below the largest constant
// that they are compared with), half of them at the graphs' constants and their neighbours.
// Floating inputs are normal, matrices scaled by their fan-in, everything times `scale`.
// Distributed inputs that no relation mentions get values of their own. Throws UserError for a
// contradictory input relation.
WitnessInputs make_witness_inputs(const Case& refinement, const DescribedInputs& described,
                                  uint64_t seed, double scale);

}  // namespace assay
