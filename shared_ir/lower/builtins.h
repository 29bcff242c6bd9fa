// The functions that declarations are written with. Each family has a file; each function has its
// usage line beside it.
#pragma once

#include <span>
#include <string_view>

#include "shared_ir/lower/call.h"

namespace assay::lowering {

struct Builtin {
  std::string_view name;
  int min_arguments;
  int max_arguments;
  Value (*function)(Call&);
  std::string_view usage;  // "view(x, sizes): ..."
};

inline constexpr int kAnyNumber = 1 << 20;

// nullptr when there is none.
const Builtin* find_builtin(std::string_view name);

std::span<const Builtin> attribute_builtins();    // on numbers, lists and shapes
std::span<const Builtin> source_builtins();       // constants, iota, random
std::span<const Builtin> elementwise_builtins();  // arithmetic, maps, masks, casts
std::span<const Builtin> movement_builtins();     // views, transpositions, broadcasting
std::span<const Builtin> slicing_builtins();      // slices, concatenation, padding
std::span<const Builtin> reduction_builtins();    // sums, maxima
std::span<const Builtin> softmax_builtins();      // normalised exponentials
std::span<const Builtin> labelled_builtins();     // einsum and block
std::span<const Builtin> index_builtins();        // gathers and scatters
std::span<const Builtin> window_builtins();       // XLA's slices, padding, dynamic slices
std::span<const Builtin> convolution_builtins();  // convolutions and their gradients
std::span<const Builtin> collective_builtins();

}  // namespace assay::lowering
