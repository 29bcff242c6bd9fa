// What operators on complex tensors are in operators on their parts.
#pragma once

#include <map>
#include <string_view>

#include "shared_ir/import/complex_parts/call.h"

namespace assay::complex_parts {

using Rule = void (*)(Call&);

// By families, of whole names ("aten.mul.Tensor").
using Rules = std::map<std::string_view, Rule>;
const Rules& arithmetic_rules();
const Rules& movement_rules();
const Rules& product_rules();
const Rules& source_rules();

}  // namespace assay::complex_parts
