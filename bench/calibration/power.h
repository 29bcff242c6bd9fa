// The smallest error that is still caught.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/refinement.h"
#include "shared_ir/dtype.h"

namespace assay::bench {

// Runs in which one operator of one rank was wrong by one factor.
struct PowerPoint {
  double error;  // 1 + error times the right result, in unit roundoffs of the precision
  int64_t injected = 0;
  int64_t caught = 0;               // not within tolerance
  int64_t named = 0;                // caught, and the operator was named
  std::vector<std::string> missed;  // the others: fixture, rank, operator, source
};

struct PowerCurve {
  DType precision;
  std::vector<PowerPoint> points;  // by growing error
};

// For each precision and each error of 2^0, 2^1, ... 2^doublings unit roundoffs, `draws` runs, each
// of a fixture, a rank and an operator drawn by `seed`: one whose result is floating, and not a
// collective's, which would give its members different results. `progress` is told after each run.
std::vector<PowerCurve> measure_power(const std::vector<RefinementSpec>& fixtures,
                                      const std::vector<DType>& precisions, int doublings,
                                      int draws, uint64_t seed,
                                      const std::function<void()>& progress);

}  // namespace assay::bench
