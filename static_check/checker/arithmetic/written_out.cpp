#include "static_check/checker/arithmetic/written_out.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

bool hides_label_of(const Facts& facts, AtomId atom, const Instance& made) {
  return std::any_of(made.labels.begin(), made.labels.end(), [&](const InstanceLabel& label) {
    return label.tag == Tag::kReduced && facts.hides(atom, label.hidden);
  });
}

bool holds(const std::vector<Box>& boxes, LabelId label, Int value) {
  return std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    if (box.label != label) return true;
    const Int digit = value / box.stride % box.radix;
    return std::any_of(box.in.begin(), box.in.end(),
                       [&](const Interval& in) { return in.lo <= digit && digit < in.hi; });
  });
}

// What the instance reduces at this index, where its labels are in the boxes.
Factors reduced(const Region& region, const Instance& made, const Affine& index,
                const std::vector<Box>& boxes) {
  std::vector<std::vector<Affine>> choices{label_coordinates(region, made, index)};
  for (size_t i = 0; i < made.labels.size(); ++i) {
    const InstanceLabel& label = made.labels[i];
    if (label.tag != Tag::kReduced) continue;
    std::vector<std::vector<Affine>> longer;
    for (Int value = 0; value < label.size; ++value) {
      if (!holds(boxes, label.hidden, value)) continue;
      for (std::vector<Affine> choice : choices) {
        choice[i] = Affine{value, {}};
        longer.push_back(std::move(choice));
      }
    }
    choices = std::move(longer);
  }
  Factors found;
  for (const std::vector<Affine>& labels : choices)
    found.push_back({made.operands[0].atom, operand_index(made, 0, labels)});
  return found;
}

}  // namespace

bool is_reduction_of_few(const Facts& facts, AtomId atom, Instance::Kind kind) {
  const Instance* made = facts.definition(atom);
  if (made == nullptr || made->kind != kind) return false;
  Int elements = 1;
  for (const InstanceLabel& label : made->labels) {
    if (label.tag != Tag::kReduced) continue;
    if (label.size > kFewElements) return false;
    elements *= label.size;
    if (elements > kFewElements) return false;
  }
  return true;
}

std::optional<Sum> written_out(const Facts& facts, const Region& region, const Product& product,
                               size_t at) {
  const Factor factor = product.factors[at];
  const Instance& made = *facts.definition(factor.atom);
  Product rest = product;
  rest.factors.erase(rest.factors.begin() + static_cast<ptrdiff_t>(at));
  if (std::any_of(rest.factors.begin(), rest.factors.end(),
                  [&](const Factor& other) { return hides_label_of(facts, other.atom, made); }))
    return std::nullopt;
  std::vector<Box> own;
  std::erase_if(rest.boxes, [&](const Box& box) {
    const bool mine =
        std::any_of(made.labels.begin(), made.labels.end(), [&](const InstanceLabel& label) {
          return label.tag == Tag::kReduced && label.hidden == box.label;
        });
    if (mine) own.push_back(box);
    return mine;
  });
  Sum result;
  for (const Factor& element : reduced(region, made, factor.index, own)) {
    result.push_back(rest);
    result.back().factors.push_back(element);
  }
  return result;
}

}  // namespace assay::checker
