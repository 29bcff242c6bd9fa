// What one node computes, as core operators: by its operator's declaration, or, where there is
// none, as a function that is equal to itself alone.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/lower/builtins/call.h"
#include "shared_ir/lower/declare/declaration.h"

namespace assay::lowering {

// What is recorded of results; nullptr where nobody uses it. Where a node was made functional, what
// it writes is among the returns.
struct Recorded {
  std::vector<const Tensor*> returns;
  std::vector<const Tensor*> writes;  // memory that an operator writes in place
};

struct Results {
  std::vector<CoreId> returns, writes;  // as in Recorded; kNone where nobody uses it
};

// `values`: per tensor of the graph, what a reader sees. Throws Unsupported, and UserError at the
// node where its arguments do not fit the declaration.
Results declared_results(Context& context, const OperatorDeclaration& declaration,
                         const Recorded& recorded, const std::vector<CoreId>& values);

// An operator that nothing is known of is equal only to itself, on equal operands and attributes.
Results opaque_results(Context& context, const Recorded& recorded,
                       const std::vector<CoreId>& values);

// By the declaration; opaque where there is none (nullptr), or none for these arguments.
Results results_of(Context& context, const OperatorDeclaration* declaration,
                   const Recorded& recorded, const std::vector<CoreId>& values);

// The value with the recorded precision: kernels with wider or narrower results give the same
// value. Throws UserError at the node where shapes or types differ otherwise.
CoreId fitting(Context& context, CoreId value, const Tensor& recorded);

}  // namespace assay::lowering
