// Extrema are sets. What all elements of a set of real numbers have in common as a summand is taken
// out; integers may wrap, where max(a + t, b + t) is not max(a, b) + t.
#include <algorithm>

#include "static_check/checker/facts/affine.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

void unite(ElementSet& elements) {
  std::sort(elements.begin(), elements.end(),
            [](const SetElement& a, const SetElement& b) { return a.value.r < b.value.r; });
  const auto same = [](const SetElement& a, const SetElement& b) { return a.value.r == b.value.r; };
  elements.erase(std::unique(elements.begin(), elements.end(), same), elements.end());
}

std::vector<uint64_t> keys_of(const ElementSet& elements) {
  std::vector<uint64_t> keys;
  for (const SetElement& element : elements) keys.push_back(element.value.r);
  return keys;
}

Type type_of_all(const std::vector<Number>& of) {
  for (const Number& x : of)
    if (x.type != kUntyped) return x.type;
  return kUntyped;
}

}  // namespace

// One divided by the greatest of numbers that are not negative is the least of one divided by each:
// what is infinite there is 1/0, beside something that is greater.
std::optional<Number> Algebra::reciprocal_of_greatest(const Number& x) {
  const ExtremeForm form = extremes_[index(x)];
  if (cases() != nullptr || form.least || form.shift.r != 0) return std::nullopt;
  std::vector<Number> parts;
  for (const SetElement& element : ElementSet(sets_[form.set])) {
    const auto member = nonnegative_members_.find(element.value.r);
    if (element.constant < 0 && member == nonnegative_members_.end()) return std::nullopt;
    Number part =
        reciprocal(element.constant < 0 ? Number(member->second)
                                        : exact(rationals_[static_cast<size_t>(element.constant)]));
    if (!part.is_finite()) return std::nullopt;
    if (element.constant >= 0 && !part.positive) return std::nullopt;
    part.positive = part.nonnegative = true;
    parts.push_back(std::move(part));
  }
  return minimum(parts);
}

Number Algebra::plain_maximum(const std::vector<Number>& of) {
  const Type type = type_of_all(of);
  if (is_integer_type(type)) return integer_extreme(of, false, type);
  if (const auto exponents = exponents_of(of))
    return multiply(of[0], exp(subtract(maximum(*exponents), exponents->front())));
  ElementSet elements;
  bool infinite = false;
  std::optional<Rational> constant;
  for (const Number& x : of) {
    if (x.kind == Kind::kNan) return undefined();
    infinite |= x.kind == Kind::kInfinity;
    if (!x.is_finite()) continue;
    const bool set = x.kind == Kind::kExtreme && !extremes_[index(x)].least;
    if (!set) {
      elements.push_back({x.value, x.is_constant() ? x.form : -1});
      if (x.positive || x.nonnegative) nonnegative_members_.try_emplace(x.value.r, x);
      continue;
    }
    const ExtremeForm& form = extremes_[index(x)];
    for (SetElement element : sets_[form.set]) {
      if (form.shift.r != 0) element = {element.value + form.shift, -1};
      elements.push_back(element);
    }
  }
  if (infinite) return infinity(false);
  if (elements.empty()) return infinity(true);
  // Of the constants the largest one.
  try {
    for (const SetElement& element : elements) {
      if (element.constant < 0) continue;
      const Rational& value = rationals_[static_cast<size_t>(element.constant)];
      if (constant && !(value - *constant).is_positive()) continue;
      constant = value;
    }
    std::erase_if(elements, [&](const SetElement& element) {
      return element.constant >= 0 &&
             !(rationals_[static_cast<size_t>(element.constant)] == *constant);
    });
  } catch (const RationalOverflow&) {  // all of them, then
  }
  unite(elements);
  return extreme(std::move(elements), of);
}

Number Algebra::extreme(ElementSet elements, const std::vector<Number>& of) {
  if (elements.size() == 1) {
    for (const Number& x : of)
      if (x.is_finite() && x.value.r == elements[0].value.r) return x;
    return ordinary(elements[0].value);
  }
  store(elements.size());
  Residues mean;
  for (const SetElement& element : elements) mean = mean + element.value;
  mean = mean * residues_of(Rational(1, static_cast<PlainInt>(elements.size())));
  // Of two, the mean and half their distance: max(a, b) = (a + b + sqrt((a - b)^2)) / 2.
  Residues rest;
  if (elements.size() == 2) {
    const Residues distance = elements[0].value - elements[1].value;
    Number square = ordinary(distance * distance);
    square.nonnegative = true;
    rest = plain_root(square, 1, 2).value * residues_of(Rational(1, 2));
  } else {
    // A positive constant comes out as well.
    std::vector<Residues> row;
    for (const SetElement& element : elements) row.push_back(element.value);
    const Rational times = cases() == nullptr ? multiple_of_row(row) : Rational(1);
    const Residues back = residues_of(Rational(1) / times);
    ElementSet centered = elements;
    for (SetElement& element : centered) element.value = (element.value - mean) * back;
    unite(centered);
    rest = random_("max", keys_of(centered)) * residues_of(times);
  }
  const Residues value = mean + rest;
  sets_.push_back(std::move(elements));
  Number result = with_form(value, Kind::kExtreme, extremes_, ExtremeForm{sets_.size() - 1, {}});
  result.type = kReal;
  for (const Number& x : of) {
    result.nonnegative |= x.nonnegative;
    result.positive |= x.positive;
  }
  return result;
}

Number Algebra::plain_minimum(const std::vector<Number>& of) {
  const Type type = type_of_all(of);
  if (is_integer_type(type)) return integer_extreme(of, true, type);
  std::vector<Number> negatives;
  bool nonnegative = true, positive = true;
  for (const Number& x : of) {
    negatives.push_back(negated(x));
    nonnegative = nonnegative && (x.nonnegative || x.kind == Kind::kInfinity);
    positive = positive && (x.positive || x.kind == Kind::kInfinity);
  }
  Number result = negated(maximum(negatives));
  if (!result.is_finite()) return result;
  result.nonnegative |= nonnegative;
  result.positive |= positive;
  return result;
}

Number Algebra::integer_extreme(const std::vector<Number>& of, bool least, Type type) {
  // Two at a time, whose rankings may be those of different ranks.
  if (selects_constants(of)) {
    std::optional<Number> extreme = of[0];
    for (size_t i = 1; extreme && i < of.size(); ++i) {
      const std::vector<Number> two{*extreme, of[i]};
      extreme = selects_constants(two) ? member_by_member(two, type,
                                                          [&](std::span<const Number> x) {
                                                            return std::optional(integer_extreme(
                                                                {x.begin(), x.end()}, least, type));
                                                          })
                                       : std::optional(integer_extreme(two, least, type));
    }
    if (extreme) return *extreme;
  }
  ElementSet elements;
  const Number* best = nullptr;
  for (const Number& x : of) {
    if (x.kind == Kind::kNan) return undefined();
    if (!x.is_finite() || (x.type != type && x.type != kUntyped))
      throw Rejection{"the extremum of integers and other numbers"};
    const bool set = x.kind == Kind::kExtreme && extremes_[index(x)].least == least;
    if (set) {
      const ElementSet& theirs = sets_[extremes_[index(x)].set];
      elements.insert(elements.end(), theirs.begin(), theirs.end());
      continue;
    }
    elements.push_back({x.value, x.is_constant() ? x.form : -1});
    if (!x.is_constant()) continue;
    const bool better = best != nullptr && (rational(x) - rational(*best)).is_positive() != least;
    if (best == nullptr || better) best = &x;
  }
  const bool known = std::all_of(elements.begin(), elements.end(),
                                 [](const SetElement& x) { return x.constant >= 0; });
  if (known && best != nullptr &&
      std::all_of(of.begin(), of.end(), [](const Number& x) { return x.is_constant(); }))
    return *best;
  unite(elements);
  if (elements.size() == 1)
    for (const Number& x : of)
      if (x.value.r == elements[0].value.r) return x;
  store(elements.size());
  std::vector<uint64_t> keys = keys_of(elements);
  keys.push_back(type);
  const Residues value = random_(least ? "integer min" : "integer max", keys);
  sets_.push_back(std::move(elements));
  Number result =
      with_form(value, Kind::kExtreme, extremes_, ExtremeForm{sets_.size() - 1, {}, least});
  result.type = type;
  result.in_range = true;
  return result;
}

}  // namespace assay::checker::identity
