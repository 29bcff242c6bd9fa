#include "dynamic_check/tolerance/spread.h"

#include <algorithm>
#include <cmath>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

// The smallest normal float32: what is smaller is zero for every precision that runs.
constexpr double kNothing = 0x1p-126;

}  // namespace

Spread::Spread(at::Tensor exact) : exact_(std::move(exact)), norms_(norms_of(exact_)) {
  squares_.blocks.assign(norms_.blocks.size(), 0);
}

std::optional<Spread> Spread::sketched(const at::Tensor& exact) {
  Spread result;
  result.sketch_.emplace(exact);
  if (!result.sketch_->finite()) return std::nullopt;
  result.norms_ = norms_of(exact);
  result.squares_.blocks.assign(result.norms_.blocks.size(), 0);
  return result;
}

Spread Spread::without_samples() const {
  Spread result = *this;
  result.squares_ = {};
  result.squares_.blocks.assign(norms_.blocks.size(), 0);
  result.samples_ = 0;
  return result;
}

Norms Spread::distance(const at::Tensor& value) const {
  return sketch_ ? sketch_->distance_to(Sketch(value)) : difference_norms(value, exact_);
}

void Spread::add(const at::Tensor& sample) {
  const Norms deviation = distance(sample);
  for (size_t i = 0; i < squares_.blocks.size(); ++i) {
    squares_.blocks[i] += deviation.blocks[i] * deviation.blocks[i];
  }
  squares_.whole += deviation.whole * deviation.whole;
  ++samples_;
}

void Spread::raise_to(const Spread& other) {
  ASSAY_CHECK(other.samples_ == samples_ && other.squares_.blocks.size() == squares_.blocks.size(),
              "spreads of other tensors, or of other numbers of samples, do not compare");
  for (size_t i = 0; i < squares_.blocks.size(); ++i)
    squares_.blocks[i] = std::max(squares_.blocks[i], other.squares_.blocks[i]);
  squares_.whole = std::max(squares_.whole, other.squares_.whole);
}

void Spread::raise_to(const Spread& other, double most) {
  Spread limited = other;
  const double squared = most * most;
  for (size_t i = 0; i < squares_.blocks.size(); ++i)
    limited.squares_.blocks[i] = std::min(other.squares_.blocks[i], squared * squares_.blocks[i]);
  limited.squares_.whole = std::min(other.squares_.whole, squared * squares_.whole);
  raise_to(limited);
}

double Spread::times(const Spread& other) const {
  return std::sqrt(other.squares_.whole / squares_.whole);
}

Norms Spread::allowed(double block_factor, double whole_factor, double unit_roundoff) const {
  ASSAY_CHECK(samples_ > 0, "a tolerance needs samples");
  const double samples = static_cast<double>(samples_);
  Norms result = floor(unit_roundoff);
  for (size_t i = 0; i < squares_.blocks.size(); ++i) {
    result.blocks[i] =
        std::max(result.blocks[i], block_factor * std::sqrt(squares_.blocks[i] / samples));
  }
  result.whole = std::max(result.whole, whole_factor * std::sqrt(squares_.whole / samples));
  return result;
}

Norms Spread::bounded(double bound, double unit_roundoff) const {
  Norms result = floor(unit_roundoff);
  const double mean = norms_.whole / std::sqrt(static_cast<double>(norms_.blocks.size()));
  for (size_t i = 0; i < norms_.blocks.size(); ++i)
    result.blocks[i] = std::max(result.blocks[i], bound * std::max(norms_.blocks[i], mean));
  result.whole = std::max(result.whole, bound * norms_.whole);
  return result;
}

Norms Spread::floor(double unit_roundoff) const {
  Norms result = norms_;
  for (double& norm : result.blocks) norm = std::max(unit_roundoff * norm, kNothing);
  result.whole = std::max(unit_roundoff * norms_.whole, kNothing);
  return result;
}

}  // namespace assay
