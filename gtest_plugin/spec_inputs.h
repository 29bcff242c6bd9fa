// The inputs of a specification as each program gets them, and how they relate.
#pragma once

#include <vector>

#include "assay/refinement.h"
#include "shared_ir/capture/capture.h"
#include "shared_ir/clean_expr.h"

namespace assay {

// Throws UserError unless the members are inputs of one kind that lie in this buffer alone.
void check_flat_buffer(const RefinementSpec& spec, const FlatBufferSpec& buffer);

// What the sequential program reads. `precision` replaces floating dtypes.
CaptureSpec sequential_inputs(const RefinementSpec& spec, DType precision);

// What a rank reads: its parts of the inputs, and of flat buffers in place of their members. Throws
// UserError when a placement does not fit.
CaptureSpec rank_inputs(const RefinementSpec& spec, Rank rank, DType precision);

// An input over the ranks' inputs; replicas of each other. Throws UserError when a placement does
// not fit.
std::vector<CleanExpr> input_relation(const RefinementSpec& spec, const InputSpec& input);

}  // namespace assay
