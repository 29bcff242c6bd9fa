// Values of constants: "8", "-inf", "{ { 1, 2 }, { 3, 4 } }".
#pragma once

#include <optional>

#include "shared_ir/import/hlo/hlo_shape.h"

namespace assay::hlo {

// A number (bool, int64 or double, by the element type), or nested lists of numbers in the shape of
// an array; nothing where the text leaves the value out ("{...}"). A floating constant below
// float64 is the float32 nearest to the text. Throws UserError where value and shape disagree.
std::optional<Arg> read_literal(const Source& source, std::string_view text,
                                const TypedShape& shape);

}  // namespace assay::hlo
