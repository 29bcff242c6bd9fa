// Where in a sequential tensor a rank's piece of it lies, in rows and columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// Per dimension, the first coordinate; nullopt where the tensor repeats along it and any would do.
using Place = std::vector<std::optional<Int>>;

// The place at which the view `part` is a box of the view `whole` of the same atom; nullopt where
// it is none.
std::optional<Place> place_of(const Layout& whole, const Layout& part);

// Coordinates first..last of a dimension as a person says it: "rows 4..7", "columns 0..767",
// "elements 0..9" (of one dimension), "3..5 of dimension 1".
std::string coordinates_in_words(const Interval& range, size_t dim, size_t dims);

// What a box of that shape takes of a whole, the dimensions that it has all of left out; "all".
std::string place_in_words(const Place& place, const Shape& shape, const Shape& whole);

}  // namespace assay
