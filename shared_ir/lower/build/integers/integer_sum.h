// A sum of multiples of core operators and a constant, as an integer that does not wrap.
#pragma once

#include <map>
#include <optional>

#include "shared_ir/core.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

struct IntegerSum {
  std::map<CoreId, Int> terms;  // none is 0 times
  Int constant = 0;

  bool is_constant() const { return terms.empty(); }
  bool is(CoreId id) const {
    return terms.size() == 1 && constant == 0 && terms.contains(id) && terms.at(id) == 1;
  }
  void add(CoreId id, const Int& times);
  void add(const IntegerSum& other, const Int& times);
  IntegerSum times(const Int& factor) const;
  // Whether its numbers are so small that products of two of them stay far within 64 bits, and few.
  bool is_small() const;
};

}  // namespace assay::lowering
