// How large the integers in a graph's input may be, read off what its program does with them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "shared_ir/core.h"

namespace assay {

struct IdBound {
  int64_t bound;                  // exclusive
  std::optional<int64_t> beside;  // what an id may be besides
  // Where no table is indexed by the ids as they are, they may be others than these: less than the
  // least constant that they are compared with, and more than the largest.
  std::optional<std::pair<int64_t, int64_t>> beyond = std::nullopt;
};

// Of the ids in the integer input: the smallest table that they index, directly or after casts and
// movements; else the largest constant that they are compared with; else 1. Beside it, what all of
// these tables allow: an ignore_index.
IdBound id_bound(const CoreProgram& program, TensorId input);

}  // namespace assay
