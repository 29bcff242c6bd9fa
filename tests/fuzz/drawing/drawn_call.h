// A call of a declared operator, drawn from bytes.
//
//   call     := 2 bytes: which operator; an argument a parameter; results
//   argument := a byte: its kind (absent, none, tensor, list of tensors, integer, list of integers,
//               number, flag, dtype, text); what the kind needs
//   tensor   := a byte each: dtype, number of dimensions, sizes
// Behind the end every byte is 0.
#pragma once

#include <string_view>

#include "shared_ir/graph.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay::fuzz {

Graph drawn_call(std::string_view bytes, const OperatorTable& operators);

}  // namespace assay::fuzz
