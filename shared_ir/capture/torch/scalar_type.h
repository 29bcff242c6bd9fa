// Our element types and torch's.
#pragma once

#include <c10/core/ScalarType.h>

#include "shared_ir/dtype.h"

namespace assay {

// Throws UserError for types that Assay does not know (complex, quantized).
DType to_dtype(c10::ScalarType type);

c10::ScalarType to_scalar_type(DType dtype);

}  // namespace assay
