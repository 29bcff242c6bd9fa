// A pair of programs as formulas, step by step, and the case that it makes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "tests/identities/table.h"
#include "tests/support/graph_builder.h"

namespace assay::test {

struct PairInput {
  std::string name;
  Shape shape;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> sharded = {};  // each rank has its part along this dimension
};

// A tensor by its name: what the specification computes, and what each rank does.
struct PairStep {
  std::string name;
  PairFormula left, right;
  std::string identity;  // empty: both are the same formula
};

struct PairProgram {
  int ranks = 1;
  std::vector<PairInput> inputs;
  std::vector<PairStep> steps;
  std::vector<std::string> outputs;  // steps
};

std::string to_string(const PairProgram& program);

/// The operators' results have the types that running them gives. Throws UserError for an operator
/// that refuses its operands.
Case case_of(const PairProgram& program, const IdentityTable& table);

/// What the specification's tensors are: by name.
std::map<std::string, TensorType> types_of(const PairProgram& program, const IdentityTable& table);

}  // namespace assay::test
