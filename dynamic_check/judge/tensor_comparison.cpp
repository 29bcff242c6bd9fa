#include "dynamic_check/judge/tensor_comparison.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/numbers/numbers.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

Comparison out(std::string kind, std::string detail) {
  return {.within = false, .kind = std::move(kind), .error = 1, .detail = std::move(detail)};
}

Comparison compare_exactly(const at::Tensor& value, const ExpectedTensor& reference,
                           double flip_chance) {
  const at::Tensor differs = value.ne(reference.run);
  const int64_t different = differs.sum().item<int64_t>(), all = value.numel();
  // Equal in every element, though rounding may decide some: it is what was to be seen.
  if (different == 0) return {};
  const Flips& flips = reference.flips;
  if (!flips.any()) return out("value", fmt::format("{} of {} elements differ", different, all));
  const int64_t seen = flips.elements(), unseen = flips.unseen(flip_chance);
  const int64_t beyond =
      different - differs.logical_and(flips.where().to(differs.device())).sum().item<int64_t>();
  const std::string margin = fmt::format(
      "flips under rounding: margin: {} of {} elements differ, {} of them where no perturbed run "
      "does; {} runs differ in {} elements, which leaves up to {} more",
      different, all, beyond, flips.runs(), seen, unseen);
  if (seen + unseen >= all) return {.flips = margin, .undecided = true};
  if (beyond > unseen) return out("value", margin);
  return {.flips = margin};
}

// Places at which the run and the value are not both finite, nor the same. `error`: of the value.
int64_t special_differences(const at::Tensor& value, const ExpectedTensor& reference,
                            const Norms& error) {
  if (reference.run.defined()) return special_mismatches(value, reference.run);
  // The run is finite everywhere. So is a value whose difference from the exact one is.
  return error.finite ? 0 : special_mismatches(value, at::zeros_like(value));
}

Norms share_of(Norms norms, double share) {
  for (double& block : norms.blocks) block *= share;
  norms.whole *= share;
  return norms;
}

Comparison compare_floating(const at::Tensor& value, const ExpectedTensor& reference,
                            const ComparisonFactors& factors) {
  const Spread& spread = *reference.spread;
  const double roundoff = unit_roundoff(to_dtype(reference.dtype));
  const Norms error = spread.distance(value);
  const int64_t specials = special_differences(value, reference, error);
  if (specials > 0) {
    return out("nan",
               fmt::format("NaN or infinity differ at {} of {} elements", specials, value.numel()));
  }
  const Norms allowed = factors.bound ? spread.bounded(*factors.bound, roundoff)
                                      : spread.allowed(factors.block, factors.whole, roundoff);
  Comparison result{.error = relative_to(error.whole, spread.norms().whole),
                    .allowed = relative_to(allowed.whole, spread.norms().whole)};
  const Norms trusted = spread.is_estimate() ? share_of(allowed, kTrustedShare) : allowed;
  if (const auto excess = find_excess(error, trusted, spread.norms())) {
    result.within = false;
    result.kind = "value";
    result.error = relative_to(excess->error, excess->norm);
    // As far as the noise of its own graphs goes, the program computes the right thing.
    const bool less_precise = excess->error <= reference.excess_noise * excess->allowed;
    if (less_precise) result.kind = "less_precise";
    result.allowed = relative_to(excess->allowed, excess->norm);
    if (excess->block) {
      const int64_t size = block_size(value.numel());
      const int64_t begin = static_cast<int64_t>(*excess->block) * size;
      result.detail = fmt::format("only in a block: elements {} to {} of {}", begin,
                                  std::min(begin + size, value.numel()) - 1, value.numel());
    }
    if (less_precise)
      result.detail += fmt::format(
          "{}less precise than its specification by {:.3g}x: the ranks' graphs round "
          "so much more than any order of the sequential program's sums",
          result.detail.empty() ? "" : "; ", reference.excess_noise);
  }
  return result;
}

}  // namespace

ExpectedTensor reference_of(const at::Tensor& run) {
  const bool counts = !run.is_floating_point() || !all_finite(run);
  return {.dtype = run.scalar_type(),
          .shape = run.sizes().vec(),
          .run = counts ? kept_copy(run) : at::Tensor(),
          .spread = std::nullopt};
}

ExpectedTensor on_device(const ExpectedTensor& reference, at::Device device) {
  ExpectedTensor result = reference;
  if (result.run.defined()) result.run = result.run.to(device);
  if (result.spread && !result.spread->is_estimate()) result.spread->move_to(device);
  return result;
}

ExpectedTensor without_samples(const ExpectedTensor& reference) {
  ExpectedTensor result = reference;
  if (reference.spread) result.spread = reference.spread->without_samples();
  result.flips = {};
  return result;
}

void add_sample(ExpectedTensor& reference, const at::Tensor& sample) {
  if (reference.spread) {
    reference.spread->add(sample);
  } else {
    reference.flips.add(reference.run, sample);
  }
}

void add_estimate(ExpectedTensor& reference, const ExpectedTensor& further) {
  if (reference.spread) reference.spread->raise_to(*further.spread);
  reference.flips.add(further.flips);
}

Comparison compare(const at::Tensor& value, at::ScalarType dtype, const ExpectedTensor& reference,
                   const ComparisonFactors& factors) {
  if (dtype != reference.dtype) {
    return out("dtype", fmt::format("{} where the sequential program has {}", c10::toString(dtype),
                                    c10::toString(reference.dtype)));
  }
  if (value.sizes() != at::IntArrayRef(reference.shape)) {
    return out("shape",
               fmt::format("[{}] where the sequential program has [{}]",
                           fmt::join(value.sizes(), ", "), fmt::join(reference.shape, ", ")));
  }
  return reference.spread ? compare_floating(value, reference, factors)
                          : compare_exactly(value, reference, factors.flip_chance);
}

std::optional<Excess> find_excess(const Norms& error, const Norms& allowed, const Norms& norms) {
  if (error.whole > allowed.whole)
    return Excess{error.whole, allowed.whole, norms.whole, std::nullopt};
  std::optional<Excess> worst;
  for (size_t i = 0; i < error.blocks.size(); ++i) {
    if (error.blocks[i] <= allowed.blocks[i]) continue;
    if (!worst || error.blocks[i] / allowed.blocks[i] > worst->error / worst->allowed) {
      worst = Excess{error.blocks[i], allowed.blocks[i], norms.blocks[i], i};
    }
  }
  return worst;
}

double relative_to(double value, double norm) { return norm > 0 ? value / norm : value; }

}  // namespace assay
