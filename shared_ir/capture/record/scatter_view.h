// The inverse of a view operator: the base after a write through one of its views.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared_ir/graph.h"

namespace assay {

struct OperatorCall {
  std::string op;
  ArgList args;
};

// The operator that gives the base of `view`, with shape `base_shape` and old value `base`, after
// output number `output` of the view operator got the new value `written`. nullopt: this view
// operator has no inverse here.
std::optional<OperatorCall> scatter_view(const Node& view, int32_t output, TensorId base,
                                         const Shape& base_shape, TensorId written);

}  // namespace assay
