// Whether tensors of ranks make a whole: fails closed. Needs no LibTorch.
#pragma once

#include <optional>
#include <string>

#include "dynamic_check/relate/evaluate_buffers.h"

namespace assay {

// Why a tensor could not be rebuilt. `kind` as in DeviationReport: "omission", "overlap", "shape",
// "dtype".
struct MergeFault {
  std::string kind;
  std::string detail;
};

// What is wrong with the leaves of an expression, if something is: one is not there, or their types
// differ; an element would be added to itself; or the expression has another shape than `shape`.
// Else `has_padding`: whether some element comes from padding alone.
struct MergeRules {
  std::optional<MergeFault> fault;
  bool has_padding = false;
};
MergeRules check_merge(const CleanExpr& expr, const Shape& shape, const LeafBuffers& leaves);

}  // namespace assay
