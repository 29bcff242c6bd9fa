// Maxima and minima, as sets of what they are taken of.
#include <algorithm>
#include <memory>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostElements = 4096;  // of a maximum

}  // namespace

// The least of reciprocals of what is not negative is that of the greatest, 1/0 being infinite, and
// the greatest that of the least. `constant` is beside the elements, if it is not nullptr.
std::optional<Number> Algebra::maximum_of_reciprocals(std::span<const Residue> elements,
                                                      const Rational* constant) {
  if (cases_ != nullptr || reciprocals_.empty() || elements.size() + (constant ? 1 : 0) < 2)
    return std::nullopt;
  for (const bool least : {true, false}) {  // of -1/x, of 1/x
    std::vector<Number> of;
    for (const Residue& element : elements) {
      const auto known = reciprocals_.find(least ? kValues.negative(element.value) : element.value);
      if (known == reciprocals_.end()) break;
      of.push_back(least ? Number(known->second) : negative(known->second));
    }
    if (of.size() < elements.size()) continue;
    if (constant != nullptr) {
      if (least ? !constant->is_negative() : !constant->is_positive()) continue;
      of.push_back(this->constant(Rational(-1) / *constant));
    }
    const Number extremum = maximum_as_set(of);
    return least ? negative(reciprocal(extremum)) : reciprocal(negative(extremum));
  }
  return std::nullopt;
}

Number Algebra::plain_maximum(std::span<const Number> of) {
  if (std::ranges::any_of(of, is_hidden)) return greatest_with_hidden(of);
  const auto is_set = [](const Number& x) { return has(x, Form::Kind::kMaximum); };
  if (cases_ != nullptr && cases_->assignments() == nullptr &&
      (decide_sets_ || (of.size() <= 2 && std::ranges::none_of(of, is_set))))
    return greatest_by_cases(of);
  if (const auto known = extremum_of_monotone(of, true)) return *known;
  if (const auto exponents = exponents_of(of))
    return multiply(of[0], exponential(subtract(maximum_as_set(*exponents), exponents->front())));
  return maximum_as_set(of);
}

// |x| is x or -x, whichever is greater: the greatest |x| is the greatest of all x and -x. Of two,
// of which the maximum says more, only where both are such.
void Algebra::write_out_magnitudes(std::vector<Residue>& elements, bool beside_constant) const {
  const auto is_magnitude = [&](const Residue& element) {
    return magnitudes_.contains(element.value);
  };
  if (magnitudes_.empty() || elements.size() < 2) return;
  if (elements.size() == 2 && !beside_constant && !std::ranges::all_of(elements, is_magnitude))
    return;
  for (size_t i = 0, count = elements.size(); i < count; ++i) {
    const auto known = magnitudes_.find(elements[i].value);
    if (known == magnitudes_.end()) continue;
    elements[i] = known->second;
    elements.push_back(Residue{} - known->second);
  }
}

Number Algebra::maximum_as_set(std::span<const Number> of) {
  if (std::ranges::any_of(of, is_hidden)) throw NotRepresented{"an infinity under a condition"};
  std::vector<Residue> elements;
  const Number* greatest = nullptr;  // of the constants
  for (const Number& number : of) {
    if (number.kind == Number::Kind::kUndefined || number.kind == Number::Kind::kInfinity)
      return number;
    if (!number.is_finite()) continue;
    if (const Rational* known = constant_of(number)) {
      const Rational* most = greatest == nullptr ? nullptr : constant_of(*greatest);
      if (most == nullptr || (*known - *most).is_positive()) greatest = &number;
      continue;
    }
    const Number member = settled(number);
    if (has(member, Form::Kind::kMaximum) && !member.form->negated) {
      for (const Residue& element : *member.form->elements)
        elements.push_back(element + member.form->shift);
    } else {
      elements.push_back(member.residue);
    }
  }
  if (elements.empty()) return greatest == nullptr ? infinity(true) : *greatest;
  if (const auto known =
          maximum_of_reciprocals(elements, greatest == nullptr ? nullptr : constant_of(*greatest)))
    return *known;
  leave_out_later_places(elements);
  write_out_magnitudes(elements, greatest != nullptr);
  if (greatest != nullptr) elements.push_back(greatest->residue);
  std::ranges::sort(elements, {}, &Residue::value);
  elements.erase(std::unique(elements.begin(), elements.end(),
                             [](const Residue& a, const Residue& b) { return a.value == b.value; }),
                 elements.end());
  // Of several constants that came with maxima, the greatest counts.
  const Rational* most = nullptr;
  for (const Residue& element : elements)
    if (const Rational* here = known(element);
        here != nullptr && (most == nullptr || (*here - *most).is_positive()))
      most = here;
  if (most != nullptr)
    std::erase_if(elements, [&](const Residue& element) {
      const Rational* here = known(element);
      return here != nullptr && !(*here == *most);
    });
  if (elements.size() > kMostElements) throw NotRepresented{"a maximum of too many elements"};
  if (elements.size() > 1) return maximum_of(std::move(elements));
  for (const Number& number : of)
    if (number.is_finite() && settled(number).residue.value == elements[0].value) return number;
  return {elements[0]};
}

// What all elements have in common comes out: max(a + c, b + c) = max(a, b) + c, and so does a
// positive constant: max(c a, c b) = c max(a, b). Of two, half of what is left is their distance:
// max(a, b) = (a + b + sqrt((a - b)^2)) / 2. By cases that would be decided, and two are but what
// ties leave of more.
Number Algebra::maximum_of(std::vector<Residue> elements) {
  const Residue mean = mean_of(elements);
  Form form{Form::Kind::kMaximum};
  form.elements = std::make_shared<const std::vector<Residue>>(std::move(elements));
  Residue rest;
  if (form.elements->size() == 2 && cases_ == nullptr) {
    const Residue distance = (*form.elements)[0] - (*form.elements)[1];
    rest = root(residue_of(Rational(1, 2)), distance * distance, Rational(1, 2)).residue;
  } else {
    const Rational scale = order_scale(*form.elements);
    const Residue by = residue_of(scale);
    std::vector<uint64_t> keys;
    for (const Residue& element : *form.elements)
      keys.push_back(kValues.multiply(kValues.subtract(element.value, mean.value), by.value));
    std::ranges::sort(keys);
    rest = random_residue("maximum", keys) * residue_of(Rational(1) / scale);
  }
  return with(mean + rest, std::move(form));
}

Number Algebra::minimum(const Number& a, const Number& b) {
  if (const Number both[] = {a, b}; a.is_finite() && b.is_finite())
    if (const auto known = extremum_of_monotone(both, false)) return *known;
  return negative(maximum(negative(a), negative(b)));
}

}  // namespace assay::identity
