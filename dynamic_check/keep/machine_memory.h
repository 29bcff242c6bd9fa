// How much memory this machine gives a process.
#pragma once

#include <cstdint>

namespace assay {

// Bytes: the machine's, or the limit of its control group (memory.max, memory.limit_in_bytes of
// version 1) where that is less.
int64_t machine_memory();

// What a check's copies may take of it (kept_copy.h) unless the user says otherwise: an eighth, at
// least 256 MiB.
int64_t default_copy_memory();

}  // namespace assay
