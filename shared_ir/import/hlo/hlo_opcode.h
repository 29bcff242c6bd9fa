// The instructions of HLO that the importer knows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay::hlo {

struct Opcode {
  enum class Kind : uint8_t {
    kPure,           // a node: a function of its operands and attributes
    kElementwise,    // the same; operands and result have one shape
    kScalarsSpread,  // the same, but an operand may be a scalar
    kSized,          // as kPure; the result's sizes are an argument of their own ("sizes")
    kCollective,     // between ranks
    kStructure,      // dissolved: parameters, constants, tuples, calls
    kEffect,         // no function of its operands, or in two halves: no graph expresses it
  };

  std::string_view name;
  Kind kind;
  int32_t operands;   // how many there are at least
  bool more = false;  // more may follow; those of a node form a list, but for custom calls
};

std::span<const Opcode> all_opcodes();

// nullptr when there is none of this name.
const Opcode* find_opcode(std::string_view name);

}  // namespace assay::hlo
