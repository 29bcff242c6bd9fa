// A size that a program reads from a tensor, in one run.
#pragma once

#include <cstdint>
#include <optional>

#include "shared_ir/graph.h"

namespace assay {

struct SizeRead {
  NodeId before = kNone;  // the node that follows
  TensorId tensor = kNone;
  int64_t value = 0;
  std::optional<int64_t> at_most = {};  // the program is defined up to there
  SourcePlace place = {};
};

// The program has sizes that depend on values, which a run without values cannot give.
class SizesDependOnValues : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace assay
