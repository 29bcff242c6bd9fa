// Runs captured graphs without their programs, in float64: the gold standard that proofs and runs
// are held against.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dynamic_check/relate/relate.h"
#include "dynamic_check/run/interpret/staged_values.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

class DeclaredOperators;  // declared_operators.h

// The ranks' collectives do not meet: different ones, or some rank waits for ever. Bad programs,
// not bad input.
struct UnmetCollectives {
  std::string message;  // both calls with their source lines
  std::vector<std::string> nodes;
};

// What is kept as an operator's output in place of what it gave. Called for every output but those
// of collectives.
using OutputFilter =
    std::function<at::Tensor(Rank rank, NodeId node, size_t output, const at::Tensor& value)>;

// Whether a value is there at the end. Others go after their last reader.
using Wanted = std::function<bool(Rank rank, TensorId id)>;
inline bool nothing_wanted(Rank, TensorId) { return false; }

// Told every value as it is made, inputs first, whether or not it is wanted.
using Seen = std::function<void(Rank rank, TensorId id, const at::Tensor& value)>;

// Runs the graphs of all ranks in lockstep, collectives jointly, floating values in float64.
// `inputs` has every graph input (and may override any other tensor) by name and rank; floating
// ones are converted to float64. Throws UserError for a missing input or an operator that cannot
// run, UnmetCollectives for collectives that do not meet. Without `wanted`, all values are. What
// the user `declared` is its declaration. Values are on the device of the inputs (the CPU, where
// there are none).
std::vector<Values> interpret(const std::vector<Graph>& graphs, const Groups& groups,
                              const std::map<RankTensorName, at::Tensor>& inputs,
                              const OutputFilter& filter = {}, const Wanted& wanted = {},
                              const DeclaredOperators* declared = nullptr, const Seen& seen = {});

}  // namespace assay
