// An HLO module as its text says it: computations of instructions, attributes unread.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shared_ir/import/hlo/hlo_shape.h"
#include "shared_ir/import/hlo/hlo_text.h"

namespace assay::hlo {

// All string views look into Module::source.
struct Attribute {
  std::string_view name;
  std::string_view value;  // as written: "{0,1}", "%add", "\"text\""
};

struct Instruction {
  std::string_view name;  // without %
  std::string_view opcode;
  TypedShape shape;
  // Earlier instructions of the computation, by number, with the text that names each.
  struct Operand {
    int32_t instruction;
    std::string_view text;
  };
  std::vector<Operand> operands;
  std::string_view payload;  // parameter: its number; constant: its literal
  std::vector<Attribute> attributes;
  SourcePlace source;      // the user's line, by metadata; else the instruction's place in the text
  std::string_view scope;  // metadata's op_name
};

struct Computation {
  std::string_view name;
  std::vector<Instruction> instructions;  // operands come before users
  std::vector<int32_t> parameters;        // instruction of each parameter
  int32_t root = 0;
};

struct Module {
  Source source;
  std::vector<Computation> computations;  // a computation comes before those that call it
  std::unordered_map<std::string_view, int32_t> by_name;
  int32_t entry = 0;
  std::optional<int64_t> replicas, partitions;  // as the header says
};

// Fills a module whose source is given. Throws UserError with line and column.
void parse_module(Module& module);

}  // namespace assay::hlo
