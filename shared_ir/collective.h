// Rules about collectives that every reader of core programs needs.
#pragma once

#include <string>

#include "shared_ir/core.h"

namespace assay {

// "all_reduce", "send", ...
const char* to_string(Collective::Kind kind);
// "sum", "avg", ...
const char* to_string(Collective::Reduce reduce);

// Whether one rank sends and another receives; all other collectives need every member.
inline bool is_point_to_point(Collective::Kind kind) {
  return kind == Collective::Kind::kSend || kind == Collective::Kind::kReceive;
}

// Whether the members' tensors are reduced.
inline bool is_reduction(Collective::Kind kind) {
  return kind == Collective::Kind::kAllReduce || kind == Collective::Kind::kReduce ||
         kind == Collective::Kind::kReduceScatter;
}

}  // namespace assay
