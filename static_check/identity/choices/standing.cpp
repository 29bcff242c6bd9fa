// What stands at a place of a sorted row, and the flags that it is one of the elements: unknowns
// with what holds of all places together, so that what is sorted adds up to the row, and what is
// put back where it was is the row.
#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

bool is_last_of_single(const Order& order) {
  return !order.index && order.sets.size() > 1 && order.place + 1 == order.sets.size() &&
         order.count() == order.sets.size();
}

}  // namespace

// What stands at a place of a sorted row, whatever order the row came in; the greatest and the
// least are extrema.
Number Algebra::at_place(const Order& order) {
  if (order.index) return {*order.index};
  Number standing = sorted_at(order);
  note_place(standing.residue, order);
  return standing;
}

Number Algebra::sorted_at(const Order& order) {
  std::vector<Number> elements;
  for (const Order::Set& set : order.sets)
    for (const Residue& element : set) elements.push_back({element});
  if (order.place == 0) return maximum_as_set(elements);
  if (order.place + 1 == elements.size()) {
    for (Number& element : elements) element = negative(element);
    return negative(maximum_as_set(elements));
  }
  const Residue mean = order.mean();
  std::vector<uint64_t> keys, negatives;
  for (const Number& element : elements) {
    keys.push_back(kValues.subtract(element.residue.value, mean.value));
    negatives.push_back(kValues.negative(keys.back()));
  }
  std::ranges::sort(keys);
  std::ranges::sort(negatives);
  const bool turned = negatives < keys;
  const uint64_t last = elements.size() - 1, place = turned ? last - order.place : order.place;
  std::vector<uint64_t>& row = turned ? negatives : keys;
  row.push_back(0);
  const auto apart = [&](uint64_t at) {
    row.back() = at;
    return random_residue("sorted", row);
  };
  if (place != 1) return {turned ? mean - apart(place) : mean + apart(place)};
  // All of them add up to the row: so does the second with the others.
  Residue rest = residue_of(static_cast<int64_t>(elements.size())) * mean;
  for (const uint64_t end : {uint64_t{0}, last}) {
    Order of = order;
    of.place = end;
    rest = rest - sorted_at(of).residue;
  }
  for (uint64_t at = 2; at < last; ++at)
    rest = rest - (turned ? mean - apart(at) : mean + apart(at));
  return {rest};
}

Residue Algebra::greatest_of(const Order::Set& set) {
  std::vector<Number> numbers;
  for (const Residue& element : set) numbers.push_back({element});
  return maximum_as_set(numbers).residue;
}

// Each element stands at one place: at the last what stands at no other one.
std::vector<Residue> Algebra::flags_of_last(const Order& order) {
  std::vector<Residue> flags(order.sets.size(), residue_of(1));
  Order before = order;
  for (before.place = 0; before.place < order.place; ++before.place) {
    const std::vector<Residue> there = flags_of(before);
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] - there[i];
  }
  return flags;
}

// Random, but for the last three: all add up to 1 and, with the greatest elements of their sets, to
// what stands at the place; with the exponentials of these, at the first place, to its own. Of two
// both follow from that where they differ, but not which is meant where they are equal: there the
// second is left out.
std::vector<Residue> Algebra::flags_of(const Order& order) {
  if (is_last_of_single(order)) return flags_of_last(order);
  // On what all have in common the order does not depend.
  const Residue mean = order.mean();
  std::vector<uint64_t> keys{order.place, order.index ? order.index->value : 0};
  const std::vector<Residue>& of = order.greatest;
  for (const Order::Set& set : order.sets) {
    keys.push_back(set.size());
    std::vector<uint64_t> elements;
    for (const Residue& element : set)
      elements.push_back(kValues.subtract(element.value, mean.value));
    std::ranges::sort(elements);
    keys.insert(keys.end(), elements.begin(), elements.end());
  }
  keys.push_back(0);
  if (of.size() == 2 && !order.index) {
    const Residue first = random_residue("chosen", keys);
    return {first, residue_of(1) - first};
  }
  const bool exponentials = order.place == 0 && !order.index;
  const Residue standing = at_place(order).residue;
  // Each is what the equations leave, with its coefficients: of ones, elements and exponentials.
  Residue ones = residue_of(1), sum = standing,
          exponential_sum = exponentials ? exponential({standing}).residue : Residue{};
  std::vector<Residue> flags, raised_to;
  if (exponentials)
    for (const Residue& element : of) raised_to.push_back(exponential({element}).residue);
  for (size_t i = 0; i + (exponentials ? 3 : 2) < of.size(); ++i) {
    keys.back() = i;
    const Residue flag = random_residue("chosen", keys);
    flags.push_back(flag);
    ones = ones - flag;
    sum = sum - flag * of[i];
    if (exponentials) exponential_sum = exponential_sum - flag * raised_to[i];
  }
  const auto quotient = [&](const Residue& above, const Residue& below) {
    if (below.value == 0 || below.exponent == 0) throw NotRepresented{"an order of equal numbers"};
    return above * raised(below, -1);
  };
  const size_t last = of.size() - 1;
  if (exponentials) {
    // Less the last, each: a x + b y = c, a e + b f = d.
    const Residue x = of[last - 2] - of[last], y = of[last - 1] - of[last],
                  e = raised_to[last - 2] - raised_to[last],
                  f = raised_to[last - 1] - raised_to[last], c = sum - ones * of[last],
                  d = exponential_sum - ones * raised_to[last];
    flags.push_back(quotient(c * f - d * y, x * f - e * y));
    ones = ones - flags.back();
    sum = sum - flags.back() * of[last - 2];
  }
  flags.push_back(quotient(sum - ones * of[last], of[last - 1] - of[last]));
  flags.push_back(ones - flags.back());
  return flags;
}

}  // namespace assay::identity
