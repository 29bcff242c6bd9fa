// The user's line, from the compiler's mouth.
#pragma once

#include <source_location>

#include "shared_ir/base/error.h"

namespace assay {

inline SourcePlace source_place(const std::source_location& location) {
  return {location.file_name(), static_cast<int64_t>(location.line()), 0};
}

}  // namespace assay
