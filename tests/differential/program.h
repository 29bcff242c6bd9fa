// Programs of several calls as PyTorch runs them at once: views, writes into memory that other
// tensors share, results that are written where the caller says (out=), outputs that alias each
// other and inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shared_ir/operator_table/operator_table.h"
#include "tests/declarations/call_pattern.h"

namespace assay::test {

inline size_t index(TensorId id) { return static_cast<size_t>(id); }

struct DrawnProgram {
  Graph graph;
  std::vector<ReferenceTensor> values;  // per input
};

// Names of operators that programs are drawn from.
struct ProgramOperators {
  const OperatorTable& declared;
  std::vector<std::string> pure, views, writers;
};

// Those that PyTorch has and whose schemas can be drawn from: what `declared` declares, what
// PyTorch's schemas give as views, and writers whose functional form is declared. Without some that
// no two programs agree on.
ProgramOperators operators_of_programs(const OperatorTable& declared);

// A program of 2 to 8 calls that PyTorch takes, on small float32, integer and boolean tensors.
// Inputs may lie in another order than their dimensions; half of the programs record strides.
DrawnProgram draw_program(const ProgramOperators& operators, uint64_t seed);

// A program with `property` that loses it with one more call or output left out. The program must
// have it.
DrawnProgram shrink(DrawnProgram program, const std::function<bool(const DrawnProgram&)>& property);

// The tensor arguments of a node, lists flattened, in order.
std::vector<TensorArg*> operands(Node& node);

// The graph, and what is in its inputs, for a message.
std::string text_of(const DrawnProgram& program);

}  // namespace assay::test
