// Memory that nothing has written may hold NaN: x + e - e is not x, and 0 * e is not 0. Masks
// select and do not multiply: they keep it out.
#include <algorithm>
#include <map>
#include <string>

#include "static_check/lift/operators.h"

namespace assay {
namespace {

// One kind of atom is both.
constexpr char kUnknown[] = "what could not be followed, or memory that nothing has written";

bool has_unwritten(const Lifting& lifting, const Value& value) {
  return any_term(value, [&](const Term& term) { return lifting.is_unwritten(term.atom); });
}

bool has_zeros(const Value& value) {
  return std::any_of(value.tiles.begin(), value.tiles.end(),
                     [](const Tile& tile) { return tile.terms.empty() && tile.integer.empty(); });
}

}  // namespace

void refuse_zero_times_unwritten(const Lifting& lifting, const Value& value) {
  if (has_unwritten(lifting, value)) throw NotLifted{std::string("0 times ") + kUnknown};
}

void refuse_zero_times_unwritten(const Lifting& lifting, const Value& a, const Value& b) {
  if (has_zeros(b)) refuse_zero_times_unwritten(lifting, a);
  if (has_zeros(a)) refuse_zero_times_unwritten(lifting, b);
}

void refuse_unwritten_difference(const Lifting& lifting, std::span<const Value> values) {
  std::map<AtomId, bool> signs;
  for (const Value& value : values)
    for (const Tile& tile : value.tiles)
      for (const Term& term : tile.terms) {
        if (!lifting.is_unwritten(term.atom)) continue;
        const bool positive = term.coef.is_positive();
        if (signs.emplace(term.atom, positive).first->second != positive)
          throw NotLifted{std::string("a difference of ") + kUnknown};
      }
}

void refuse_unwritten_sum(const Lifting& lifting, const std::vector<Term>& terms) {
  if (terms.size() > 1 && std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
        return lifting.is_unwritten(term.atom);
      }))
    throw NotLifted{std::string("a function of a sum with ") + kUnknown};
}

void refuse_unwritten_product(const Lifting& lifting, const Value& a, const Value& b) {
  if (!has_unwritten(lifting, a) || !has_unwritten(lifting, b)) return;
  for (const Value* value : {&a, &b})
    for (const Tile& tile : value->tiles) refuse_unwritten_sum(lifting, tile.terms);
}

}  // namespace assay
