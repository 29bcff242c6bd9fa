// Extrema are sets. What all elements of a set of real numbers have in common as a summand is taken
// out; integers may wrap, where max(a + t, b + t) is not max(a, b) + t.
#include <algorithm>

#include "static_check/checker/facts/regions.h"
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

// What is greatest of 1/x is 1/x of the least x, and the least that of the greatest, where no x is
// negative: 1/0 is greater than all.
std::optional<Number> Algebra::extreme_of_reciprocals(const ElementSet& elements) {
  if (cases() != nullptr || reciprocals_.empty() || elements.size() < 2) return std::nullopt;
  bool any = false;
  const auto base_of = [&](const SetElement& element, bool mirrored) -> std::optional<Number> {
    if (element.constant >= 0) {
      const Rational& value = rationals_[static_cast<size_t>(element.constant)];
      if (value.is_zero() || value.is_negative() != mirrored) return std::nullopt;
      return exact(Rational(mirrored ? -1 : 1) / value);
    }
    const auto known = reciprocals_.find((mirrored ? -element.value : element.value).r);
    if (known == reciprocals_.end()) return std::nullopt;
    any = true;
    return known->second;
  };
  for (const bool mirrored : {true, false}) {
    std::vector<Number> bases;
    for (const SetElement& element : elements)
      if (auto base = base_of(element, mirrored)) bases.push_back(std::move(*base));
    if (!any || bases.size() < elements.size()) continue;
    if (!mirrored) return reciprocal(minimum(bases));
    // Of the residue alone: what else is known of it may lead back here.
    return ordinary(-reciprocal(maximum(bases)).value);
  }
  return std::nullopt;
}

Number Algebra::plain_maximum(const std::vector<Number>& of) {
  if (std::any_of(of.begin(), of.end(), is_hidden)) return greatest_of_hidden(of);
  const Type type = type_of_all(of);
  if (is_integer_type(type)) return integer_extreme(of, false, type);
  if (const auto known = extreme_of_monotone(of, false)) return *known;
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
  if (const auto known = extreme_of_reciprocals(elements)) return *known;
  leave_out_later_places(elements);
  write_out_magnitudes(elements);
  unite(elements);
  return extreme(std::move(elements), of);
}

void Algebra::learn_magnitude(const Number& of, const Number& x) {
  if (of.is_finite() && !of.is_constant()) magnitudes_.try_emplace(of.value.r, x.value);
}

// |x| is the greater one of x and -x. Not beside one other number, where the maximum of two says
// more.
void Algebra::write_out_magnitudes(ElementSet& elements) const {
  if (cases() != nullptr || magnitudes_.empty() || elements.size() < 2) return;
  const auto is_magnitude = [&](const SetElement& x) { return magnitudes_.contains(x.value.r); };
  if (elements.size() == 2 && !std::ranges::all_of(elements, is_magnitude)) return;
  ElementSet written;
  for (const SetElement& element : elements) {
    const auto known = magnitudes_.find(element.value.r);
    if (known == magnitudes_.end()) {
      written.push_back(element);
      continue;
    }
    written.push_back({known->second, -1});
    written.push_back({-known->second, -1});
  }
  elements = std::move(written);
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
  if (const auto known = extreme_of_monotone(of, true)) return *known;
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
