// Which element of a row is the greatest, the second, ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shared_ir/rational.h"
#include "static_check/identity/number.h"

namespace assay::identity {

Residue mean_of(std::span<const Residue> elements);

// Sets of elements, in the order in which equal ones come: what stands at a place is known by the
// set it lies in. Of a place but the first all sets have one element. Or the values of an index,
// each a set, of which it is one.
struct Order {
  using Set = std::vector<Residue>;  // sorted by value

  std::vector<Set> sets;
  uint64_t place = 0;  // 0: the greatest
  std::optional<Residue> index = std::nullopt;
  bool of_flag = false;  // the index is a flag
  Rational scale = 1;    // elements are those of the row times this
  // Per set, where they are known (choices.cpp): what its greatest element is, and the flag that
  // this one is meant.
  std::vector<Residue> greatest = {}, flags = {};

  size_t count() const;  // of elements
  Set all() const;
  Residue mean() const;
  // With this added to each element, which leaves the order as it is.
  Order shifted(const Residue& by) const;
  // With the elements that the row has times this.
  Order with_scale(const Rational& of_row) const;
};

// Whether a flag leaves it out, or chooses it.
bool is_conditional(const Number& number);
// Whether what may be chosen by their flags, of all together, is little.
bool branch_little(std::span<const Number> numbers);

using OrderPointer = std::shared_ptr<const Order>;

// The sets into which two orders of the same elements, or of such that all differ by the same, part
// these together, and in which set of each they lie; nullopt where they are orders of other
// elements, or are no parts of each other.
struct CommonOrder {
  Order order;
  std::vector<size_t> left, right;  // per set
};
std::optional<CommonOrder> common_order(const Order& a, const Order& b);

// An order of some, within one of more: where what is greatest of all lies among these, it is the
// greatest of these. nullopt where they are no sets of `outer` that follow each other.
struct NestedOrder {
  Order order;
  std::vector<size_t> outer;                 // per set
  std::vector<std::optional<size_t>> inner;  // per set: nullopt beside `inner`
};
std::optional<NestedOrder> nested_order(const Order& outer, const Order& inner);

}  // namespace assay::identity
