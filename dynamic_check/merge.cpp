#include "dynamic_check/merge.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace assay {
namespace {

using LeafTensors = std::map<RankTensorName, at::Tensor>;

void collect_leaves(const CleanExpr& expr,
                    const std::function<at::Tensor(const RankTensorName&)>& recorded,
                    LeafTensors& leaves) {
  if (expr.kind == CleanExpr::Kind::kTensor) {
    leaves.try_emplace({expr.name, expr.rank}, recorded({expr.name, expr.rank}));
  }
  for (const CleanExpr& operand : expr.operands) collect_leaves(operand, recorded, leaves);
}

std::optional<MergeFault> check_leaves(const LeafTensors& leaves) {
  for (const auto& [name, tensor] : leaves) {
    if (!tensor.defined()) {
      return MergeFault{"omission", fmt::format("{}@{} was not recorded", name.first, name.second)};
    }
    const auto& [first_name, first] = *leaves.begin();
    if (tensor.scalar_type() != first.scalar_type()) {
      return MergeFault{"dtype",
                        fmt::format("{}@{} is {}, {}@{} is {}", first_name.first, first_name.second,
                                    c10::toString(first.scalar_type()), name.first, name.second,
                                    c10::toString(tensor.scalar_type()))};
    }
  }
  return std::nullopt;
}

// Which leaf elements each element of the value is a sum of. A layer holds, for every element, the
// number of one leaf element, or 0 for none.
class Provenance {
 public:
  explicit Provenance(const LeafTensors& leaves) {
    int64_t next = 1;
    for (const auto& [name, tensor] : leaves) {
      numbers_[name] = at::arange(next, next + tensor.numel(), at::kLong).view(tensor.sizes());
      next += tensor.numel();
    }
  }

  std::vector<at::Tensor> layers(const CleanExpr& expr) const {
    if (expr.kind == CleanExpr::Kind::kTensor) return {numbers_.at({expr.name, expr.rank})};
    if (expr.kind == CleanExpr::Kind::kSum) {
      std::vector<at::Tensor> all;
      for (const CleanExpr& operand : expr.operands) {
        for (at::Tensor& layer : layers(operand)) all.push_back(std::move(layer));
      }
      return all;
    }
    if (expr.kind == CleanExpr::Kind::kScale) return layers(expr.operands.front());
    return move_layers(expr);
  }

 private:
  // A movement acts on each layer alone; operands with fewer layers get empty ones.
  std::vector<at::Tensor> move_layers(const CleanExpr& expr) const {
    std::vector<std::vector<at::Tensor>> operands;
    size_t count = 0;
    for (const CleanExpr& operand : expr.operands) {
      operands.push_back(layers(operand));
      count = std::max(count, operands.back().size());
    }
    CleanExpr movement = expr;
    for (size_t i = 0; i < movement.operands.size(); ++i) {
      movement.operands[i] = {};
      movement.operands[i].rank = static_cast<Rank>(i);
    }
    std::vector<at::Tensor> result;
    for (size_t layer = 0; layer < count; ++layer) {
      result.push_back(evaluate(movement, [&](const RankTensorName& name) {
        const auto& of_operand = operands.at(static_cast<size_t>(name.second));
        return layer < of_operand.size() ? of_operand[layer] : at::zeros_like(of_operand.front());
      }));
    }
    return result;
  }

  LeafTensors numbers_;
};

// True when some element takes the same leaf element twice.
bool overlaps(const std::vector<at::Tensor>& layers) {
  for (size_t i = 0; i < layers.size(); ++i) {
    for (size_t j = i + 1; j < layers.size(); ++j) {
      if (layers[i].eq(layers[j]).logical_and(layers[i].ne(0)).any().item<bool>()) return true;
    }
  }
  return false;
}

bool leaves_gaps(const std::vector<at::Tensor>& layers) {
  at::Tensor covered = layers.front().ne(0);
  for (const at::Tensor& layer : layers) covered = covered.logical_or(layer.ne(0));
  return !covered.all().item<bool>();
}

bool computes(const CleanExpr& expr) {
  return expr.kind == CleanExpr::Kind::kSum || expr.kind == CleanExpr::Kind::kScale ||
         std::ranges::any_of(expr.operands, computes);
}

// Whether each leaf stands there once and nothing is padded: then no element can be added to
// itself, and none is made of padding.
bool is_plain(const CleanExpr& expr, std::set<RankTensorName>& seen) {
  if (expr.kind == CleanExpr::Kind::kTensor) return seen.emplace(expr.name, expr.rank).second;
  return expr.kind != CleanExpr::Kind::kPad &&
         std::ranges::all_of(expr.operands,
                             [&](const CleanExpr& operand) { return is_plain(operand, seen); });
}

}  // namespace

Merged merge(const CleanExpr& expr, const Shape& shape,
             const std::function<at::Tensor(const RankTensorName&)>& recorded) {
  Merged result;
  LeafTensors leaves;
  collect_leaves(expr, recorded, leaves);
  if ((result.fault = check_leaves(leaves))) return result;
  result.dtype = leaves.begin()->second.scalar_type();
  if (computes(expr)) {
    for (auto& [name, tensor] : leaves)
      if (tensor.is_floating_point()) tensor = tensor.to(at::kDouble);
  }
  try {
    if (std::set<RankTensorName> seen; !is_plain(expr, seen)) {
      const std::vector<at::Tensor> layers = Provenance(leaves).layers(expr);
      if (overlaps(layers)) {
        result.fault =
            MergeFault{"overlap", fmt::format("{} adds an element to itself", to_string(expr))};
        return result;
      }
      result.has_padding = leaves_gaps(layers);
    }
    result.value = evaluate(expr, [&](const RankTensorName& name) { return leaves.at(name); });
  } catch (const UserError& error) {
    result.fault = MergeFault{"shape", error.message()};
    return result;
  }
  if (result.value.sizes() != at::IntArrayRef(shape)) {
    result.fault = MergeFault{
        "shape", fmt::format("{} has shape [{}], expected [{}]", to_string(expr),
                             fmt::join(result.value.sizes(), ", "), fmt::join(shape, ", "))};
    result.value.reset();
  }
  return result;
}

}  // namespace assay
