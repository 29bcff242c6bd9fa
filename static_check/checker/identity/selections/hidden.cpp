// Numbers that are minus infinity wherever a flag is met. Only sums, multiples, exponentials and
// extrema of such are known; all else of them is undefined.
#include <algorithm>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

Number Algebra::hidden_form(HiddenForm form) {
  Number result = with_form({}, Kind::kHidden, hidden_, std::move(form));
  result.type = kReal;
  return result;
}

Number Algebra::hide(const Number& flag, const Number& x) {
  if (is_exactly(flag, Rational(0))) return x;
  if (is_exactly(flag, Rational(1))) return infinity(true);
  if (!is_flag(flag) || !x.is_finite()) return undefined();
  HiddenForm form{flag, x, false, {}};
  if (x.kind == Kind::kKept) {  // by what is met where the flag is not
    const KeptForm of = kept_[index(x)];
    std::vector<Residues> others;
    for (const Residues& each : of.flags)
      if (plus<kP>(each.r, flag.value.r) != 1) others.push_back(each);
    if (others.size() < of.flags.size()) form.value = kept(std::move(others), of.value);
  }
  return hidden_form(std::move(form));
}

// Where the flag is not met it is 0.
Number Algebra::kept_of_hidden(const Number& flag, const Number& x) {
  const HiddenForm form = hidden_[index(x)];
  if (form.above || !is_flag(flag)) return undefined();
  return hide(multiply(flag, form.flag), keep(flag, form.value));
}

Number Algebra::sum_of_hidden(const std::vector<Number>& terms) {
  std::vector<Number> values;
  std::vector<HiddenForm> low, high;
  for (const Number& x : terms) {
    if (!is_hidden(x)) {
      if (!x.is_finite()) return undefined();
      values.push_back(x);
      continue;
    }
    const HiddenForm& form = hidden_[index(x)];
    (form.above ? high : low).push_back(form);
    values.push_back(form.value);
  }
  const Number value = sum(std::move(values));
  if (!value.is_finite()) return undefined();
  if (low.size() == 1 && high.size() == 1) {
    // Less the greatest of a row that it is in: where that is minus infinity, it is too, and two
    // infinities meet, which they are assumed not to do.
    const auto in_row = [&](const Residues& flag) { return flag.r == low[0].flag.value.r; };
    if (std::ranges::none_of(high[0].conjuncts, in_row)) return undefined();
    return hide(low[0].flag, value);
  }
  if (!low.empty() && !high.empty()) return undefined();
  HiddenForm result = low.empty() ? high[0] : low[0];
  result.value = value;
  const std::vector<HiddenForm>& all = low.empty() ? high : low;
  for (size_t i = 1; i < all.size(); ++i) {
    result.flag = disjunction(result.flag, all[i].flag);
    result.conjuncts.clear();
  }
  if (!is_flag(result.flag)) return undefined();
  return hidden_form(std::move(result));
}

Number Algebra::multiple_of_hidden(const Number& x, const Rational& by) {
  if (by.is_zero()) return undefined();
  HiddenForm form = hidden_[index(x)];
  form.above = form.above != by.is_negative();
  form.value = scaled(form.value, by);
  return hidden_form(std::move(form));
}

Number Algebra::exp_of_hidden(const Number& x) {
  const HiddenForm form = hidden_[index(x)];
  return form.above ? undefined() : keep(negation(form.flag), exp(form.value));
}

// A random function of the set: of one that is the greatest of others, of these.
Number Algebra::greatest_of_hidden(const std::vector<Number>& of) {
  if (const auto standing = greatest_of_placed(of)) return *standing;
  HiddenSet set;
  for (const Number& x : of) {
    if (x.kind == Kind::kMinusInfinity) continue;
    Number value = x, flag = exact_flag(false);
    if (is_hidden(x)) {
      const HiddenForm form = hidden_[index(x)];
      if (form.above) return undefined();
      value = form.value;
      flag = form.flag;
    } else if (!x.is_finite() || is_integer_type(x.type)) {
      return undefined();
    }
    const auto greatest = hidden_sets_.find(value.value.r);
    if (greatest != hidden_sets_.end() && greatest->second.every.value.r == flag.value.r) {
      set.insert(greatest->second.set.begin(), greatest->second.set.end());
    } else if (x.kind == Kind::kExtreme && !extremes_[index(x)].least) {
      const ExtremeForm& form = extremes_[index(x)];
      for (const SetElement& element : sets_[form.set])
        set.try_emplace({flag.value.r, (element.value + form.shift).r}, flag);
    } else {
      set.try_emplace({flag.value.r, value.value.r}, flag);
    }
  }
  return greatest_of_set(std::move(set));
}

Number Algebra::greatest_of_set(HiddenSet set) {
  std::vector<uint64_t> keys;
  std::vector<Residues> flags;
  Number every = exact_flag(true);
  for (const auto& [key, flag] : set) {
    keys.insert(keys.end(), {key.first, key.second});
    if (!flags.empty() && flags.back().r == key.first) continue;
    flags.push_back(flag.value);
    every = multiply(every, flag);
  }
  const Number greatest = variable(random("hidden maximum", keys), kReal);
  if (!every.is_constant() && !is_flag(every)) return undefined();
  store(set.size());
  hidden_sets_.try_emplace(greatest.value.r, GreatestOfSet{every, std::move(set)});
  if (every.is_constant()) return hide(every, greatest);
  return hidden_form({every, greatest, false, std::move(flags)});
}

Number Algebra::limited_hidden(const Number& x) {
  const HiddenForm form = hidden_[index(x)];
  if (form.above) return undefined();
  const uint64_t keys[] = {form.flag.value.r, form.value.value.r};
  return variable(random("limited hidden", keys), kReal);
}

std::optional<Number> Algebra::is_minus_infinity(const Number& x) const {
  if (!is_hidden(x) || hidden_[index(x)].above) return std::nullopt;
  return hidden_[index(x)].flag;
}

bool Algebra::same_hidden(const Number& a, const Number& b) const {
  const HiddenForm &x = hidden_[index(a)], &y = hidden_[index(b)];
  return x.above == y.above && x.flag.value.r == y.flag.value.r &&
         x.value.value.r == y.value.value.r;
}

}  // namespace assay::checker::identity
