#include "dynamic_check/execute/reduce.h"

#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

#include "shared_ir/error.h"

namespace assay {

std::optional<Reduction> parse_reduction(std::string_view name) {
  if (name == "sum") return Reduction::kSum;
  if (name == "avg") return Reduction::kAverage;
  if (name == "product") return Reduction::kProduct;
  if (name == "min") return Reduction::kMin;
  if (name == "max") return Reduction::kMax;
  return std::nullopt;
}

at::Tensor reduce_members(Reduction reduction, std::span<const at::Tensor> members) {
  ASSAY_CHECK(!members.empty(), "a reduction needs a member");
  at::Tensor result = members.front().clone();
  for (const at::Tensor& member : members.subspan(1)) {
    switch (reduction) {
      case Reduction::kSum:
      case Reduction::kAverage:
        result.add_(member);
        break;
      case Reduction::kProduct:
        result.mul_(member);
        break;
      case Reduction::kMin:
        result = at::minimum(result, member);
        break;
      case Reduction::kMax:
        result = at::maximum(result, member);
        break;
    }
  }
  if (reduction == Reduction::kAverage) result.div_(static_cast<int64_t>(members.size()));
  return result;
}

}  // namespace assay
