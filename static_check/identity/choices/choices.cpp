// Numbers that depend on which element of a row is the greatest: the values there, each times a
// flag that is 1 where it is the one. These flags are random numbers that add up to 1.
#include <algorithm>
#include <set>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostChoices = 256;

const std::vector<Number>& values_of(const Number& choice) { return choice.form->parts; }

bool is_choice(const Number& number) { return has(number, Form::Kind::kChoice); }

bool is_maximum(const Number& number) {
  return has(number, Form::Kind::kMaximum) && !number.form->negated;
}

// Of a maximum, sorted.
Order::Set elements_of_maximum(const Number& maximum) {
  Order::Set set = *maximum.form->elements;
  for (Residue& element : set) element = element + maximum.form->shift;
  std::ranges::sort(set, {}, &Residue::value);
  return set;
}

Order::Set intersection(const Order::Set& a, const Order::Set& b) {
  Order::Set both;
  std::ranges::set_intersection(a, b, std::back_inserter(both), {}, &Residue::value,
                                &Residue::value);
  return both;
}

}  // namespace

std::optional<std::vector<Number>> Algebra::exponents_of(std::span<const Number> row) {
  if (!factored_ || cases_ != nullptr || row.size() < 2) return std::nullopt;
  for (const Number& number : row)
    if (!number.is_finite() || number.sign != Sign::kPositive || constant_of(number) != nullptr)
      return std::nullopt;
  const Product common = factors_.of(row[0].residue, true);
  std::vector<Number> exponents;
  for (const Number& number : row) {
    const Product& product = factors_.of(number.residue, true);
    if (product.powers != common.powers || !(product.constant == common.constant))
      return std::nullopt;
    exponents.push_back({product.exponent});
  }
  return exponents;
}

std::optional<Number> Algebra::choice_of(std::span<const Number> row, uint64_t place,
                                         std::span<const Number> values) {
  Order order;
  order.place = place;
  std::vector<Number> chosen;
  std::set<uint64_t> seen;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].kind == Number::Kind::kMinusInfinity && place == 0) continue;
    if (!row[i].is_finite()) return std::nullopt;
    const Number member = settled(row[i]);
    const bool is_set = is_maximum(member) && place == 0;
    // What stands behind the greatest of its row is not the greatest.
    if (const auto of = place_of(member.residue);
        of && place == 0 && of->place > 0 &&
        std::ranges::all_of(of->of, [&](const Residue& e) { return seen.contains(e.value); }))
      continue;
    Order::Set set = is_set ? elements_of_maximum(member) : Order::Set{member.residue};
    // Of equal ones the first is meant.
    const size_t all = set.size();
    std::erase_if(set, [&](const Residue& e) { return !seen.insert(e.value).second; });
    if (place > 0 && set.size() < all) return std::nullopt;
    if (set.empty()) continue;
    order.sets.push_back(std::move(set));
    chosen.push_back(values[i]);
  }
  if (order.sets.empty() || order.count() > (place == 0 ? kMostChoices : kMostSorted) ||
      place >= order.sets.size())
    return std::nullopt;
  return choice(with_flags(scaled_order(std::move(order))), std::move(chosen));
}

Number Algebra::choice_of_values(const Number& index, std::span<const int64_t> values) {
  if (!index.is_finite() || index.form != nullptr || values.empty() || values.size() > kMostChoices)
    return index;
  Form form{Form::Kind::kChoice};
  Order order;
  order.index = index.residue;
  for (const int64_t value : values) {
    order.sets.push_back({residue_of(value)});
    form.parts.push_back(constant(value));
  }
  if (values.size() == 1) return form.parts[0];
  form.order = with_flags(std::move(order));
  Number chosen = with(index.residue, std::move(form));
  chosen.in_range = index.in_range;
  return chosen;
}

OrderPointer Algebra::with_flags(Order order) {
  for (const Order::Set& set : order.sets)
    order.greatest.push_back(order.index ? set[0] : greatest_of(set));
  if (order.sets.size() > 1) order.flags = flags_of(order);
  return std::make_shared<const Order>(std::move(order));
}

Number Algebra::choice(const OrderPointer& order, std::vector<Number> values) {
  if (order->of_flag) return chosen_by_flag(order, std::move(values));
  bool same = true, in_range = true;
  bool elements = !order->index && (order->place == 0 || order->place + 1 == order->count());
  bool negatives = elements && order->count() == 2;  // of more, the flags say so
  for (size_t i = 0; i < values.size(); ++i) {
    Number& value = values[i];
    if (!value.is_finite()) throw NotRepresented{"an infinity that is chosen"};
    if (has(value, Form::Kind::kLogarithms)) value = settled(value);
    same &= value.residue.value == values[0].residue.value;
    elements &= value.residue.value == order->greatest[i].value;
    negatives &= value.residue.value == kValues.negative(order->greatest[i].value);
    in_range &= value.in_range;
  }
  if (same) return values[0];
  if (auto chosen = multiple_of_chosen(*order, values)) return *chosen;
  if (auto chosen = choice_among_parts(*order, values)) return *chosen;
  if (elements) return at_place(*order);
  if (negatives) return negative(at_place(*order));
  Residue sum;
  for (size_t i = 0; i < values.size(); ++i) sum = sum + order->flags[i] * values[i].residue;
  Form form{Form::Kind::kChoice};
  form.order = order;
  form.parts = std::move(values);
  Number chosen = with(sum, std::move(form));
  chosen.in_range = in_range;
  return chosen;
}

// What stands at that place of just these elements is a choice of them; so is c exp of the
// greatest.
std::optional<std::vector<Number>> Algebra::as_choice(const Number& number, const Order& order) {
  if (order.of_flag) return by_flag(number, order);
  if (order.index || !number.is_finite()) return std::nullopt;
  const auto is_single = [](const Order::Set& set) { return set.size() == 1; };
  if (!std::ranges::all_of(order.sets, is_single)) return std::nullopt;
  const auto standing = order.place > 0 ? place_of(number.residue) : std::nullopt;
  if (order.place > 0 && (!standing || standing->place != order.place)) return std::nullopt;
  std::vector<Number> values;
  if (order.place == 0)
    if (const auto members = members_alike(order, number)) {
      for (const Residue& member : *members) values.push_back({member});
      return values;
    }
  if (standing || is_maximum(number)) {
    const auto members = members_of(order, standing ? standing->of : elements_of_maximum(number));
    if (!members) return std::nullopt;
    for (const Residue& member : *members) values.push_back({member});
    return values;
  }
  if (number.form != nullptr || !factored_ || number.sign != Sign::kPositive) return std::nullopt;
  const Number greatest = at_place(order);
  if (factors_.of(number.residue, true).exponent.value != greatest.residue.value)
    return std::nullopt;
  for (const Order::Set& one : order.sets)
    values.push_back(multiply(number, exponential(subtract({one[0]}, greatest))));
  return values;
}

std::optional<Number> Algebra::each_choice(std::span<const Number> of, const EachChoice& function) {
  const auto first = std::ranges::find_if(of, is_choice);
  if (first == of.end()) return std::nullopt;
  OrderPointer order = first->form->order;
  std::vector<std::vector<Number>> arguments(order->sets.size());  // per set
  for (auto& of_set : arguments) of_set.reserve(of.size());
  for (const Number& number : of) {
    if (is_choice(number) && number.form->order != order) {
      auto common = common_order(*order, *number.form->order);
      if (!common && of.size() == 2 && is_choice(of[0]))
        return each_of_both(of[0], of[1], function);
      if (!common) return std::nullopt;
      std::vector<std::vector<Number>> refined;
      for (size_t i = 0; i < common->order.sets.size(); ++i) {
        refined.push_back(arguments[common->left[i]]);
        refined.back().push_back(values_of(number)[common->right[i]]);
      }
      arguments = std::move(refined);
      order = with_flags(std::move(common->order));
      continue;
    }
    const auto values =
        is_choice(number) ? std::optional(values_of(number)) : as_choice(number, *order);
    for (size_t i = 0; i < arguments.size(); ++i)
      arguments[i].push_back(values ? (*values)[i] : number);
  }
  std::vector<Number> results;
  results.reserve(arguments.size());
  for (const auto& of_set : arguments) {
    auto result = function(of_set);
    if (!result) return std::nullopt;
    results.push_back(std::move(*result));
  }
  return choice(order, std::move(results));
}

// Two orders of the same elements that part equal ones in other ways. What the function gives where
// some are equal, the first of each order, has to be what it gives at one of them: that comes
// first.
std::optional<Number> Algebra::each_of_both(const Number& a, const Number& b,
                                            const EachChoice& function) {
  const Order &left = *a.form->order, &right = *b.form->order;
  constexpr size_t kMostSets = 33;
  if (left.place != 0 || right.place != 0 || left.index || right.index ||
      left.all() != right.all() || left.sets.size() > kMostSets || right.sets.size() > kMostSets)
    return std::nullopt;
  std::vector<std::vector<Number>> results(left.sets.size());  // by the sets of both
  struct Part {
    Order::Set set;
    size_t i, k;
  };
  std::vector<Part> parts;
  for (size_t i = 0; i < left.sets.size(); ++i)
    for (size_t k = 0; k < right.sets.size(); ++k) {
      auto result = function(std::vector{values_of(a)[i], values_of(b)[k]});
      if (!result || !result->is_finite()) return std::nullopt;
      results[i].push_back(settled(*result));
      Order::Set set = intersection(left.sets[i], right.sets[k]);
      if (!set.empty()) parts.push_back({std::move(set), i, k});
    }
  const auto at = [&](size_t i, size_t k) { return results[i][k].residue.value; };
  const auto is_first = [&](const Part& first, const Part& x, const Part& y) {
    return at(std::min({first.i, x.i, y.i}), std::min({first.k, x.k, y.k})) == at(first.i, first.k);
  };
  for (auto begin = parts.begin(); begin != parts.end(); ++begin) {
    const auto first = std::find_if(begin, parts.end(), [&](const Part& part) {
      return std::all_of(begin, parts.end(),
                         [&](const Part& other) { return is_first(part, other, other); });
    });
    if (first == parts.end()) return std::nullopt;
    std::rotate(begin, first, first + 1);
    for (auto x = begin; x != parts.end(); ++x)
      for (auto y = x; y != parts.end(); ++y)
        if (!is_first(*begin, *x, *y) || !is_first(*begin, *y, *x)) return std::nullopt;
  }
  Order order;
  std::vector<Number> values;
  for (Part& part : parts) {
    order.sets.push_back(std::move(part.set));
    values.push_back(results[part.i][part.k]);
  }
  return choice(with_flags(std::move(order)), std::move(values));
}

// Those of a number that is none of several are itself; nullopt of a constant, and where one is
// among them.
std::optional<Order::Set> Algebra::elements_of(const Number& number) const {
  if (has(number, Form::Kind::kMaximum) && number.form->negated) return std::nullopt;
  Order::Set set = is_maximum(number) ? elements_of_maximum(number) : Order::Set{number.residue};
  const bool constant =
      std::ranges::any_of(set, [&](const Residue& element) { return known(element) != nullptr; });
  return constant ? std::nullopt : std::optional(std::move(set));
}

std::optional<Number> Algebra::compared_sets(const Number& a, const Number& b, bool equal) {
  const auto is_set = [](const Number& x) { return has(x, Form::Kind::kMaximum); };
  if (cases_ != nullptr || !a.is_finite() || !b.is_finite() || (!is_set(a) && !is_set(b)))
    return std::nullopt;
  const auto negated = [&](const Number& x) { return is_set(x) && x.form->negated; };
  if (negated(a) || negated(b)) {
    const Number first = negative(b), second = negative(a);
    if (negated(first) || negated(second)) return std::nullopt;
    return compared_sets(first, second, equal);
  }
  const Number left = settled(a), right = settled(b);
  const auto own = elements_of(left), other = elements_of(right);
  if (!own || !other || *own == *other) return std::nullopt;
  const Number zero = constant(0), one = constant(1);
  if (!equal) return choice_of(std::vector{right, left}, 0, std::vector{zero, one});
  // The greatest of all elements is among some of them, equal ones too.
  const bool within = intersection(*own, *other) == *own;
  if (!within && intersection(*own, *other) != *other) return std::nullopt;
  return choice_of(within ? std::vector{left, right} : std::vector{right, left}, 0,
                   std::vector{one, zero});
}

bool Algebra::chooses_constants(const Number& number) const {
  if (!is_choice(number)) return constant_of(number) != nullptr;
  return std::ranges::all_of(values_of(number),
                             [&](const Number& value) { return constant_of(value) != nullptr; });
}

std::optional<Number> Algebra::sum_of_choices(const Number& a, const Number& b) {
  const Number both[] = {a, b};
  if (!branch_little(both)) return std::nullopt;
  const auto added = [&](std::span<const Number> x) { return add(x[0], x[1]); };
  if (auto sum = each_branch(both, added)) return sum;
  if (auto sum = each_choice(both, added)) return sum;
  return each_place(a, b, added);
}

std::optional<Number> Algebra::product_of_choices(const Number& a, const Number& b) {
  const Number both[] = {a, b};
  // What an index chooses has no more values beside a number of many flags.
  if (std::ranges::any_of(both, is_conditional) && !branch_little(both)) return std::nullopt;
  const auto times = [&](std::span<const Number> x) { return multiply(x[0], x[1]); };
  if (auto product = product_at_places(a, b)) return product;
  if (auto product = product_at_places(b, a)) return product;
  if (auto product = each_choice(both, times)) return product;
  if (!is_choice(a) || !is_choice(b)) return std::nullopt;
  if (auto product = each_place(a, b, times)) return product;
  for (const auto& nested : {&Algebra::nested_product, &Algebra::product_among_parts}) {
    if (auto product = (this->*nested)(a, b)) return product;
    if (auto product = (this->*nested)(b, a)) return product;
  }
  return std::nullopt;
}

// A flag that the greatest of all lies among some, times a choice of these.
std::optional<Number> Algebra::nested_product(const Number& outer, const Number& inner) {
  auto nested = nested_order(*outer.form->order, *inner.form->order);
  if (!nested) return std::nullopt;
  std::vector<Number> values;
  for (size_t i = 0; i < nested->order.sets.size(); ++i) {
    const Number& flag = values_of(outer)[nested->outer[i]];
    if (!nested->inner[i] && !is_zero(flag)) return std::nullopt;
    values.push_back(nested->inner[i] ? multiply(flag, values_of(inner)[*nested->inner[i]]) : flag);
  }
  return choice(with_flags(std::move(nested->order)), std::move(values));
}

}  // namespace assay::identity
