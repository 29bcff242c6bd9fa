#include "dynamic_check/localize/fault_kind.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamic_check/numbers/numbers.h"

namespace assay {
namespace {

// The share of the error that is a multiple of the exact value: |<error, exact>| / (|error|
// |exact|).
double correlation(const at::Tensor& error, const at::Tensor& exact) {
  const double norms = error.norm().item<double>() * exact.norm().item<double>();
  return norms > 0 ? std::abs(error.mul(exact).sum().item<double>()) / norms : 0;
}

bool leans_on_value(const at::Tensor& error, const at::Tensor& exact) {
  const double lean = correlation(error, exact);
  const double relative =
      error.norm().item<double>() / std::max(exact.norm().item<double>(), 1e-300);
  // Six standard deviations of the correlation of independent noise.
  const double noise = 6 / std::sqrt(static_cast<double>(std::max<int64_t>(exact.numel(), 1)));
  return lean > noise && lean > relative / 2;
}

// A precision error is everywhere; a wrong tile is not.
bool is_localized(const Norms& error) {
  if (error.blocks.size() < 8) return false;
  std::vector<double> sorted = error.blocks;
  std::sort(sorted.begin(), sorted.end());
  return sorted.back() > 16 * sorted[sorted.size() / 2];
}

}  // namespace

std::optional<std::string> explaining_precision(const at::Tensor& actual, const at::Tensor& exact,
                                                const Norms& error, int64_t length, DType precision,
                                                const std::function<double(double)>& spread) {
  const at::Tensor finite = (actual - exact).isfinite();
  const at::Tensor difference = (actual - exact).masked_fill(finite.logical_not(), 0);
  const at::Tensor value = exact.masked_fill(finite.logical_not(), 0);
  if (leans_on_value(difference, value) || is_localized(error)) return std::nullopt;
  const double norm = value.norm().item<double>();
  for (DType lower : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const double roundoff = unit_roundoff(lower);
    if (roundoff < unit_roundoff(precision)) continue;
    const double accumulated = 0.4 * roundoff * std::sqrt(static_cast<double>(length) / 2) * norm;
    if (error.whole <= 2 * std::hypot(accumulated, spread(roundoff))) {
      return fmt::format("{} in {}", length > 1 ? "accumulation" : "arithmetic", to_string(lower));
    }
  }
  return std::nullopt;
}

}  // namespace assay
