// Collectives in words, the same for every backend: what the members of one must agree on.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

#include "dynamic_check/buffers/buffers.h"

namespace assay {

struct CollectiveText {
  const char* op;      // as CollectiveStart::op
  std::string detail;  // what must agree besides operation, types and sizes
  c10d::OpType type;
  bool async;
};

// Throws UserError for reductions that Assay does not know (premultiplied sums, bitwise ones).
Reduction reduction_of(const c10d::ReduceOp& op);

// " float32 [8, 64]" for each tensor.
std::string types_and_sizes(const std::vector<at::Tensor>& tensors, bool sizes = true);

// The same text on all members. `tensors`: those whose types and sizes must agree.
std::string signature(const CollectiveText& call, const std::vector<at::Tensor>& tensors);

// The same text at sender and receiver.
std::string message_text(int tag, const at::Tensor& tensor);

}  // namespace assay
