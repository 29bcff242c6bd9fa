// Where an element of a row stands when that is sorted: what flags at several places say of one
// element, as programs ask that keep the first ones of a row where they were. A choice by that
// place, of which an element has one.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostPlaces = 64;

bool has_single_sets(const Order& order) {
  return std::ranges::all_of(order.sets, [](const Order::Set& set) { return set.size() == 1; });
}

// The one part that is not as all others, of three or more.
std::optional<size_t> only_other(const std::vector<Number>& parts) {
  const auto same = [&](size_t i, size_t k) {
    return parts[i].residue.value == parts[k].residue.value;
  };
  const size_t usual = same(0, 1) || same(0, 2) ? 0 : 1;
  std::optional<size_t> other;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (same(i, usual)) continue;
    if (other) return std::nullopt;
    other = i;
  }
  return other;
}

}  // namespace

// Rows that differ by a number in common are one.
uint64_t Algebra::key_of_row(const Order& order) const {
  const Residue mean = order.mean();
  std::vector<uint64_t> keys;
  for (const Order::Set& set : order.sets)
    keys.push_back(kValues.subtract(set[0].value, mean.value));
  return random_residue("row", keys).value;
}

const Algebra::Places& Algebra::places_of(const Order& of, size_t element) {
  const uint64_t row = key_of_row(of);
  const auto [found, is_new] = places_.try_emplace({row, element});
  Places& places = found->second;
  if (!is_new) return places;
  places.row = row;
  places.element = element;
  places.row_sets = of.sets;
  Order at{of.sets}, order;
  at.greatest = of.greatest;
  Residue place;
  for (; at.place < of.sets.size(); ++at.place) {
    auto flags = row_flags_.find({row, at.place});
    if (flags == row_flags_.end())
      flags = row_flags_.emplace(std::pair(row, at.place), flags_of(at)).first;
    order.flags.push_back(flags->second[element]);
    order.sets.push_back({residue_of(static_cast<int64_t>(at.place))});
    place = place + order.flags.back() * order.sets.back()[0];
  }
  order.index = place;
  for (const Order::Set& set : order.sets) order.greatest.push_back(set[0]);
  places.order = std::make_shared<const Order>(std::move(order));
  for (at.place = 0; at.place < of.sets.size(); ++at.place) {
    const Residue apart = of.sets[element][0] - at_place(at).residue;
    places.apart.push_back({apart, exponential({apart}).residue});
  }
  elements_placed_.try_emplace(place.value, &places);
  return places;
}

const Algebra::Places* Algebra::placed_by(const Number& number) const {
  if (!has(number, Form::Kind::kChoice) || !number.form->order->index) return nullptr;
  const auto found = elements_placed_.find(number.form->order->index->value);
  return found == elements_placed_.end() ? nullptr : found->second;
}

// Whether an element stands at the choice's place, and what is chosen then.
std::optional<Algebra::AtPlace> Algebra::at_one_place(const Number& number) {
  if (const Places* places = placed_by(number)) return AtPlace{places, number.form->parts};
  if (!has(number, Form::Kind::kChoice)) return std::nullopt;
  const Order& order = *number.form->order;
  const std::vector<Number>& parts = number.form->parts;
  if (order.index || !order.scale.is_one() || parts.size() < 3 || parts.size() > kMostPlaces ||
      !has_single_sets(order))
    return std::nullopt;
  const auto element = only_other(parts);
  if (!element) return std::nullopt;
  std::vector<Number> at(parts.size(), parts[*element == 0 ? 1 : 0]);
  at[order.place] = parts[*element];
  return AtPlace{&places_of(order, *element), std::move(at)};
}

std::optional<Number> Algebra::each_place(const Number& a, const Number& b,
                                          const EachChoice& function) {
  if (cases_ != nullptr || !has(a, Form::Kind::kChoice) || !has(b, Form::Kind::kChoice))
    return std::nullopt;
  auto left = at_one_place(a);
  if (!left) return std::nullopt;
  auto right = at_one_place(b);
  if (!right || left->of != right->of) return std::nullopt;
  std::vector<Number> results;
  for (size_t place = 0; place < left->values.size(); ++place) {
    auto result = function(std::vector{left->values[place], right->values[place]});
    if (!result || !result->is_finite()) return std::nullopt;
    results.push_back(std::move(*result));
  }
  return choice(left->of->order, std::move(results));
}

// At each place the element is what stands there, and the exponential of their difference is 1.
std::optional<Number> Algebra::exponential_at_places(const Number& a) {
  const Places* places = placed_by(a);
  if (places == nullptr) return std::nullopt;
  std::vector<Number> results;
  for (size_t place = 0; place < a.form->parts.size(); ++place) {
    const Number& argument = a.form->parts[place];
    const bool none = argument.residue.value == places->apart[place].first.value;
    results.push_back(none ? constant(1) : exponential(argument));
  }
  return choice(places->order, std::move(results));
}

std::optional<Number> Algebra::product_at_places(const Number& a, const Number& b) {
  const Places* places = placed_by(a);
  if (places == nullptr || has(b, Form::Kind::kChoice) || b.sign != Sign::kPositive)
    return std::nullopt;
  std::vector<Number> results;
  for (size_t place = 0; place < a.form->parts.size(); ++place) {
    const bool one = b.residue.value == places->apart[place].second.value;
    results.push_back(one ? a.form->parts[place] : multiply(a.form->parts[place], b));
  }
  return choice(places->order, std::move(results));
}

// The greatest of a row that is hidden but for what stands at some of its places: what stands at
// the first of these.
std::optional<Number> Algebra::greatest_of_placed(std::span<const Number> of) {
  std::vector<std::optional<Number>> values;  // by the element of the row
  const Places* first = nullptr;
  std::vector<bool> shown;  // by place
  for (const Number& number : of) {
    if (!is_hidden(number) || number.form->negated) return std::nullopt;
    const auto flags = at_one_place(number.form->flag());
    if (!flags) return std::nullopt;
    std::vector<bool> here;
    for (const Number& flag : flags->values) here.push_back(is_zero(flag));
    if (first == nullptr) {
      first = flags->of;
      shown = here;
      values.resize(here.size());
    }
    if (flags->of->row != first->row || here != shown || values[flags->of->element])
      return std::nullopt;
    const auto kept = at_one_place(number.form->kept());
    if (kept && kept->of != flags->of) return std::nullopt;
    std::optional<Number>& value = values[flags->of->element];
    for (size_t place = 0; place < here.size(); ++place) {
      if (!here[place]) continue;
      const Number& chosen = kept ? kept->values[place] : number.form->kept();
      if (value && value->residue.value != chosen.residue.value) return std::nullopt;
      value = chosen;
    }
  }
  if (first == nullptr || std::ranges::find(shown, true) == shown.end()) return std::nullopt;
  std::vector<Number> all;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) return std::nullopt;
    const Residue apart = values[i]->residue - first->row_sets[i][0],
                  usual = values[0]->residue - first->row_sets[0][0];
    if (apart.value != usual.value) return std::nullopt;
    all.push_back(*values[i]);
  }
  Order order{first->row_sets};
  order.place = static_cast<uint64_t>(std::ranges::find(shown, true) - shown.begin());
  return choice(with_flags(std::move(order)), std::move(all));
}

}  // namespace assay::identity
