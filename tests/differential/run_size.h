// How much a run of the differential tests draws, and how exactly it compares.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace assay::test {

constexpr double kDifferentialTolerance = 1e-9;

// The environment's number of that name.
inline uint64_t number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace assay::test
