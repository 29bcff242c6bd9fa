#include "dynamic_check/relate/overlaps_and_gaps.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace assay {
namespace {

std::span<const int64_t> numbers_of(const StridedBuffer& layer) {
  return {reinterpret_cast<const int64_t*>(layer.data), static_cast<size_t>(layer.elements())};
}

// Every element of every leaf has a number of its own, from 1.
LeafBuffers number(const LeafBuffers& leaves) {
  LeafBuffers numbers;
  int64_t next = 1;
  for (const auto& [name, leaf] : leaves) {
    StridedBuffer counted = make_buffer(DType::kInt64, leaf->shape, false);
    auto* first = reinterpret_cast<int64_t*>(counted.owned.get());
    std::iota(first, first + counted.elements(), next);
    next += counted.elements();
    numbers[name] = std::move(counted);
  }
  return numbers;
}

}  // namespace

TakenElements::TakenElements(const CleanExpr& expr, const LeafBuffers& leaves) {
  for (const StridedBuffer& layer : layers(expr, number(leaves)))
    layers_.push_back(contiguous(layer));
}

TakenElements::Layers TakenElements::layers(const CleanExpr& expr, const LeafBuffers& numbers) {
  if (expr.kind == CleanExpr::Kind::kTensor) return {*numbers.at({expr.name, expr.rank})};
  std::vector<Layers> operands;
  for (const CleanExpr& operand : expr.operands) operands.push_back(layers(operand, numbers));
  if (expr.kind == CleanExpr::Kind::kScale) return operands.front();
  Layers result;
  if (expr.kind == CleanExpr::Kind::kSum) {
    for (const Layers& operand : operands)
      result.insert(result.end(), operand.begin(), operand.end());
    return result;
  }
  // A movement acts on each layer alone; operands with fewer layers get empty ones.
  size_t count = 0;
  for (const Layers& operand : operands) count = std::max(count, operand.size());
  for (size_t layer = 0; layer < count; ++layer) {
    Layers parts;
    for (const Layers& operand : operands) {
      parts.push_back(layer < operand.size()
                          ? operand[layer]
                          : make_buffer(DType::kInt64, operand.front().shape, true));
    }
    result.push_back(evaluate_step(expr, parts));
  }
  return result;
}

bool TakenElements::overlaps() const {
  for (size_t i = 0; i < layers_.size(); ++i) {
    for (size_t j = i + 1; j < layers_.size(); ++j) {
      const std::span<const int64_t> one = numbers_of(layers_[i]), other = numbers_of(layers_[j]);
      bool found = false;
      for (size_t k = 0; k < one.size(); ++k) found |= one[k] == other[k] && one[k] != 0;
      if (found) return true;
    }
  }
  return false;
}

bool TakenElements::has_gaps() const {
  const std::span<const int64_t> first = numbers_of(layers_.front());
  if (layers_.size() == 1) return std::ranges::find(first, 0) != first.end();
  std::vector<int64_t> taken(first.begin(), first.end());
  for (const StridedBuffer& layer : layers_) {
    const std::span<const int64_t> numbers = numbers_of(layer);
    for (size_t k = 0; k < taken.size(); ++k) taken[k] |= numbers[k];
  }
  return std::ranges::find(taken, 0) != taken.end();
}

}  // namespace assay
