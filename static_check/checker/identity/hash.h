// Random functions into both fields.
#pragma once

#include <span>
#include <string_view>

#include "static_check/checker/identity/field.h"

namespace assay::checker::identity {

// Equal arguments give equal residues, others independent ones (but with negligible probability).
class RandomFunction {
 public:
  explicit RandomFunction(uint64_t seed) : seed_(seed) {}
  Residues operator()(std::string_view name, std::span<const uint64_t> keys) const;

 private:
  uint64_t seed_;
};

}  // namespace assay::checker::identity
