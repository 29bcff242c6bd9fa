// Arithmetic of the terms of one tile.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "static_check/algebra/layout.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"

namespace assay {

using Views = std::vector<Term>;

// The view that an element-wise function of one operand reads; nullopt where no layout says it.
inline std::optional<Term> argument_of(const Lifting& lifting, const Term& view) {
  auto layout = lifting.trace(view.atom, view.layout, 0);
  if (!layout) return std::nullopt;
  return view_of(lifting.instance_of(view.atom).operands[0].atom, std::move(*layout));
}

class TileArithmetic {
 public:
  TileArithmetic(Lifting& lifting, Shape size, DType dtype)
      : lifting_(lifting), size_(std::move(size)), dtype_(dtype) {}

  Lifting& lifting() { return lifting_; }
  const Lifting& lifting() const { return lifting_; }

  static Tile tile(const Term& term) { return {{term}, {}}; }

  Tile one() const { return tile(view_of(lifting_.one(), broadcast(size_))); }

  // The function, element by element, as an atom of its own.
  Tile map(const std::string& fn, const Tile& of) {
    return apply_map(lifting_, fn, 0, {value(of)}, size_, dtype_).tiles.at(0);
  }

  Tile times(const Tile& a, const Tile& b) {
    return multiply(lifting_, value(a), value(b), dtype_).tiles.at(0);
  }

  Tile times(const Views& views) {
    Tile result = one();
    for (const Term& view : views) result = times(result, tile(view));
    return result;
  }

  static Tile scaled(Tile of, const Rational& by) {
    for (Term& term : of.terms) term.coef = term.coef * by;
    return of;
  }

  Tile plus(const Tile& a, const Tile& b) {
    return sum_of(lifting_, {value(a), value(b)}).tiles.at(0);
  }

  // With the name of the terms' combination, where there is one.
  Tile named(Tile terms) {
    Value made = value(terms);
    name_sums(lifting_, made, dtype_);
    return made.tiles.at(0);
  }

  // The terms as one view.
  Term view(const Tile& of) { return materialize(lifting_, of, size_, dtype_); }

 private:
  Value value(const Tile& of) const { return single_tile(size_, of); }

  Lifting& lifting_;
  Shape size_;
  DType dtype_;
};

}  // namespace assay
