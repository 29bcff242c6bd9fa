#include "static_check/identity/choices/order.h"

#include <algorithm>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

bool by_value(const Residue& a, const Residue& b) { return a.value < b.value; }

bool contains(const Order::Set& all, const Order::Set& some) {
  return std::ranges::includes(all, some, by_value);
}

Order::Set without(const Order::Set& all, const Order::Set& some) {
  Order::Set rest;
  std::ranges::set_difference(all, some, std::back_inserter(rest), by_value);
  return rest;
}

}  // namespace

size_t Order::count() const {
  size_t count = 0;
  for (const Set& set : sets) count += set.size();
  return count;
}

Order::Set Order::all() const {
  Set all;
  for (const Set& set : sets) all.insert(all.end(), set.begin(), set.end());
  std::ranges::sort(all, by_value);
  return all;
}

Residue mean_of(std::span<const Residue> elements) {
  Residue sum;
  for (const Residue& element : elements) sum = sum + element;
  return sum * one_by(elements.size());
}

Residue Order::mean() const {
  Residue sum;
  for (const Set& set : sets)
    for (const Residue& element : set) sum = sum + element;
  return sum * one_by(count());
}

Order Order::shifted(const Residue& by) const {
  Order order;
  order.place = place;
  order.scale = scale;
  for (const Set& set : sets) {
    Set& moved = order.sets.emplace_back(set);
    for (Residue& element : moved) element = element + by;
    std::ranges::sort(moved, by_value);
  }
  return order;
}

Order Order::with_scale(const Rational& of_row) const {
  if (index || scale == of_row) return *this;
  Order order{sets, place};
  order.scale = of_row;
  const Residue by = residue_of(of_row / scale);
  for (Set& set : order.sets) {
    for (Residue& element : set) element = element * by;
    std::ranges::sort(set, by_value);
  }
  return order;
}

std::optional<CommonOrder> common_order(const Order& a, const Order& b) {
  if (a.place != b.place || a.index != b.index) return std::nullopt;
  if (a.all() != b.all()) {
    if (a.index || a.count() != b.count()) return std::nullopt;
    const Order moved = b.shifted(a.mean() - b.mean());
    if (a.all() != moved.all()) return std::nullopt;
    return common_order(a, moved);
  }
  CommonOrder common;
  common.order.place = a.place;
  common.order.index = a.index;
  common.order.scale = a.scale;
  size_t i = 0, k = 0;
  Order::Set left, right;  // what is left of each set
  for (;;) {
    if (left.empty() && i == a.sets.size()) return common;
    if (left.empty()) left = a.sets[i++];
    if (right.empty()) right = b.sets[k++];
    const bool first = contains(right, left);
    if (!first && !contains(left, right)) return std::nullopt;
    const Order::Set part = first ? left : right;
    left = without(left, part);
    right = without(right, part);
    common.order.sets.push_back(part);
    common.left.push_back(i - 1);
    common.right.push_back(k - 1);
  }
}

std::optional<NestedOrder> nested_order(const Order& outer, const Order& of_some) {
  if (outer.place != 0 || of_some.place != 0 || outer.index || of_some.index) return std::nullopt;
  const Order inner = of_some.with_scale(outer.scale);
  const Order::Set some = inner.all();
  const auto among = [&](const Order::Set& set) { return contains(some, set); };
  const auto first = std::ranges::find_if(outer.sets, among);
  const auto last = std::find_if_not(first, outer.sets.end(), among);
  const auto common = common_order({{first, last}}, inner);
  if (!common) return std::nullopt;
  NestedOrder nested;
  nested.order.scale = outer.scale;
  const auto beside = [&](auto from, auto to) {
    for (auto set = from; set != to; ++set) {
      nested.order.sets.push_back(*set);
      nested.outer.push_back(static_cast<size_t>(set - outer.sets.begin()));
      nested.inner.emplace_back();
    }
  };
  beside(outer.sets.begin(), first);
  for (size_t i = 0; i < common->order.sets.size(); ++i) {
    nested.order.sets.push_back(common->order.sets[i]);
    nested.outer.push_back(static_cast<size_t>(first - outer.sets.begin()) + common->left[i]);
    nested.inner.emplace_back(common->right[i]);
  }
  beside(last, outer.sets.end());
  return nested;
}

}  // namespace assay::identity
