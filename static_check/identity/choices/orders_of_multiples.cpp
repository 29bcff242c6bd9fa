// The order of c x is that of x, for positive constants c: programs choose by logits that are
// divided by a temperature as by these themselves. Orders are those of the first row that was asked
// for.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {

// What the elements are to be multiplied by: 1 of the first row. Rows are told apart by a number
// that does not depend on what all elements have in common, nor on how they are arranged, and is c
// times as large for c x.
Rational Algebra::order_scale(const Order::Set& elements) {
  if (cases_ != nullptr || elements.size() < 3) return 1;
  const Residue mean = mean_of(elements);
  Residue squares, cubes;
  for (const Residue& element : elements) {
    const Residue apart = element - mean;
    squares = squares + apart * apart;
    cubes = cubes + apart * apart * apart;
  }
  if (squares.value == 0 || squares.exponent == 0 || cubes.value == 0) return 1;
  const Residue asked = cubes * raised(squares, -1);
  return Rational(1) / orders_asked_.first_of(asked, scales_, true).times;
}

Order Algebra::scaled_order(Order order) {
  return order.index ? order : order.with_scale(order.scale * order_scale(order.all()));
}

// Of just these elements, in its order.
std::optional<std::vector<Residue>> Algebra::members_of(const Order& order, Order::Set elements) {
  const Rational scale = order_scale(elements);
  if (scaled_order({{std::move(elements)}}).sets[0] != order.all()) return std::nullopt;
  const Residue by = residue_of(Rational(1) / scale);
  std::vector<Residue> members;
  for (const Order::Set& one : order.sets) members.push_back(one[0] * by);
  return members;
}

// Of a row whose order these elements have, of which the number is the extreme one.
std::optional<std::vector<Residue>> Algebra::members_alike(const Order& order,
                                                           const Number& extreme) {
  if (alike_rows_.empty()) return std::nullopt;
  const auto known = alike_rows_.find(settled(extreme).residue.value);
  if (known == alike_rows_.end()) return std::nullopt;
  Order::Set alike;
  std::unordered_map<uint64_t, Residue> of;
  for (const auto& [element, other] : known->second) {
    if (!of.try_emplace(other.value, element).second) return std::nullopt;
    alike.push_back(other);
  }
  std::ranges::sort(alike, {}, &Residue::value);
  auto members = members_of(order, std::move(alike));
  if (members)
    for (Residue& member : *members) member = of.at(member.value);
  return members;
}

// Where the values are c times what is greatest of each set, what is chosen is c times that.
std::optional<Number> Algebra::multiple_of_chosen(const Order& order,
                                                  std::span<const Number> values) {
  if (order.scale.is_one()) return std::nullopt;
  const Rational times = Rational(1) / order.scale;
  const Residue by = residue_of(times);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].residue.value != (order.greatest[i] * by).value) return std::nullopt;
  Order first = order;
  first.scale = 1;
  std::vector<Number> elements;
  for (const Residue& greatest : order.greatest) elements.push_back({greatest});
  const Number chosen = scaled(choice(std::make_shared<const Order>(first), elements), times);
  note_place(chosen.residue, order.with_scale(1));
  return chosen;
}

}  // namespace assay::identity
