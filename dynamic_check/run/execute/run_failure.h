// Why a run of the ranks did not finish.
#pragma once

#include <string>

#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

struct RunFailure {
  enum class Kind {
    kTimeout,   // a member did not come in time
    kMismatch,  // the members of a collective called different ones
    kError,     // a rank's program threw, or its process ended
  };
  Kind kind = Kind::kError;
  Rank rank = 0;  // the rank to look at
  std::string message;
  NodeId last = kNone;  // the last node of that rank's captured graph that gave its outputs
};

}  // namespace assay
