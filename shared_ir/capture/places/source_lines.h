// From a code address to file and line, by the debug information of the loaded programs.
#pragma once

#include <cstdint>
#include <vector>

#include "shared_ir/base/error.h"

namespace assay {

// The source places of an instruction, innermost inlined call first; empty without debug
// information. Results are cached for the life of the process. Thread-safe.
const std::vector<SourcePlace>& source_lines(uintptr_t address);

}  // namespace assay
