// How far a tensor of the sequential program may lie from its exact value, by how far perturbed
// runs of it do.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "dynamic_check/numbers/numbers.h"

namespace assay {

// Where distances are estimates (Spread::is_estimate), a tensor is within when its error is at most
// this share of what is allowed. Else it may be out: only an exact reference tells.
inline constexpr double kTrustedShare = 0.6;

// The deviations of one floating tensor over several runs. Everything is in absolute Frobenius
// norms, so that a tensor whose exact value is near zero is measured by its own rounding noise and
// not by its norm.
class Spread {
 public:
  // `exact`: the float64 value.
  explicit Spread(at::Tensor exact);

  // Keeps a sketch in place of the exact value: distances from it are estimates then. For what is
  // too large to be kept. nullopt where the value is not finite.
  static std::optional<Spread> sketched(const at::Tensor& exact);

  // For another estimate of it, from other runs.
  Spread without_samples() const;

  // Norms of the difference of a tensor of the same shape from the exact value.
  Norms distance(const at::Tensor& value) const;

  // Distances are estimates (sketch.h says how good): where errors are many and independent, one of
  // a block says less than kTrustedShare of what it is with a chance of at most 1e-10 (Chernoff's
  // bound for 128 squares).
  bool is_estimate() const { return sketch_.has_value(); }

  // Adds the tensor of one perturbed run, in any floating dtype.
  void add(const at::Tensor& sample);

  // Takes the larger spread of the two, of each block and of the whole: another estimate of the
  // same noise, by the same number of samples of the same exact value.
  void raise_to(const Spread& other);

  // Takes the larger spread as raise_to() does, but no more than `most` times this one.
  void raise_to(const Spread& other, double most);

  // How many times as large as this one's the other spread of the whole is; infinite where this one
  // has none.
  double times(const Spread& other) const;

  // The largest deviation allowed, of each block and of the whole: the root mean square over the
  // runs times a factor (statistics.h), and at least the floor.
  Norms allowed(double block_factor, double whole_factor, double unit_roundoff) const;

  // The largest deviation allowed by a relative bound: that much of the norm of the whole, of each
  // block that much of its own norm or of the mean block's where that is larger, and at least the
  // floor. Needs no runs.
  Norms bounded(double bound, double unit_roundoff) const;

  // What is allowed whatever the runs did: `unit_roundoff` of the norm, of each block and of the
  // whole.
  Norms floor(double unit_roundoff) const;

  void move_to(at::Device device) { exact_ = exact_.to(device); }

  // Undefined where there is a sketch in its place.
  const at::Tensor& exact() const { return exact_; }
  const Norms& norms() const { return norms_; }  // of the exact value
  int64_t samples() const { return samples_; }

 private:
  Spread() = default;

  at::Tensor exact_;
  std::optional<Sketch> sketch_;
  Norms norms_;
  Norms squares_;  // sums of squared deviations
  int64_t samples_ = 0;
};

}  // namespace assay
