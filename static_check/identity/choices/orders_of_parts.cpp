// A row of what stands at the first places of other rows, as programs gather it that sort in parts:
// what stands at its first places are elements of all these rows.
#include <algorithm>
#include <set>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

bool same_residues(const Number& a, const Number& b) { return a.residue.value == b.residue.value; }

bool all_single(const Order& order) {
  return std::ranges::all_of(order.sets, [](const Order::Set& set) { return set.size() == 1; });
}

}  // namespace

void Algebra::note_place(const Residue& standing, const Order& order) {
  if (!order.index && order.count() > 1)
    ranked_.try_emplace(standing.value, Ranked{order.all(), order.place});
}

// What is known of -x is known of x, from the other end.
std::optional<Algebra::Ranked> Algebra::place_of(const Residue& standing) const {
  if (ranked_.empty()) return std::nullopt;
  if (const auto found = ranked_.find(standing.value); found != ranked_.end()) return found->second;
  const auto found = ranked_.find(kValues.negative(standing.value));
  if (found == ranked_.end()) return std::nullopt;
  Ranked turned = found->second;
  for (Residue& element : turned.of) element = Residue{} - element;
  std::ranges::sort(turned.of, {}, &Residue::value);
  turned.place = turned.of.size() - 1 - turned.place;
  return turned;
}

// What stands behind another element of its row, or behind all of that, is not the greatest.
void Algebra::leave_out_later_places(std::vector<Residue>& elements) const {
  if (ranked_.empty() || elements.size() < 2) return;
  const auto among = [&](const Residue& element) {
    return std::ranges::any_of(elements,
                               [&](const Residue& x) { return x.value == element.value; });
  };
  std::vector<std::optional<Ranked>> places;
  for (const Residue& element : elements) places.push_back(place_of(element));
  std::vector<Residue> left;
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto& own = places[i];
    const auto is_before = [&](const std::optional<Ranked>& other) {
      return other && other->place < own->place && other->of == own->of;
    };
    const bool later =
        own && own->place > 0 &&
        (std::ranges::any_of(places, is_before) || std::ranges::all_of(own->of, among));
    if (!later) left.push_back(elements[i]);
  }
  elements = std::move(left);
}

// The elements of one of the rows, in the order that equal ones have there, each with what belongs
// to it: what is chosen does not depend on the place in that row.
Algebra::OfRow Algebra::add_elements(const Ranked& row, std::span<const Number> standing,
                                     std::span<const Number> values, Order& all,
                                     std::vector<Number>& chosen) const {
  const auto add = [&](const Residue& element, const Number& value) {
    all.sets.push_back({element});
    chosen.push_back(value);
  };
  if (std::ranges::equal(standing, values, same_residues)) {
    for (const Residue& element : row.of) add(element, {element});
    return OfRow::kElements;
  }
  const auto equals_first = [&](const Number& value) { return same_residues(value, values[0]); };
  if (std::ranges::all_of(values, equals_first)) {
    for (const Residue& element : row.of) add(element, values[0]);
    return OfRow::kNumber;
  }
  if (!has(values[0], Form::Kind::kChoice)) return OfRow::kNothing;
  const Form& first = *values[0].form;
  for (size_t place = 0; place < values.size(); ++place) {
    if (!has(values[place], Form::Kind::kChoice)) return OfRow::kNothing;
    const Form& form = *values[place].form;
    if (form.order->place != place || form.order->index || form.order->sets != first.order->sets ||
        !std::ranges::equal(form.parts, first.parts, same_residues))
      return OfRow::kNothing;
  }
  const Order order = first.order->with_scale(1);
  if (!all_single(order) || order.all() != row.of) return OfRow::kNothing;
  for (size_t i = 0; i < first.parts.size(); ++i) add(order.sets[i][0], first.parts[i]);
  return OfRow::kChoice;
}

std::optional<Number> Algebra::choice_among_parts(const Order& scaled,
                                                  std::span<const Number> values) {
  const Order order = scaled.with_scale(1);
  const auto is_ranked = [&](const Order::Set& set) {
    const uint64_t value = set[0].value;
    return ranked_.contains(value) || ranked_.contains(kValues.negative(value));
  };
  if (order.index || !all_single(order) || std::ranges::none_of(order.sets, is_ranked))
    return std::nullopt;
  Order all;
  all.place = order.place;
  std::vector<Number> chosen;
  // One of the kinds for all rows: a sum of what each row has comes to that with its last summand.
  std::optional<OfRow> kind;
  for (size_t i = 0; i < order.sets.size();) {
    const Residue& first = order.sets[i][0];
    const auto row = place_of(first);
    if (!row) {
      all.sets.push_back({first});
      chosen.push_back(values[i++]);
      continue;
    }
    // From its greatest on, one place after the other.
    if (row->place != 0) return std::nullopt;
    std::vector<Number> standing;
    size_t end = i;
    for (; end < order.sets.size(); ++end) {
      const auto next = place_of(order.sets[end][0]);
      if (!next || next->place != end - i || next->of != row->of) break;
      standing.push_back({order.sets[end][0]});
    }
    // What is left out of it stands behind all of these.
    if (order.place >= standing.size() && standing.size() < row->of.size()) return std::nullopt;
    const OfRow found = add_elements(*row, standing, values.subspan(i, end - i), all, chosen);
    if (found == OfRow::kNothing || (kind && found != *kind)) return std::nullopt;
    kind = found;
    i = end;
  }
  const Order::Set elements = all.all();
  const auto is_same = [](const Residue& a, const Residue& b) { return a.value == b.value; };
  if (!kind || elements.size() > kMostSorted ||
      std::ranges::adjacent_find(elements, is_same) != elements.end())
    return std::nullopt;
  return choice(with_flags(scaled_order(std::move(all))), std::move(chosen));
}

// A flag of such a row, times what belongs to one of the rows: of each that the flag may mean.
std::optional<Number> Algebra::product_among_parts(const Number& outer, const Number& inner) {
  const Order whole = outer.form->order->with_scale(1), part = inner.form->order->with_scale(1);
  if (whole.index || part.index || !all_single(whole) || !chooses_constants(outer))
    return std::nullopt;
  const Order::Set of = part.all();
  const auto is_of_part = [&](const Order::Set& set) {
    const auto row = place_of(set[0]);
    return row && row->of == of;
  };
  if (std::ranges::none_of(whole.sets, is_of_part)) return std::nullopt;
  std::vector<Number> values;
  for (const Number& flag : outer.form->parts) values.push_back(multiply(flag, inner));
  return choice(outer.form->order, std::move(values));
}

}  // namespace assay::identity
