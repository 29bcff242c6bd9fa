// Assay's element types as PyTorch's.
#pragma once

#include <c10/core/ScalarType.h>

#include "shared_ir/dtype.h"

namespace assay {

at::ScalarType scalar_type(DType dtype);

// Throws UserError for a type that Assay does not have (complex, quantised).
DType dtype_of(at::ScalarType type);

}  // namespace assay
