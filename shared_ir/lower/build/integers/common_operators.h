// Integers and flags that are computed twice: programs write x >> 4 wherever they need it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/core.h"

namespace assay::lowering {

class CommonOperators {
 public:
  // The first operator that computes the same of the same operands.
  CoreId first(const CoreProgram& program, CoreId id);

 private:
  // What the operator computes of what; nullopt of one that is taken to be equal to itself alone.
  std::optional<std::string> key(const CoreProgram& program, const CoreOp& op) const;

  std::vector<CoreId> first_;  // of the program's first operators
  std::map<std::string, CoreId> known_;
};

}  // namespace assay::lowering
