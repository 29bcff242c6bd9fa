// Elements of a reduction's operand, seen through the labels of an instance.
#pragma once

#include <optional>
#include <vector>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// Coordinates of an instance's first labels, as far as they are known.
using KnownLabels = std::vector<std::optional<Affine>>;

// The label coordinates at which an operand is read at `index`; nullopt when it never is, or at
// several that differ in labels that are not known. Throws Split.
std::optional<std::vector<Affine>> operand_labels(const Region& region, const Instance& instance,
                                                  size_t operand, const Affine& index,
                                                  const KnownLabels& known = {});

// Where an instance's output holds what it reads from an operand: that of a concatenation behind
// the pieces before.
Affine output_index(const Instance& instance, size_t operand, const std::vector<Affine>& labels);

// The reduction (kSum, kMax, kMin) of its operand's element `index` over the digits of the region
// from number `fixed` on: an element of its output within boxes. nullopt when it is none. Throws
// Split.
std::optional<Product> reduce_through(const Instance& instance, size_t fixed, const Region& inner,
                                      const Affine& index);

}  // namespace assay::checker
