// Calls from the tables of calls (tests/declarations/calls), their attributes varied: for operators
// whose arguments must fit each other, as those of convolutions and of backward kernels must, and
// for those that PyTorch does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/declarations/call_pattern.h"
#include "tests/declarations/call_table.h"

namespace assay::test {

class CallPatterns {
 public:
  CallPatterns() : tables_(call_tables()) {}

  bool has(const std::string& op) const { return !groups_of(op).empty(); }

  // Why there are no calls of the operator, as its table says; empty where there are, or no reason.
  std::string why_not(const std::string& op) const;

  // One call that PyTorch may reject. Equal seeds give equal calls. The operator must have
  // patterns.
  DrawnCall draw(const std::string& op, uint64_t seed) const;

  // The tolerance that the table has for its calls; nullopt: values are not compared.
  std::optional<double> tolerance(const std::string& op) const;

 private:
  std::vector<const CallGroup*> groups_of(const std::string& op) const;

  std::vector<CallTable> tables_;
};

}  // namespace assay::test
