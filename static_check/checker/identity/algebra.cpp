// Sums and products.
#include "static_check/checker/identity/algebra.h"

#include <algorithm>

#include "static_check/checker/facts/regions.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostMultiples = size_t{1} << 14;

Type common_type(const Number& a, const Number& b) { return a.type == kUntyped ? b.type : a.type; }

}  // namespace

std::optional<Number> Algebra::exact_sum(const std::vector<Number>& terms, Type type) {
  if (!std::all_of(terms.begin(), terms.end(), [](const Number& x) { return x.is_constant(); }))
    return std::nullopt;
  try {
    Rational total;
    for (const Number& x : terms) total = total + rational(x);
    return exact(total, type);
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
}

Number Algebra::plain_sum(std::vector<Number> terms) {
  if (std::any_of(terms.begin(), terms.end(), is_hidden)) return sum_of_hidden(terms);
  bool up = false, down = false;
  Type type = kUntyped;
  for (const Number& x : terms) {
    if (x.kind == Kind::kNan) return undefined();
    up |= x.kind == Kind::kInfinity;
    down |= x.kind == Kind::kMinusInfinity;
    if (type == kUntyped) type = x.type;
  }
  if (up && down) return undefined();
  if (up || down) return infinity(down);
  std::erase_if(terms, [&](const Number& x) { return x.is_constant() && rational(x).is_zero(); });
  if (terms.empty()) return exact(Rational(0), type);
  if (terms.size() == 1) return terms[0];
  if (auto constant = exact_sum(terms, type)) return *constant;
  if (const auto result = member_by_member(terms, type, [&](std::span<const Number> x) {
        return std::optional(sum({x.begin(), x.end()}));
      }))
    return *result;
  if (const auto result = place_by_place(terms, type, [&](std::span<const Number> x) {
        return std::optional(sum({x.begin(), x.end()}));
      }))
    return *result;
  Number result = sum_of_finite(terms, type);
  if (is_integer_type(type)) {
    if (!result.is_constant()) result.in_range = false;
    return result;
  }
  bool nonnegative = true, positive = false;
  for (const Number& x : terms) {
    nonnegative = nonnegative && x.nonnegative;
    positive = positive || x.positive;
  }
  const bool known = result.is_finite() && positive_sums_.contains(result.value.r);
  result.nonnegative |= nonnegative || known;
  result.positive |= (nonnegative && positive) || known;
  note_nonnegative(result);
  if (result.positive && !known) note_positive(result, terms);
  return result;
}

Number Algebra::sum_of_finite(const std::vector<Number>& terms, Type type) {
  if (auto result = sum_of_kept(terms)) return *result;
  if (auto result = sum_of_kept_logs(terms)) return *result;
  if (std::ranges::none_of(terms, [](const Number& x) { return x.kind == Kind::kLog; }))
    if (auto result = branch_by_branch(terms, type, [&](std::span<const Number> x) {
          return std::optional(sum({x.begin(), x.end()}));
        }))
      return *result;
  if (auto result = sum_of_roots(terms)) return *result;
  Residues total, ordinary_part;
  std::vector<LogTerm> logs;
  const Number* extremum = nullptr;
  size_t extrema = 0;
  for (const Number& x : terms) {
    total = total + x.value;
    if (x.kind == Kind::kLog) {
      const LogForm& form = logs_[index(x)];
      ordinary_part = ordinary_part + form.ordinary;
      logs.insert(logs.end(), form.terms.begin(), form.terms.end());
    } else {
      ordinary_part = ordinary_part + x.value;
    }
    if (x.kind == Kind::kExtreme) {
      extremum = &x;
      ++extrema;
    }
  }
  if (!logs.empty()) return log_form(ordinary_part, std::move(logs));
  if (extrema == 1 && !is_integer_type(type) && total.r != 0) {
    ExtremeForm form = extremes_[index(*extremum)];
    const Residues rest = total - extremum->value;
    form.shift = form.least ? form.shift - rest : form.shift + rest;
    Number result = with_form(total, Kind::kExtreme, extremes_, form);
    result.type = type;
    return result;
  }
  return ordinary(total, type);
}

// Flags taken out of all terms.
std::optional<Number> Algebra::sum_of_kept(const std::vector<Number>& terms) {
  for (const Number& x : terms)
    if (x.kind != Kind::kKept) return std::nullopt;
  const auto same = [](const Residues& a, const Residues& b) { return a.r == b.r; };
  const KeptForm first = kept_[index(terms[0])];
  if (terms.size() == 2)
    if (auto result = branches(first, kept_[index(terms[1])])) return result;
  std::vector<Number> values;
  for (const Number& x : terms) {
    const KeptForm& form = kept_[index(x)];
    if (!std::ranges::equal(form.flags, first.flags, same)) return std::nullopt;
    values.push_back(form.value);
  }
  return kept(first.flags, sum(std::move(values)));
}

// Flags times logarithms of one number, of which the flags may add up: sum c_k (x_k - log s) is
// sum c_k x_k - log s where sum c_k is 1.
std::optional<Number> Algebra::sum_of_kept_logs(const std::vector<Number>& terms) {
  struct Share {
    LogTerm term;
    Residues flags;
  };
  std::map<std::pair<uint64_t, uint64_t>, Share> shares;  // by logarithm and coefficient
  Residues ordinary_part;
  std::vector<LogTerm> logs;
  bool any = false;
  for (const Number& x : terms) {
    if (x.kind == Kind::kLog) {
      const LogForm& form = logs_[index(x)];
      ordinary_part = ordinary_part + form.ordinary;
      logs.insert(logs.end(), form.terms.begin(), form.terms.end());
      continue;
    }
    if (x.kind != Kind::kKept || kept_[index(x)].value.kind != Kind::kLog) {
      ordinary_part = ordinary_part + x.value;
      continue;
    }
    any = true;
    const KeptForm& kept = kept_[index(x)];
    const LogForm& form = logs_[index(kept.value)];
    Residues flags{1, 1};
    for (const Residues& flag : kept.flags) flags = flags * flag;
    ordinary_part = ordinary_part + flags * form.ordinary;
    for (const LogTerm& term : form.terms) {
      Share& share = shares[{term.of.r, residues_of(term.coef).r}];
      share.term = term;
      share.flags = share.flags + flags;
    }
  }
  if (!any) return std::nullopt;
  for (const auto& [key, share] : shares) {
    if (share.flags.r == 1)
      logs.push_back(share.term);
    else
      ordinary_part = ordinary_part + share.flags * log_value(share.term);
  }
  return log_form(ordinary_part, std::move(logs));
}

Number Algebra::plain_multiple(const Number& x, const Rational& by) {
  if (x.kind == Kind::kNan || by.is_one()) return x;
  if (is_hidden(x)) return multiple_of_hidden(x, by);
  if (x.is_infinite())
    return by.is_zero() ? undefined() : infinity((x.kind == Kind::kInfinity) != by.is_positive());
  if (is_integer_type(x.type) && !by.is_integer()) throw Rejection{"a fraction of an integer"};
  if (by.is_zero()) return exact(by, x.type);
  if (x.is_constant()) {
    try {
      return exact(rational(x) * by, x.type);
    } catch (const RationalOverflow&) {
    }
  }
  if (x.kind != Kind::kExtreme)
    if (const auto result = member_by_member({&x, 1}, x.type, [&](std::span<const Number> y) {
          return std::optional(scaled(y[0], by));
        }))
      return *result;
  const Residues factor = residues_of(by);
  Number result;
  switch (x.kind) {
    case Kind::kLog: {
      LogForm form = logs_[index(x)];
      try {
        for (LogTerm& term : form.terms) term.coef = term.coef * by;
        result = log_form(form.ordinary * factor, std::move(form.terms));
      } catch (const RationalOverflow&) {
        result = ordinary(x.value * factor);
      }
      break;
    }
    case Kind::kRoot: {
      RootForm form = roots_[index(x)];
      form.factor = form.factor * factor;
      result = root_form(form);
      break;
    }
    case Kind::kExtreme: {
      result = ordinary(x.value * factor, x.type);
      if (!(by == Rational(-1)) || is_integer_type(x.type)) break;
      ExtremeForm form = extremes_[index(x)];
      form.least = !form.least;
      result = with_form(x.value * factor, Kind::kExtreme, extremes_, form);
      break;
    }
    case Kind::kKept: {
      const KeptForm form = kept_[index(x)];
      result = kept(form.flags, scaled(form.value, by));
      break;
    }
    default:
      result = ordinary(x.value * factor, x.type);
  }
  result.type = x.type;
  if (!x.is_constant() && multiples_.size() < kMostMultiples) {
    const auto known = multiples_.find(x.value.r);
    const Multiple of = known == multiples_.end() ? Multiple{x.value.r, true} : known->second;
    multiples_.try_emplace(result.value.r, Multiple{of.base, of.positive == by.is_positive()});
  }
  if (!result.is_constant()) {
    result.nonnegative = by.is_positive() && x.nonnegative;
    result.positive = by.is_positive() && x.positive;
    result.in_range = false;
  }
  return result;
}

// One is a positive multiple of the other.
bool Algebra::same_direction(const Number& a, const Number& b) const {
  if (a.value.r == b.value.r) return true;
  const auto of = [&](const Number& x) {
    const auto known = multiples_.find(x.value.r);
    return known == multiples_.end() ? Multiple{x.value.r, true} : known->second;
  };
  if (multiples_.empty() || is_integer_type(a.type)) return false;
  const Multiple x = of(a), y = of(b);
  return x.base == y.base && x.positive == y.positive;
}

Number Algebra::plain_product(const Number& a, const Number& b) {
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return undefined();
  if (a.is_infinite() && b.is_infinite()) return infinity(a.kind != b.kind);
  if (a.is_infinite() && cases() != nullptr) return infinite_product(a, b);
  if (a.is_infinite()) return b.is_constant() ? scaled(a, rational(b)) : undefined();
  if (b.is_infinite()) return multiply(b, a);
  for (const auto& [x, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (is_hidden(*x))
      return other->is_constant() ? multiple_of_hidden(*x, rational(*other)) : undefined();
  const Type type = common_type(a, b);
  Number result;
  if (a.is_constant()) {
    result = scaled(b, rational(a));
  } else if (b.is_constant()) {
    result = scaled(a, rational(b));
  } else if (const auto product = product_of_selections(a, b, type)) {
    return *product;
  } else if (a.kind == Kind::kKept || b.kind == Kind::kKept) {
    std::vector<Residues> flags;
    const auto value_of = [&](const Number& x) {
      if (x.kind != Kind::kKept) return x;
      const KeptForm& form = kept_[index(x)];
      flags.insert(flags.end(), form.flags.begin(), form.flags.end());
      return form.value;
    };
    const Number x = value_of(a), y = value_of(b);
    result = kept(std::move(flags), multiply(x, y));
  } else if (a.kind == Kind::kRoot || b.kind == Kind::kRoot) {
    result = product_of_roots(a, b);
  } else {
    result = ordinary(a.value * b.value, type);
  }
  result.type = type;
  if (is_integer_type(type)) {
    if (!result.is_constant()) result.in_range = false;
  } else if (result.is_finite()) {
    result.nonnegative |= (a.nonnegative && b.nonnegative) || same_direction(a, b);
    result.positive |= a.positive && b.positive;
    if (a.positive && b.positive)
      learn_factors(result, {a.value, Rational(1)}, {b.value, Rational(1)});
    note_nonnegative(result);
  }
  return result;
}

Number Algebra::plain_reciprocal(const Number& x) {
  if (x.kind == Kind::kNan || is_exactly(x, Rational(0))) return undefined();
  if (x.is_infinite()) return exact(Rational(0));
  if (is_integer_type(x.type)) return unknown("reciprocal", {{x}}, kReal);
  if (x.is_constant()) {
    try {
      return exact(Rational(1) / rational(x));
    } catch (const RationalOverflow&) {
    }
  }
  if (cases() != nullptr && cases()->is_zero(line_of(x))) return undefined();
  // It is 0 wherever the flag is, which is no exception.
  if (x.kind == Kind::kKept) return unknown("reciprocal", {{x}}, kReal);
  Number result;
  if (x.kind == Kind::kRoot) {
    RootForm form = roots_[index(x)];
    form.factor = inverse(form.factor);
    for (RootPower& each : form.powers) each.exponent = -each.exponent;
    result = root_form(form);
  } else {
    result = ordinary(inverse(x.value));
  }
  result.nonnegative |= x.nonnegative;
  result.positive |= x.nonnegative;  // and is not 0
  if (cases() == nullptr && x.nonnegative && !result.is_constant() &&
      !reciprocals_.contains(x.value.r))
    reciprocals_.try_emplace(result.value.r, x);
  if (x.positive) learn_factors(result, {x.value, Rational(-1)}, {});
  return result;
}

Number Algebra::power(const Number& x, PlainInt exponent) {
  if (exponent < 0) return power(reciprocal(x), -exponent);
  Number result = exact(Rational(1), x.type), square = x;
  bool first = true;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = first ? square : multiply(result, square);
    if (exponent % 2 == 1) first = false;
    if (exponent > 1) square = multiply(square, square);
  }
  return result;
}

}  // namespace assay::checker::identity
