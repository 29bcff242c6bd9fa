#include "dynamic_check/run/execute/collective_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/base/error.h"

namespace assay {

Reduction reduction_of(const c10d::ReduceOp& op) {
  switch (static_cast<c10d::ReduceOp::RedOpType>(op)) {
    case c10d::ReduceOp::SUM:
      return Reduction::kSum;
    case c10d::ReduceOp::AVG:
      return Reduction::kAverage;
    case c10d::ReduceOp::PRODUCT:
      return Reduction::kProduct;
    case c10d::ReduceOp::MIN:
      return Reduction::kMin;
    case c10d::ReduceOp::MAX:
      return Reduction::kMax;
    default:
      throw UserError({}, "this reduction is not supported in a dynamic check",
                      "use sum, avg, product, min or max");
  }
}

std::string types_and_sizes(const std::vector<at::Tensor>& tensors, bool sizes) {
  std::string text;
  for (const at::Tensor& tensor : tensors) {
    text += fmt::format(" {}", c10::toString(tensor.scalar_type()));
    if (sizes) text += fmt::format(" [{}]", fmt::join(tensor.sizes(), ", "));
  }
  return text;
}

std::string signature(const CollectiveText& call, const std::vector<at::Tensor>& tensors) {
  std::string text = call.op;
  if (!call.detail.empty()) text += " " + call.detail;
  // The members of an all-to-all may send different sizes, and of a scatter one alone sends.
  if (call.type == c10d::OpType::SCATTER) return text;
  const bool sizes =
      call.type != c10d::OpType::ALLTOALL_BASE && call.type != c10d::OpType::ALLTOALL;
  return text + types_and_sizes(tensors, sizes);
}

std::string message_text(int tag, const at::Tensor& tensor) {
  return fmt::format("tag {}{}", tag, types_and_sizes({tensor}));
}

}  // namespace assay
