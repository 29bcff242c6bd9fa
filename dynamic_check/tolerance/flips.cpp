#include "dynamic_check/tolerance/flips.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "dynamic_check/tolerance/statistics.h"

namespace assay {

void Flips::add(const at::Tensor& run, const at::Tensor& sample) {
  ++runs_;
  const at::Tensor differs = run.ne(sample);
  const int64_t elements = differs.sum().item<int64_t>();
  if (elements == 0) return;
  largest_ = std::max(largest_, elements);
  const at::Tensor counts = differs.to(at::kInt);
  counts_ = counts_.defined() ? counts_ + counts : counts;
}

void Flips::add(const Flips& further) {
  runs_ += further.runs_;
  largest_ = std::max(largest_, further.largest_);
  if (!further.counts_.defined()) return;
  counts_ = counts_.defined() ? counts_ + further.counts_.to(counts_.device()) : further.counts_;
}

int64_t Flips::elements() const { return any() ? where().sum().item<int64_t>() : 0; }

at::Tensor Flips::where() const { return any() ? counts_.gt(0) : at::Tensor(); }

int64_t Flips::unseen(double chance) const {
  if (!any()) return 0;
  const auto clump = static_cast<double>(largest_);
  const auto once = static_cast<double>(counts_.eq(1).sum().item<int64_t>());
  // One more clump than was seen: runs may have been lucky.
  const double clumps = (once / clump + 1) / static_cast<double>(runs_);
  return largest_ * poisson_quantile(clumps, chance);
}

}  // namespace assay
