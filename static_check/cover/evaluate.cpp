#include "static_check/cover/evaluate.h"

#include <algorithm>

#include "shared_ir/clean_value.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

// Unfolding is for what ordinary names leave; a sum of more terms than this is compared as it
// stands.
constexpr size_t kMostTerms = 256;

// What clean_value() asks for.
struct LiftedTensors {
  using Tensor = Value;

  static Value concat(std::span<const Value> pieces, Int dim) { return assay::concat(pieces, dim); }
  static Value slice(const Value& x, Int dim, Int start, Int size) {
    return merged(assay::slice(x, dim, start, size));
  }
  Value sum(std::span<const Value> terms) const {
    std::vector<Value> operands(terms.begin(), terms.end());
    for (Value& operand : operands) {
      for (size_t t = 0; t < operand.tiles.size(); ++t) {
        Tile& tile = operand.tiles[t];
        if (tile.integer.empty()) continue;
        tile.terms = {materialize(lifting, tile, tile_size(operand, t), DType::kInt64)};
        tile.integer.clear();
      }
    }
    Value result = merged(sum_of(lifting, std::move(operands)));
    name_sums(lifting, result, DType::kFloat64);
    return result;
  }
  static Value permute(const Value& x, const std::vector<Int>& dims) {
    return assay::permute(x, dims);
  }
  Value reshape(const Value& x, const Shape& shape) const {
    return reshape_any(lifting, x, shape, DType::kFloat64);
  }
  static Value pad(const Value& x, Int dim, Int before, Int after) {
    std::vector<Value> pieces;
    const auto zeros = [&](Int count) {
      if (count == 0) return;
      Shape shape = x.shape;
      shape[static_cast<size_t>(dim)] = count;
      pieces.push_back(single_tile(std::move(shape), {}));
    };
    zeros(before);
    pieces.push_back(x);
    zeros(after);
    return assay::concat(pieces, dim);
  }
  static Value scale(const Value& x, Int numerator, Int denominator) {
    return assay::scale(x, Rational(numerator, denominator));
  }

  static Value merged(Value value) {
    merge_tiles(value);
    return value;
  }

  Lifting& lifting;
};

// The newest name among the terms that only one side has.
const Term* newest_difference(const Lifting& lifting, const std::vector<Term>& a,
                              const std::vector<Term>& b) {
  const Term* newest = nullptr;
  for (const Term& term : a) {
    if (!lifting.is_instance(term.atom, Instance::Kind::kCombine)) continue;
    if (std::find(b.begin(), b.end(), term) != b.end()) continue;
    if (newest == nullptr || term.atom > newest->atom) newest = &term;
  }
  return newest;
}

bool unfold_in(const Lifting& lifting, std::vector<Term>& terms, const Term& name) {
  const auto unfolded = lifting.unfold(name);
  if (!unfolded) return false;
  const auto at = std::find(terms.begin(), terms.end(), name);
  terms.erase(at);
  terms.insert(terms.end(), unfolded->begin(), unfolded->end());
  try {
    combine(terms);
  } catch (const RationalOverflow&) {
    return false;
  }
  return terms.size() <= kMostTerms;
}

bool equivalent_terms(const Lifting& lifting, std::vector<Term> a, std::vector<Term> b) {
  while (a != b) {
    const Term* x = newest_difference(lifting, a, b);
    const Term* y = newest_difference(lifting, b, a);
    if (x == nullptr && y == nullptr) return false;
    const bool left = y == nullptr || (x != nullptr && x->atom >= y->atom);
    const Term name = left ? *x : *y;
    if (!unfold_in(lifting, left ? a : b, name)) return false;
  }
  return true;
}

}  // namespace

Value evaluate(Lifting& lifting, const CleanExpr& expr, const LeafValue& leaf) {
  return clean_value(LiftedTensors{lifting}, expr, leaf);
}

bool equivalent(const Lifting& lifting, const Value& a, const Value& b) {
  if (a.shape != b.shape) return false;
  const auto same = [&](const Tile& x, const Tile& y) {
    return x.integer == y.integer && equivalent_terms(lifting, x.terms, y.terms);
  };
  const Aligned both(a, b);
  const std::vector<Tile>&x = both.first().tiles, &y = both.second().tiles;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

}  // namespace assay
