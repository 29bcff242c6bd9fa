// The values of operators that read no input.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/core.h"

namespace assay::lowering {

// The elements of operator `id` in row-major order; nullopt where it reads an input, an unknown, a
// random number or another rank, or takes more than a table of offsets or indices does.
std::optional<std::vector<double>> constant_values(const CoreProgram& program, CoreId id);

// Whether indices, one tensor for each coordinate, name a place twice; nullopt where one has no
// values.
std::optional<bool> name_a_place_twice(const CoreProgram& program, const std::vector<CoreId>& ids);

// Whether indices differ along this dimension because they are places of a sorted order (of
// argsort, topk), or some of these.
bool are_places_of_an_order(const CoreProgram& program, CoreId id, size_t dim);

}  // namespace assay::lowering
