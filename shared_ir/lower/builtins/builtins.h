// The functions that declarations are written with. Each family has a file; each function has its
// usage line beside it.
#pragma once

#include <span>
#include <string_view>

#include "shared_ir/lower/builtins/call.h"

namespace assay::lowering {

// What a function does to the numbers of the tensors that it is given; operator_facts.h reads from
// it what an operator does.
enum class Effect : uint8_t {
  kMakes,      // works on attributes, shapes and lists, and makes constants
  kMoves,      // elements of one tensor, in another place or several times
  kParts,      // slices, and tensors one after the other: parts of dimensions
  kSelects,    // flags, one of several elements, or 0
  kLooksUp,    // elements of a table, by indices
  kCasts,      // rounded, where the result's type is narrower
  kScales,     // by a number
  kMaps,       // what its function does, which it is given: of elements, or of blocks
  kRounds,     // arithmetic
  kSums,       // elements of one tensor
  kContracts,  // products of two tensors
  kExchanges,  // between ranks, without arithmetic
  kReduces,    // between ranks, with arithmetic
};

struct Builtin {
  std::string_view name;
  int min_arguments;
  int max_arguments;
  Value (*function)(Call&);
  Effect effect;
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
std::span<const Builtin> order_builtins();        // scatters at all places of an order
std::span<const Builtin> window_builtins();       // XLA's slices, padding, dynamic slices
std::span<const Builtin> resample_builtins();     // windows, pooling, resizing, padding by own rows
std::span<const Builtin> convolution_builtins();  // convolutions and their gradients
std::span<const Builtin> collective_builtins();

}  // namespace assay::lowering
