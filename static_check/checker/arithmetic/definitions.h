// What atoms stand for: instances unfolded at one element.
#pragma once

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

// Coordinates of an instance's labels at an index of its output atom, in the order of its labels;
// labels that the output does not have stay 0. Throws Split.
std::vector<Affine> label_coordinates(const Region& region, const Instance& instance,
                                      const Affine& index);

// Address of operand i at these label coordinates.
Affine operand_index(const Instance& instance, size_t operand, const std::vector<Affine>& labels);

// The value of a piecewise affine function of an integer element, as guarded products.
Sum guarded(const Factor& of, const std::vector<PiecewiseAffine::Piece>& pieces);

// The instance has a definition to unfold: a product, a name, a concatenation or an integer map.
bool is_definition(const Facts& facts, const Instance& made);

// The definition of a factor that is a product, a name, a concatenation or an integer map, at its
// index; nullopt for other atoms. Throws Split.
std::optional<Sum> expand(const Facts& facts, const Region& region, const Factor& factor);

// The factors of a product of these factors, through products: none of them is one. Throws Split.
Factors factors_of(const Facts& facts, const Region& region, Factors factors);

// The factor by the equality that lemmas gave its atom; nullopt where there is none, or where a box
// of the product speaks of a sum inside of the factor, which the other atom does not have.
std::optional<Sum> expand_by_lemmas(const Facts& facts, const Product& product,
                                    const Factor& factor);

}  // namespace assay::checker
