// Infinite and NaN constants: masks put them into scores, and no arithmetic is done with them. What
// the checker would not accept is not lifted.

#include "static_check/lift/operators.h"

namespace assay {
namespace {

bool is_infinite(const Lifting& lifting, const Term& term) {
  return term.atom == lifting.infinity() || term.atom == lifting.nan();
}

// Whether some term of the value is such a constant, and of this sort.
template <typename Sort>
bool any_infinite(const Lifting& lifting, const Value& value, const Sort& sort) {
  return any_term(value,
                  [&](const Term& term) { return is_infinite(lifting, term) && sort(term); });
}

bool has_infinities(const Lifting& lifting, const Value& value) {
  return any_infinite(lifting, value, [](const Term&) { return true; });
}

}  // namespace

void refuse_infinite_product(const Lifting& lifting, const Value& a, const Value& b) {
  if (has_infinities(lifting, a) || has_infinities(lifting, b))
    throw NotLifted{"a product with an infinite constant"};
}

void refuse_infinite_sum(const Lifting& lifting, std::span<const Value> values) {
  bool positive = false, negative = false;
  for (const Value& value : values) {
    if (any_infinite(lifting, value, [&](const Term& term) { return term.atom == lifting.nan(); }))
      throw NotLifted{"arithmetic with a NaN constant"};
    positive |=
        any_infinite(lifting, value, [](const Term& term) { return term.coef.is_positive(); });
    negative |=
        any_infinite(lifting, value, [](const Term& term) { return term.coef.is_negative(); });
  }
  if (positive && negative) throw NotLifted{"a sum of infinities of opposite sign"};
}

void refuse_infinite_argument(const Lifting& lifting, const Value& value) {
  for (const Tile& tile : value.tiles)
    if (tile.terms.size() == 1 && tile.terms[0].restrictions.empty() &&
        is_infinite(lifting, tile.terms[0]))
      throw NotLifted{"a function of an infinite constant"};
}

}  // namespace assay
