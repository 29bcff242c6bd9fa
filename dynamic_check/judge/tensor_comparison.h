// Holds merged tensors against the sequential program's, within the tolerance of each.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/tolerance/tolerance.h"

namespace assay {

// What a tensor of the distributed program must equal.
struct ExpectedTensor {
  at::ScalarType dtype = at::kFloat;
  std::vector<int64_t> shape;
  // The tensor of the unperturbed sequential run, where its elements count one by one: integers,
  // booleans, and floating ones of which some are NaN or infinite. Else undefined.
  at::Tensor run;
  std::optional<Spread> spread;  // of a floating tensor
  // How many times as much as the spread the noise of the ranks' own graphs is, where that is
  // beyond what is a tolerance (rank_noise.h); else 0.
  double excess_noise = 0;
  Flips flips{};  // of integers or booleans
};

// Of the unperturbed run's tensor, which is copied where it is kept; without a spread.
ExpectedTensor reference_of(const at::Tensor& run);

// The same on that device; itself, where it is there.
ExpectedTensor on_device(const ExpectedTensor& reference, at::Device device);

// The same tensor for another estimate of its spread and flips.
ExpectedTensor without_samples(const ExpectedTensor& reference);

// Adds the tensor of one perturbed run, which has the reference's shape and dtype.
void add_sample(ExpectedTensor& reference, const at::Tensor& sample);

// What further runs, as many as there were, say besides: the larger spread counts, and all flips.
void add_estimate(ExpectedTensor& reference, const ExpectedTensor& further);

struct ComparisonFactors {
  double block = 0;  // multiples of the spread's root mean square (statistics.h)
  double whole = 0;
  // The largest relative error instead, whatever the spread.
  std::optional<double> bound = std::nullopt;
  // Of more flips than rounding explains, where it decides integers or booleans (flips.h).
  double flip_chance = 1e-6;
};

struct Comparison {
  bool within = true;
  std::string kind{};  // as DeviationReport::kind, when not within
  double error =
      0;  // relative Frobenius norm: of the whole, or of the worst block when only a block is out
  double allowed = 0;  // relative to the same norm
  std::string detail{};
  std::string flips{};     // how integers or booleans differ where rounding decides
  bool undecided = false;  // they differ, and rounding decides all of them: nothing is compared
};

// `value`: merged, float64 (or integers as they are) of recorded type `dtype`.
Comparison compare(const at::Tensor& value, at::ScalarType dtype, const ExpectedTensor& reference,
                   const ComparisonFactors& factors);

// Norm of the error against the allowed one, whole first, then the worst block; nullopt when
// everything is within.
struct Excess {
  double error;
  double allowed;
  double norm;  // of the exact value, whole or block
  std::optional<size_t> block;
};
std::optional<Excess> find_excess(const Norms& error, const Norms& allowed, const Norms& norms);

// value / norm, or value where the norm is 0.
double relative_to(double value, double norm);

}  // namespace assay
