// Random programs, seed after seed, each block in a process of its own: a kernel of PyTorch that
// reads past its memory ends that block alone, and shows as a failure of its seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/declarations/kernel_comparison.h"

namespace assay::test {

struct SeedResult {
  Comparison found;
  std::string program = {};  // printed where it disagrees
  bool drawn = true;         // the seed gave a program
};

// Compares the programs of ASSAY_DIFFERENTIAL seeds (300 where it is not set) from ASSAY_SEED on.
// Fails for each that disagrees or ends its process, and where fewer than one in `per_agreeing`
// agrees; prints the counts, and in a full run why programs are refused.
void expect_agreement(const std::function<SeedResult(uint64_t seed)>& compare,
                      uint64_t per_agreeing);

}  // namespace assay::test
