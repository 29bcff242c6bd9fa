// The one source of a libFuzzer program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_target.h"

// Defines what libFuzzer calls; `target` is a function of fuzz_target.h.
#define ASSAY_FUZZ_PROGRAM(target)                                           \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {  \
    const std::string_view bytes(reinterpret_cast<const char*>(data), size); \
    assay::fuzz::succeeds([&] { assay::fuzz::target(bytes); });              \
    return 0;                                                                \
  }
