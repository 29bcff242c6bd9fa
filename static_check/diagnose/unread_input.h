// What an output does not depend on, though it should.
#pragma once

#include <optional>
#include <vector>

#include "static_check/problem/problem.h"

namespace assay {

// A sequential input that the ranks do not read for an output.
struct UnreadInput {
  TensorId output;
  TensorId input;
  TensorId
      joined;  // what the first operator makes that needs it beside something that they do read
};

// Of the sequential tensors `outputs`, the first in the program for which the ranks' tensors that
// the case expects do not depend on an input of it; nullopt when there is none. A program that
// computes a value twice (activation recomputation) can have it right in one place and wrong in the
// one that counts: relations alone then end after the place.
std::optional<UnreadInput> unread_input(const Problem& problem, const RelationMap& relations,
                                        const std::vector<TensorId>& outputs);

}  // namespace assay
