// Inputs for graphs of which nothing is declared: roles and bounds are read off the operators that
// use them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
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
  // The sequential program has ids that no table is indexed by as they are.
  bool open_ids = false;
  std::vector<DynamicInput> sequential;          // and tensors of relations that are no inputs
  std::vector<std::vector<DynamicInput>> ranks;  // by rank, in the order of their inputs
};

// Which ids are drawn of an input that no table is indexed by as it is: those that the program
// compares it with, or others, too, which a table behind a condition may not have.
enum class IdRange : uint8_t { kCompared, kBeyond };

// Numbers as they are drawn, or such as fewer programs have assumptions against: sorted along their
// last dimension; integers that are one more.
struct Drawn {
  bool ascending = false;
  int64_t more = 0;
};

// Roles and bounds. Lowers every graph that reads integers; throws UserError where one does not fit
// its operators' declarations.
DescribedInputs describe_inputs(const Case& refinement, IdRange range = IdRange::kCompared);

// Integer inputs are ids below the smallest table that they index (else as IdRange says), half of
// them at the graphs' constants and their neighbours. Floating inputs are normal, matrices scaled
// by their fan-in, everything times `scale`. Distributed inputs that no relation mentions get
// values of their own. Throws UserError for a contradictory input relation.
WitnessInputs make_witness_inputs(const Case& refinement, const DescribedInputs& described,
                                  uint64_t seed, double scale, const Drawn& drawn = {});

}  // namespace assay
