// Floating numbers that are integers because of the functions that made them, as quantised ones are
// (round, then clamp): a cast to an integer type that holds them all keeps them.
#pragma once

#include <optional>

#include "shared_ir/core.h"

namespace assay {

struct WholeRange {
  double low, high;  // may be infinite
};

// Between which integers all elements of core operator `id`, a floating one, lie; nullopt where one
// may be no integer. Finite numbers alone are considered.
std::optional<WholeRange> whole_range(const CoreProgram& program, CoreId id);

// Whether a cast of operator `id` from a floating to an integer type gives the same numbers: they
// are integers which it holds, or which it is taken to hold.
bool cast_keeps_whole_numbers(const CoreProgram& program, CoreId id, DType to);

// Whether the type holds them all.
bool has_bounds(const WholeRange& range, DType to);

// Whether no bound is known of them, and the type is int32 or int64: they are taken to lie in its
// range, which whoever builds the cast has to list.
bool is_taken_to_fit(const WholeRange& range, DType to);

}  // namespace assay
