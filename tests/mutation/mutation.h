// Small changes of a distributed program: mistakes that a programmer makes, of which most change
// what the ranks compute, and none of these may be proved; and rewrites that compute the same.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"

namespace assay::test {

enum class MutationKind {
  kConstant,    // a number is one more, one less or twice what it was; a flag is its opposite
  kIndex,       // a window moves, a list changes its order, another output of an operator is read
  kOperand,     // two operands change places, or another tensor of the same type is read
  kOperator,    // an operator is left out, or is its neighbour (> instead of >=)
  kCollective,  // left out, repeated, too early, of another kind, reduction, group or order of
                // ranks
  kMemory,      // a write is left out, or goes elsewhere; what was there before it is read
  kType,        // a tensor passes through a type that holds less
  kAttribute,   // an argument is left out, or is another text
  kWait,        // waits change places, or a collective is used before it is waited for
  // Rewrites: equal over the reals, whatever the inputs.
  kCommute,          // the operands of a sum or product change places
  kReassociate,      // (a + b) + c as a + (b + c); the same of products
  kSplitCollective,  // in two halves, or an all-reduce as reduce-scatter and all-gather
  kMoveScaling,      // by 2 before a linear operator and by 1/2 after it
};

const char* to_string(MutationKind kind);
inline void PrintTo(MutationKind kind, std::ostream* out) { *out << to_string(kind); }

/// A change of one rank's graph. It fits every case of the same structure: a smaller one too.
struct Edit {
  MutationKind kind;
  std::string what;
  std::function<void(Case&, Rank)> apply;
  // Of all members of a collective: on one rank alone it would be another program.
  bool together = false;
};

struct Mutation {
  MutationKind kind;
  std::string what;  // with the ranks, the node and the change
  std::function<void(Case&)> apply;
};

/// Every mutation and rewrite of every rank's graph, and, where all ranks run the same operators,
/// every one that is made on all of them. Many mutations are invalid: their shapes do not fit, or
/// PyTorch refuses them.
std::vector<Mutation> mutations_of(const Case& refinement);

/// The same elements in an order that depends on `seed` alone, on every machine.
std::vector<Mutation> shuffled(std::vector<Mutation> mutations, uint64_t seed);

}  // namespace assay::test
