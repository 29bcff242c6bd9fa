#include "static_check/checker/reduction/reduced_labels.h"

#include <algorithm>
#include <numeric>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/facts/regions.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

}  // namespace

std::optional<std::vector<Affine>> operand_labels(const Region& region, const Instance& instance,
                                                  size_t operand, const Affine& index,
                                                  const KnownLabels& known) {
  const auto stride_of = [&](size_t i) { return instance.labels[i].strides[operand]; };
  std::vector<Affine> labels(instance.labels.size());
  Affine rest = shifted(index, -instance.operands[operand].offset);
  std::vector<size_t> order;
  for (size_t i = 0; i < instance.labels.size(); ++i) {
    if (instance.labels[i].size == 1 || stride_of(i) <= 0) continue;
    if (i >= known.size() || !known[i]) {
      order.push_back(i);
      continue;
    }
    labels[i] = *known[i];
    auto left = minus(rest, times(labels[i], stride_of(i)));
    if (!left) return std::nullopt;
    rest = std::move(*left);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return stride_of(a) > stride_of(b); });
  Int span = 0;  // of the labels inside
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    const InstanceLabel& label = instance.labels[*i];
    if (label.strides[operand] <= span) return std::nullopt;
    span += (label.size - 1) * label.strides[operand];
  }
  if (rest.base < 0 || region.largest(rest) > span) return std::nullopt;
  for (const size_t i : order) {
    std::tie(labels[i], rest) = divide(region, rest, stride_of(i));
    if (region.largest(labels[i]) >= instance.labels[i].size) return std::nullopt;
  }
  if (rest != Affine{}) return std::nullopt;
  return labels;
}

namespace {

constexpr Int kMostPieces = 16;

// The values of base + sum of step * digit, over the digits beyond `outer`, as boxes on a label;
// nullopt when they are no product of digit ranges, or repeat. Throws Split where they lie in
// pieces too far apart for that.
std::optional<std::vector<Box>> image(const Region& region, size_t outer, const Affine& x,
                                      LabelId label, Int size, bool maximum) {
  Modes digits;  // outer to inner
  for (size_t i = outer; i < x.steps.size(); ++i)
    if (x.steps[i] != 0) digits.push_back({region.sizes[i], x.steps[i]});
  std::sort(digits.begin(), digits.end(),
            [](const Mode& a, const Mode& b) { return a.stride > b.stride; });
  for (size_t i = digits.size(); i-- > 1;)
    if (digits[i - 1].stride == digits[i].size * digits[i].stride) {
      digits[i - 1] = {digits[i - 1].size * digits[i].size, digits[i].stride};
      digits.erase(digits.begin() + static_cast<ptrdiff_t>(i));
    }
  std::vector<Box> boxes;
  Int end = size, rest = x.base;
  const auto add = [&](Int count, Int stride) {
    if (end % stride != 0) return false;
    const Int radix = end / stride, first = rest / stride;
    if (first + count > radix) return false;
    if (count != radix) boxes.push_back({label, stride, radix, maximum, {{first, first + count}}});
    rest %= stride;
    end = stride;
    return true;
  };
  for (const Mode& digit : digits) {
    if (add(digit.size, digit.stride)) continue;
    size_t widest = outer;
    for (size_t i = outer; i < x.steps.size(); ++i)
      if (x.steps[i] > x.step(widest)) widest = i;
    if (digits.size() > 1 && region.sizes[widest] <= kMostPieces) throw Split{widest, 1, false};
    return std::nullopt;
  }
  if (end > 1 && !add(1, 1)) return std::nullopt;
  return boxes;
}

}  // namespace

Affine output_index(const Instance& instance, size_t operand, const std::vector<Affine>& labels) {
  Affine index;
  for (size_t i = 0; i < labels.size(); ++i)
    if (instance.labels[i].tag == Tag::kParallel)
      index = plus(index, times(labels[i], instance.labels[i].out_stride));
  if (instance.kind != Instance::Kind::kCat) return index;
  index.base +=
      std::accumulate(instance.piece_sizes.begin(),
                      instance.piece_sizes.begin() + static_cast<ptrdiff_t>(operand), Int{0});
  Int size = instance.piece_sizes[operand];  // of what is inside of a label
  for (size_t i = 0; i < labels.size(); ++i) {
    if (instance.labels[i].tag != Tag::kWhole ||
        instance.labels[i].spec_label != static_cast<int32_t>(operand))
      continue;
    size /= instance.labels[i].size;
    index = plus(index, times(labels[i], size));
  }
  return index;
}

std::optional<Product> reduce_through(const Instance& instance, size_t fixed, const Region& inner,
                                      const Affine& index) {
  const auto labels = operand_labels(inner, instance, 0, index);
  if (!labels) return std::nullopt;
  Product result{1, {{instance.output, {}}}, {}, {}};
  for (size_t i = 0; i < labels->size(); ++i) {
    const InstanceLabel& label = instance.labels[i];
    const Affine& coordinate = (*labels)[i];
    if (label.tag == Tag::kParallel) {
      if (coordinate.depends_beyond(fixed)) return std::nullopt;
      result.factors[0].index = plus(result.factors[0].index, times(coordinate, label.out_stride));
      continue;
    }
    // One box for all elements of the region. (No digit is seen by two labels: divide() hands it
    // to one of them.)
    for (size_t digit = 0; digit < fixed; ++digit)
      if (coordinate.step(digit) != 0) return std::nullopt;
    if (label.size == 1) continue;
    const auto boxes = image(inner, fixed, coordinate, label.hidden, label.size,
                             instance.kind != Instance::Kind::kSum);
    if (!boxes) return std::nullopt;
    result.boxes.insert(result.boxes.end(), boxes->begin(), boxes->end());
  }
  return result;
}

}  // namespace assay::checker
