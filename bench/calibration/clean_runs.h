// How often correct programs are called wrong, and how far they lie from the tolerance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/refinement.h"
#include "shared_ir/dtype.h"

namespace assay::bench {

// A correct program that was not within tolerance.
struct Alarm {
  std::string fixture;
  DType precision;
  uint64_t seed;
  std::string why;
};

// Of all tensors of all runs in one precision.
struct Deviations {
  DType precision;
  double allowed = 0;  // the smallest multiple of the predicted deviation that a run allowed
  // Measured over predicted deviation: relative error over the root mean square of the perturbed
  // runs. Sorted.
  std::vector<double> measured;
};

struct CleanRuns {
  int64_t runs = 0;
  std::vector<Alarm> alarms;
  std::vector<Deviations> deviations;  // one for each precision
};

// At least `runs` dynamic checks, in rounds: each fixture in each precision with one seed, all of
// them different, from `first_seed` on. After each run, `goes_on` says whether another one follows.
CleanRuns run_clean(const std::vector<RefinementSpec>& fixtures,
                    const std::vector<DType>& precisions, int64_t runs, uint64_t first_seed,
                    const std::function<bool()>& goes_on);

// Element of a sorted list below which a share `p` of it lies, 0 <= p <= 1. Not for an empty list.
double quantile(const std::vector<double>& sorted, double p);

}  // namespace assay::bench
