// What is assumed of indices (docs/proved.md), of programs whose operators have these values.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/reference/reference.h"

namespace assay {

// The first index of a kOneHot that lies outside of its table.
std::optional<double> index_outside_of_table(const CoreProgram& program, CoreId one_hot,
                                             const std::vector<ReferenceTensor>& values);

// Whether there is none in the whole program.
bool stays_in_tables(const CoreProgram& program, const std::vector<ReferenceTensor>& values);

// Whether two of the write's indices are one place.
bool writes_a_place_twice(const SingleWrite& write, const std::vector<ReferenceTensor>& values);

}  // namespace assay
