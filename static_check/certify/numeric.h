// Lemmas in float64, on random shapes and values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "shared_ir/proof/lemma.h"

namespace assay {

using DimSizes = std::map<std::string, int64_t>;

// Looks for values that meet the lemma's conditions and for which its sides differ by more than
// rounding, or one of them has no value (1 / 0, the logarithm of no positive number). The values
// include zeros, ones and negative numbers. Same seed, same answer.
struct NumericSearch {
  int64_t draws = 300;
  int64_t largest_size = 4;  // of each dimension
  uint64_t seed = 1;
};

struct NumericResult {
  int64_t tried = 0;                      // draws that met the conditions
  std::optional<std::string> difference;  // where, in one line; nullopt: none was found
};

NumericResult search_difference(const Lemma& lemma, const NumericSearch& search = {});

}  // namespace assay
