// Constants that the host computed of other constants of the programs (Adam's sqrt(1 - beta^t)).
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "shared_ir/core.h"

namespace assay::identity {

struct HostConstant {
  enum class Kind : uint8_t { kRoot, kPower, kProduct, kQuotient };
  Kind kind;
  double first, second;  // of a power, the exponent
};

// By absolute value: what constants are of others, as well as double precision tells. None is of
// itself, by way of others too. `is_read`: what needs no other; it is a number of its own.
std::map<double, HostConstant> host_constants(const std::vector<const CoreProgram*>& programs,
                                              const std::function<bool(double)>& is_read);

}  // namespace assay::identity
