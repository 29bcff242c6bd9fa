// Whole cases, drawn at random: a sequential program over declared operators, and ranks that
// compute it, each its part, as sharding along a dimension, copies and partial sums would have it.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fuzz/drawing/placed_program.h"

namespace assay::test {

struct RandomCase {
  Case refinement;
  std::vector<Placed> inputs;
};

/// A valid case of about `nodes` sequential calls.
RandomCase random_case(uint64_t seed, size_t nodes);

}  // namespace assay::test
