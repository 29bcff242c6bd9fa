#include <algorithm>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

bool any_integer(const Number& a, const Number& b) {
  return is_integer_type(a.type) || is_integer_type(b.type);
}

bool complementary(const Residues& a, const Residues& b) { return plus<kP>(a.r, b.r) == 1; }

}  // namespace

bool Algebra::is_flag(const Number& x) const {
  if (x.is_constant()) return rational(x).is_zero() || rational(x).is_one();
  return x.kind == Kind::kKept && is_exactly(kept_[index(x)].value, Rational(1));
}

Number Algebra::flag(const Residues& value) {
  if (value.r == 0 || value.r == 1) return exact_flag(value.r == 1);
  if (cases() != nullptr) throw Rejection{"a flag that is not decided"};
  Number result =
      with_form(value, Kind::kKept, kept_, KeptForm{{value}, exact(Rational(1), kUntyped)});
  result.type = kFlag;
  result.nonnegative = true;
  return result;
}

// keep(d > 0, c d) is c max(d, 0) for a constant c; and the like.
Number Algebra::kept_positive_part(const Residues& flag, const Number& value) {
  const auto part = [&](const Residues& of_flag, bool above) {
    const auto found = positives_.find(of_flag.r);
    if (found == positives_.end()) return undefined();
    const Number& d = found->second;
    const uint64_t ratio = times<kP>(value.value.r, signed_power<kP>(d.value.r, -1));
    const auto known = constants_.find(ratio);
    if (known == constants_.end()) return undefined();
    const Number zero = exact(Rational(0));
    return scaled(above ? maximum({d, zero}) : minimum({d, zero}),
                  rationals_[static_cast<size_t>(known->second)]);
  };
  const Number above = part(flag, true);
  return above.is_finite() ? above : part(Residues{1, 1} - flag, false);
}

Number Algebra::kept(std::vector<Residues> flags, Number value) {
  if (!value.is_finite()) return undefined();  // 0 times it, where a flag is 0
  if (value.kind == Kind::kKept) {
    const KeptForm& form = kept_[index(value)];
    flags.insert(flags.end(), form.flags.begin(), form.flags.end());
    value = Number(form.value);
  }
  if (value.is_constant() && rational(value).is_zero()) return value;
  std::sort(flags.begin(), flags.end(),
            [](const Residues& a, const Residues& b) { return a.r < b.r; });
  flags.erase(std::unique(flags.begin(), flags.end(),
                          [](const Residues& a, const Residues& b) { return a.r == b.r; }),
              flags.end());
  for (const Residues& a : flags)
    for (const Residues& b : flags)
      if (complementary(a, b)) return exact(Rational(0), value.type);
  if (!is_integer_type(value.type))
    for (size_t i = 0; i < flags.size(); ++i) {
      const Number part = kept_positive_part(flags[i], value);
      if (!part.is_finite()) continue;
      flags.erase(flags.begin() + static_cast<std::ptrdiff_t>(i));
      return kept(std::move(flags), part);
    }
  if (flags.empty()) return value;
  store(flags.size() - 1);
  Residues product = value.value;
  for (const Residues& each : flags) product = product * each;
  Number result = with_form(product, Kind::kKept, kept_, KeptForm{std::move(flags), value});
  result.type = value.type;
  result.nonnegative = value.nonnegative;
  result.in_range = value.in_range;
  return result;
}

// keep(c, x) + keep(1 - c, y), with the same other flags.
std::optional<Number> Algebra::branches(const KeptForm& a, const KeptForm& b) {
  if (a.flags.size() != b.flags.size()) return std::nullopt;
  std::vector<Residues> common, only_a, only_b;
  const auto less = [](const Residues& x, const Residues& y) { return x.r < y.r; };
  std::ranges::set_intersection(a.flags, b.flags, std::back_inserter(common), less);
  std::ranges::set_difference(a.flags, b.flags, std::back_inserter(only_a), less);
  std::ranges::set_difference(b.flags, a.flags, std::back_inserter(only_b), less);
  if (only_a.size() != 1 || !complementary(only_a[0], only_b[0])) return std::nullopt;
  const Number x = a.value, y = b.value;
  if (x.value.r == y.value.r) return kept(common, x);
  if (is_integer_type(x.type) || is_integer_type(y.type)) return std::nullopt;
  const Residues difference = x.value - y.value;
  for (const bool swapped : {false, true}) {
    const auto found = positives_.find((swapped ? only_b : only_a)[0].r);
    if (found == positives_.end()) continue;
    const uint64_t own = swapped ? minus<kP>(difference.r) : difference.r;
    const uint64_t asked = found->second.value.r;
    if (is_positive_multiple(own, asked)) return kept(common, maximum({x, y}));
    if (is_positive_multiple(minus<kP>(own), asked)) return kept(common, minimum({x, y}));
  }
  if (cases() != nullptr || x.kind == Kind::kLog || y.kind == Kind::kLog) return std::nullopt;
  const Number met = kept(only_a, x), unmet = kept(only_b, y);
  auto either = branch_by_branch(std::vector{met, unmet}, kReal, [&](std::span<const Number> of) {
    return std::optional(sum({of.begin(), of.end()}));
  });
  return either ? std::optional(kept(common, *either)) : std::nullopt;
}

Number Algebra::positive(const Number& difference) {
  if (difference.is_constant())
    return exact(Rational(rational(difference).is_positive() ? 1 : 0), kFlag);
  if (is_flag(difference)) {  // as a number
    Number result = difference;
    result.type = kFlag;
    return result;
  }
  // max(x, c) > 0 where x > 0, for a constant c that is not.
  if (difference.kind == Kind::kExtreme) {
    const ExtremeForm& form = extremes_[index(difference)];
    const ElementSet& set = sets_[form.set];
    if (!form.least && form.shift.r == 0 && set.size() == 2)
      for (const size_t i : {size_t{0}, size_t{1}})
        if (set[i].constant >= 0 && !rationals_[static_cast<size_t>(set[i].constant)].is_positive())
          return positive(ordinary(set[1 - i].value));
  }
  const auto multiple = scales_.find(asked_signs_, difference.value.r);
  const Number asked = multiple ? *multiple->of : difference;
  if (!multiple) asked_signs_.emplace(difference.value.r, difference);
  const Number result = flag(random_("positive", std::vector<uint64_t>{asked.value.r}));
  positives_.emplace(result.value.r, asked);
  return result;
}

// Whether their quotient is one of the constants, and positive.
bool Algebra::is_positive_multiple(uint64_t x, uint64_t y) const {
  if (x == y) return true;
  if (x == 0 || y == 0 || x == minus<kP>(y)) return false;
  for (const uint64_t quotient :
       {times<kP>(x, signed_power<kP>(y, -1)), times<kP>(y, signed_power<kP>(x, -1))}) {
    const auto known = constants_.find(quotient);
    if (known != constants_.end() && rationals_[static_cast<size_t>(known->second)].is_positive())
      return true;
  }
  return false;
}

Number Algebra::greater(const Number& a, const Number& b) {
  if (cases() != nullptr) return decided_comparison(a, b, true);
  const Number both[] = {a, b};
  if (any_integer(a, b) && selects_constants(both))
    if (const auto known = member_by_member(both, kFlag, [&](std::span<const Number> x) {
          return std::optional(greater(x[0], x[1]));
        }))
      return *known;
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return undefined();
  if (a.is_infinite() || b.is_infinite())
    return exact(Rational(infinite_sign(a) > infinite_sign(b) ? 1 : 0), kFlag);
  if (!any_integer(a, b)) {
    if (const auto alike = alike_in_order({a, b})) return greater(alike->at(0), alike->at(1));
    if (const auto known = extreme_is_greater(a, b)) return *known;
    return positive(subtract(a, b));
  }
  try {
    if (a.is_constant() && b.is_constant())
      return exact(Rational((rational(a) - rational(b)).is_positive() ? 1 : 0), kFlag);
  } catch (const RationalOverflow&) {
  }
  if (a.type == b.type && a.value.r == b.value.r) return exact(Rational(0), kFlag);
  if (const auto known = decided_by_flag(a, b, true)) return *known;
  if (const auto known = compared_by_class(a, b, true)) return *known;
  return unknown("integer greater", {{a, b}}, kFlag);
}

// Of a number that is 0 or 1 and a constant.
std::optional<Number> Algebra::decided_by_flag(const Number& a, const Number& b, bool greater) {
  const bool second = a.is_constant();
  const Number &flag = second ? b : a, &other = second ? a : b;
  if (!other.is_constant() || flag.is_constant() || !is_flag(flag)) return std::nullopt;
  bool outcomes[2];
  for (const int value : {0, 1}) {
    const Rational above =
        second ? rational(other) - Rational(value) : Rational(value) - rational(other);
    outcomes[value] = greater ? above.is_positive() : above.is_zero();
  }
  if (outcomes[0] == outcomes[1]) return exact_flag(outcomes[0]);
  Number set = flag;
  set.type = kFlag;
  return outcomes[1] ? set : negation(set);
}

Number Algebra::equal(const Number& a, const Number& b) {
  if (cases() != nullptr) return decided_comparison(a, b, false);
  const Number both[] = {a, b};
  if (any_integer(a, b) && selects_constants(both))
    if (const auto known = member_by_member(both, kFlag, [&](std::span<const Number> x) {
          return std::optional(equal(x[0], x[1]));
        }))
      return *known;
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return undefined();
  if (a.is_infinite() || b.is_infinite())
    return exact(Rational(infinite_sign(a) == infinite_sign(b) ? 1 : 0), kFlag);
  if (!any_integer(a, b)) {
    if (const auto alike = alike_in_order({a, b})) return equal(alike->at(0), alike->at(1));
    if (const auto known = extreme_is_equal(a, b)) return *known;
    const Number d = subtract(a, b);
    if (d.is_constant()) return exact(Rational(rational(d).is_zero() ? 1 : 0), kFlag);
    if (d.nonnegative) return negation(positive(d));
    auto multiple = scales_.find(asked_zeros_, d.value.r);
    if (!multiple) multiple = scales_.find(asked_zeros_, minus<kP>(d.value.r));
    if (!multiple) asked_zeros_.emplace(d.value.r, d);
    const uint64_t of = multiple ? multiple->of->value.r : d.value.r;
    return flag(random_("zero", std::vector<uint64_t>{of}));
  }
  if (a.is_constant() && b.is_constant())
    return exact(Rational(rational(a) == rational(b) ? 1 : 0), kFlag);
  if (const auto known = decided_by_flag(a, b, false)) return *known;
  if (const auto known = equal_to_row(a, b)) return *known;
  if (const auto known = equal_to_row(b, a)) return *known;
  if (const auto known = compared_by_class(a, b, false)) return *known;
  return equal_integers(a, b);
}

void Algebra::learn_table(const Number& index, const Table& table) {
  if (index.is_constant() || !index.is_finite() || !is_integer_type(index.type)) return;
  // An index that a coin has chosen is one where the coin falls so: other cases know nothing of it.
  if (cases() != nullptr && index.depends.coins == 0) cases()->learn_table(index.value.r, table);
  const std::pair key{index.type, index.value.r};
  const auto [known, first] = tables_.try_emplace(key, table);
  const Table common = known->second.common(table);
  if (common.size() < 1) throw Rejection{"an index of a table without rows"};
  learned_late_ |= (first && compared_.contains(key)) || common.size() < known->second.size();
  known->second = common;
  if (cases() == nullptr) select_values(index, common);
}

bool Algebra::lies_in_table(const Number& index, const Table& table) const {
  const auto known = tables_.find({index.type, index.value.r});
  return known != tables_.end() && table.contains(known->second);
}

// An index is equal to one of what its table contains: to the last where it is equal to no other.
std::optional<Number> Algebra::equal_to_row(const Number& index, const Number& row) {
  if (index.is_constant() || !row.is_constant() || !rational(row).is_integer()) return std::nullopt;
  if (const auto flag = is_place(index, static_cast<PlainInt>(rational(row).numerator())))
    return flag;
  const auto known = tables_.find({index.type, index.value.r});
  if (known == tables_.end()) {
    compared_.emplace(index.type, index.value.r);
    return std::nullopt;
  }
  const Table& table = known->second;
  const auto wanted = static_cast<PlainInt>(rational(row).numerator());
  if (!table.contains(wanted)) return exact(Rational(0), kFlag);
  const PlainInt last = table.size() - 1;
  if (wanted != table.index(last)) return equal_integers(index, row);
  Residues rest{1, 1};
  for (PlainInt other = 0; other < last; ++other)
    rest = rest - equal_integers(index, exact(Rational(table.index(other)), index.type)).value;
  return flag(rest);
}

Number Algebra::equal_integers(const Number& a, const Number& b) {
  if (a.type == b.type && a.value.r == b.value.r) return exact(Rational(1), kFlag);
  const bool ordered = std::pair(a.type, a.value.r) < std::pair(b.type, b.value.r);
  return ordered ? unknown("integer equal", {{a, b}}, kFlag)
                 : unknown("integer equal", {{b, a}}, kFlag);
}

Number Algebra::negation(const Number& x) {
  if (x.kind == Kind::kNan) return x;
  if (!is_flag(x)) return equal(x, exact(Rational(0), x.type));
  if (const auto known = member_by_member(
          {&x, 1}, kFlag, [&](std::span<const Number> y) { return std::optional(negation(y[0])); }))
    return *known;
  Number result = flag(Residues{1, 1} - x.value);
  result.depends = x.depends;
  return result;
}

Number Algebra::disjunction(const Number& a, const Number& b) {
  if (cases() == nullptr && is_exactly(a, Rational(0))) return b;
  if (cases() == nullptr && is_exactly(b, Rational(0))) return a;
  const Number flags[] = {a, b};
  if (const auto known = member_by_member(flags, kFlag, [&](std::span<const Number> x) {
        return std::optional(disjunction(x[0], x[1]));
      }))
    return *known;
  const Number both = multiply(a, b);
  if (!both.is_finite()) return undefined();
  Number result = flag(a.value + b.value - both.value);
  result.depends = both.depends;
  return result;
}

Number Algebra::keep(const Number& condition, const Number& x) {
  if (is_exactly(condition, Rational(0)) || is_exactly(condition, Rational(1))) {
    const bool kept = is_exactly(condition, Rational(1));
    Number result = kept ? x : exact(Rational(0), x.type);
    Dependence of = x.depends;
    if (!kept) of.free_root = FreeRoot::kNone;  // what is left out is not asked for its roots
    result.depends = both(of, condition.depends);
    return result;
  }
  if (x.kind == Kind::kMinusInfinity && cases() == nullptr && is_flag(condition))
    return hide(condition, exact(Rational(0)));
  if (is_hidden(x) && cases() == nullptr) return kept_of_hidden(condition, x);
  if (condition.kind == Kind::kNan || !x.is_finite()) return undefined();
  if (const auto product = product_of_selections(condition, x, x.type)) return *product;
  if (!is_flag(condition)) throw Rejection{"a condition that is no flag"};
  const KeptForm form = kept_[index(condition)];
  return kept(form.flags, x);
}

Number Algebra::where(const Number& condition, const Number& yes, const Number& no) {
  return add(keep(condition, yes), keep(negation(condition), no));
}

}  // namespace assay::checker::identity
