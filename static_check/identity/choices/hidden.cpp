// Numbers that are minus infinity where a flag is set: what a mask that is computed hides from a
// softmax. Their exponentials are 0 there.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

// What is there where the flag is not set.
Number visible(const Number& flag, const Number& value) {
  const bool kept = has(value, Form::Kind::kKept) &&
                    kValues.add(value.form->flag().residue.value, flag.residue.value) == 1;
  return kept ? value.form->kept() : value;
}

Number with_hidden(Form form) {
  Number number;
  number.kind = Number::Kind::kHidden;
  number.form = std::make_shared<const Form>(std::move(form));
  return number;
}

}  // namespace

Number Algebra::hidden(const Number& flag, const Number& value) {
  if (const Rational* known = constant_of(flag)) return known->is_zero() ? value : infinity(true);
  if (!is_flag(flag)) throw NotRepresented{"an infinity under a condition"};
  Form form{Form::Kind::kHidden};
  form.parts = {flag, visible(flag, value)};
  return with_hidden(std::move(form));
}

Number Algebra::kept_of_hidden(const Number& flag, const Number& a) {
  if (a.form->negated) throw NotRepresented{"an infinity under a condition"};
  const Number& other = a.form->flag();
  if (kValues.add(flag.residue.value, other.residue.value) == 1) return keep(flag, a.form->kept());
  const Number both = conjunction(flag, other);
  const Number value = keep(flag, a.form->kept());
  return constant_of(both) != nullptr ? value : hidden(both, value);
}

Number Algebra::sum_with_hidden(const Number& a, const Number& b) {
  if (!is_hidden(a)) return sum_with_hidden(b, a);
  Form form = *a.form;
  if (b.is_finite()) {
    form.parts[1] = add(form.kept(), visible(form.flag(), b));
    return with_hidden(std::move(form));
  }
  if (!is_hidden(b)) throw NotRepresented{"an infinity beside one under a condition"};
  const Number sum = add(form.kept(), b.form->kept());
  if (a.form->negated == b.form->negated) {
    form.parts = {negation(conjunction(negation(a.form->flag()), negation(b.form->flag()))), sum};
    form.elements = nullptr;
    return with_hidden(std::move(form));
  }
  // x less the greatest of a row: that is minus infinity only where all of the row are, of which x
  // is one. No infinity meets another one: the report lists it.
  const Number &less = a.form->negated ? b : a, &greatest = a.form->negated ? a : b;
  const auto* row = greatest.form->elements.get();
  const uint64_t flag = less.form->flag().residue.value;
  const auto same = [&](const Residue& one) { return one.value == flag; };
  if (less.form->negated || row == nullptr || std::ranges::none_of(*row, same))
    throw NotRepresented{"an infinity less another one"};
  return hidden(less.form->flag(), sum);
}

Number Algebra::multiple_of_hidden(const Number& a, const Rational& by) {
  if (by.is_zero()) throw NotRepresented{"an infinity times 0"};
  Form form = *a.form;
  form.negated ^= by.is_negative();
  form.parts[1] = scaled(form.kept(), by);
  return with_hidden(std::move(form));
}

Number Algebra::exponential_of_hidden(const Number& a) {
  if (a.form->negated) throw NotRepresented{"the exponential of an infinity"};
  return keep(negation(a.form->flag()), exponential(a.form->kept()));
}

// A function of its own of all of them, whatever order they come in, of which some may be the
// greatest of others.
Number Algebra::greatest_with_hidden(std::span<const Number> of) {
  if (auto standing = greatest_of_placed(of)) return *standing;
  HiddenRow row;
  for (const Number& number : of) {
    if (number.kind == Number::Kind::kUndefined || number.kind == Number::Kind::kInfinity)
      return number;
    if (number.kind == Number::Kind::kMinusInfinity) continue;
    const bool is_hidden = identity::is_hidden(number);
    if (is_hidden && number.form->negated) throw NotRepresented{"the greatest of infinities"};
    const Number& shown = is_hidden ? number.form->kept() : number;
    const Number flag = is_hidden ? number.form->flag() : constant(0);
    const auto known = hidden_rows_.find(shown.residue.value);
    if (known != hidden_rows_.end() && known->second.first.residue.value == flag.residue.value) {
      row.insert(row.end(), known->second.second.begin(), known->second.second.end());
    } else if (!is_hidden && has(number, Form::Kind::kMaximum) && !number.form->negated) {
      for (const Residue& element : *number.form->elements)
        row.emplace_back((element + number.form->shift).value, flag);
    } else {
      row.emplace_back(key(shown), flag);
    }
  }
  return greatest_of_row(std::move(row));
}

Number Algebra::greatest_of_row(HiddenRow row) {
  const auto keys_of = [](const HiddenRow::value_type& x) {
    return std::pair(x.first, x.second.residue.value);
  };
  std::ranges::sort(row, {}, keys_of);
  row.erase(std::unique(row.begin(), row.end(),
                        [&](const auto& a, const auto& b) { return keys_of(a) == keys_of(b); }),
            row.end());
  std::vector<uint64_t> keys;
  std::vector<Residue> flags;
  Number all = constant(1);  // are minus infinity
  for (const HiddenRow::value_type& member : row) {
    const Number& flag = member.second;
    keys.insert(keys.end(), {member.first, flag.residue.value});
    const auto same = [&](const Residue& one) { return one.value == flag.residue.value; };
    if (std::ranges::any_of(flags, same)) continue;
    flags.push_back(flag.residue);
    all = conjunction(all, flag);
  }
  const Number greatest = random("greatest with hidden", keys);
  hidden_rows_.try_emplace(greatest.residue.value, all, std::move(row));
  if (constant_of(all) != nullptr) return hidden(all, greatest);
  Form form{Form::Kind::kHidden};
  form.parts = {all, greatest};
  form.elements = std::make_shared<const std::vector<Residue>>(std::move(flags));
  return with_hidden(std::move(form));
}

// At least a limit that is far below.
Number Algebra::limited_hidden(const Number& a) {
  if (a.form->negated) throw NotRepresented{"a limit of an infinity"};
  const uint64_t keys[] = {key(a.form->kept()), a.form->flag().residue.value};
  return random("limited with hidden", keys);
}

bool Algebra::equal_hidden(const Number& a, const Number& b) {
  if (a.form->negated != b.form->negated ||
      a.form->flag().residue.value != b.form->flag().residue.value)
    return false;
  const Number shown = negation(a.form->flag());
  return equal(keep(shown, a.form->kept()), keep(shown, b.form->kept()));
}

}  // namespace assay::identity
