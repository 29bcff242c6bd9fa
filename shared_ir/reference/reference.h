// The meaning of core operators as numbers: a float64 interpreter for small shapes. Everything is
// computed as written, one element at a time, so that it can serve as the standard for what is
// proved or run elsewhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared_ir/clean_expr.h"
#include "shared_ir/core.h"
#include "shared_ir/reference/tensor.h"

namespace assay {

// Integers and flags (0, 1) are exact doubles.
using ReferenceTensor = reference::TensorOf<double>;

struct ReferenceSources {
  // The value of a kInput operator of a rank, in the operator's shape. Required.
  std::function<ReferenceTensor(Rank, const CoreOp&)> input;
  // The value of a kRandom operator; where empty, a sample that depends on fn, occurrence and
  // element alone.
  std::function<ReferenceTensor(Rank, const CoreOp&)> random;
};

// The values of all operators of all ranks, by rank and CoreId; programs[r] runs as rank r. Memory
// that is never written holds nan. Throws UserError when ranks wait for each other for ever, or
// meet in collectives that do not match (the message names both), or a message is not what its
// receiver expects, and
// reference::NoNumbers (element_functions.h) when a function has no numeric definition.
std::vector<std::vector<ReferenceTensor>> evaluate(const std::vector<CoreProgram>& programs,
                                                   const ReferenceSources& sources);

// The value of a clean expression. `leaf(name, rank)` gives the value of a tensor. Throws UserError
// when shapes do not fit.
ReferenceTensor evaluate(const CleanExpr& expr,
                         const std::function<ReferenceTensor(const std::string&, Rank)>& leaf);

}  // namespace assay
