// Small changes of a distributed program, such as a programmer makes by mistake. Most of them
// change what the ranks compute; none of these may be proved.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared_ir/case.h"

namespace assay::test {

enum class MutationKind {
  kConstant,    // a number is one more, one less or twice what it was; a flag is its opposite
  kIndex,       // a window moves, a list changes its order, another output of an operator is read
  kOperand,     // two operands change places, or another tensor of the same type is read
  kOperator,    // an operator is left out, or is its neighbour (> instead of >=)
  kCollective,  // left out, repeated, too early, of another kind, reduction, group or order of
                // ranks
};

const char* to_string(MutationKind kind);

/// A change of one rank's graph. It fits every case of the same structure: a smaller one too.
struct Edit {
  MutationKind kind;
  std::string what;
  std::function<void(Case&, Rank)> apply;
};

struct Mutation {
  MutationKind kind;
  std::string what;  // with the ranks, the node and the change
  std::function<void(Case&)> apply;
};

/// Every mutation of every rank's graph, and, where all ranks run the same operators, every
/// mutation that is made on all of them. Many are invalid: their shapes do not fit, or PyTorch
/// refuses them.
std::vector<Mutation> mutations_of(const Case& refinement);

/// The same elements in an order that depends on `seed` alone, on every machine.
std::vector<Mutation> shuffled(std::vector<Mutation> mutations, uint64_t seed);

}  // namespace assay::test
