#include "static_check/checker/arithmetic/definitions.h"

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {

std::vector<Affine> label_coordinates(const Region& region, const Instance& instance,
                                      const Affine& index) {
  std::vector<Affine> coordinates(instance.labels.size());
  Affine rest = index;
  for (size_t i = 0; i < instance.labels.size(); ++i) {
    const InstanceLabel& label = instance.labels[i];
    if (label.size == 1 || label.out_stride == 0) continue;
    std::tie(coordinates[i], rest) = divide(region, rest, label.out_stride);
  }
  return coordinates;
}

Affine operand_index(const Instance& instance, size_t operand, const std::vector<Affine>& labels) {
  Affine index{instance.operands[operand].offset, {}};
  for (size_t i = 0; i < labels.size(); ++i)
    if (instance.labels[i].strides[operand] != 0)
      index = plus(index, times(labels[i], instance.labels[i].strides[operand]));
  return index;
}

Sum guarded(const Factor& of, const std::vector<PiecewiseAffine::Piece>& pieces) {
  Sum sum;
  for (const PiecewiseAffine::Piece& piece : pieces) {
    std::vector<Guard> guards;
    if (pieces.size() > 1) guards.push_back({of, {piece.x}});
    if (piece.a != 0) sum.push_back({piece.a, {of}, {}, guards});
    if (piece.b != 0) sum.push_back({piece.b, {}, {}, guards});
  }
  return sum;
}

bool is_definition(const Facts& facts, const Instance& made) {
  return made.kind == Instance::Kind::kMul || made.kind == Instance::Kind::kCombine ||
         made.kind == Instance::Kind::kCat || facts.pieces_of(made) != nullptr;
}

std::optional<Sum> expand(const Facts& facts, const Region& region, const Factor& factor) {
  const Instance* made = facts.definition(factor.atom);
  if (made == nullptr) return std::nullopt;
  const auto operand = [&](size_t i, const std::vector<Affine>& labels) {
    return Factor{made->operands[i].atom, operand_index(*made, i, labels)};
  };
  switch (made->kind) {
    case Instance::Kind::kMul: {
      const std::vector<Affine> labels = label_coordinates(region, *made, factor.index);
      return Sum{Product{1, {operand(0, labels), operand(1, labels)}, {}, {}}};
    }
    case Instance::Kind::kCombine: {
      const std::vector<Affine> labels = label_coordinates(region, *made, factor.index);
      Sum sum;
      for (const Instance::CombineTerm& term : made->terms) {
        Product product{term.coef, {operand(static_cast<size_t>(term.operand), labels)}, {}, {}};
        size_t guards = 0;
        for (const Restriction& restriction : term.restrictions) {
          if (restriction.kind == Restriction::Kind::kGuard)
            product.guards.push_back(
                {operand(static_cast<size_t>(term.guard_operands[guards++]), labels),
                 restriction.intervals});
          else
            product.boxes.push_back({restriction.label, restriction.stride, restriction.radix,
                                     restriction.kind == Restriction::Kind::kMax,
                                     restriction.intervals});
        }
        sum.push_back(std::move(product));
      }
      return sum;
    }
    case Instance::Kind::kCat: {
      std::vector<Int> starts{0};
      for (const Int size : made->piece_sizes) starts.push_back(starts.back() + size);
      const auto [across, along] = divide(region, factor.index, starts.back());
      std::vector<Affine> labels = label_coordinates(region, *made, times(across, starts.back()));
      const size_t piece = locate(region, along, starts);
      Affine rest = shifted(along, -starts[piece]);
      Int size = made->piece_sizes[piece];
      for (size_t i = 0; i < labels.size(); ++i) {
        const InstanceLabel& label = made->labels[i];
        if (label.tag != InstanceLabel::Tag::kWhole ||
            label.spec_label != static_cast<int32_t>(piece))
          continue;
        size /= label.size;
        if (label.size > 1) std::tie(labels[i], rest) = divide(region, rest, size);
      }
      return Sum{Product{1, {operand(piece, labels)}, {}, {}}};
    }
    case Instance::Kind::kMap: {
      const auto* pieces = facts.pieces_of(*made);
      if (pieces == nullptr) return std::nullopt;
      return guarded(operand(0, label_coordinates(region, *made, factor.index)), *pieces);
    }
    default:
      return std::nullopt;
  }
}

Factors factors_of(const Facts& facts, const Region& region, Factors factors) {
  Factors result;
  while (!factors.empty()) {
    const Factor factor = std::move(factors.back());
    factors.pop_back();
    const Instance* made = facts.definition(factor.atom);
    if (made == nullptr || made->kind != Instance::Kind::kMul) {
      result.push_back(factor);
      continue;
    }
    const Factors inside = expand(facts, region, factor)->front().factors;
    factors.insert(factors.end(), inside.begin(), inside.end());
  }
  return result;
}

std::optional<Sum> expand_by_lemmas(const Facts& facts, const Product& product,
                                    const Factor& factor) {
  const Facts::Multiple* equal = facts.equal_to(factor.atom);
  if (equal == nullptr) return std::nullopt;
  for (const Box& box : product.boxes)
    if (facts.hides(factor.atom, box.label)) return std::nullopt;
  return Sum{Product{equal->factor, {{equal->atom, factor.index}}, {}, {}}};
}

}  // namespace assay::checker
