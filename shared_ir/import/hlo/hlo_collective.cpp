#include "shared_ir/import/hlo/hlo_collective.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/import/hlo/hlo_function.h"

namespace assay::hlo {
namespace {

constexpr std::pair<std::string_view, std::string_view> kReductions[] = {
    {"add", "sum"}, {"maximum", "max"}, {"minimum", "min"}, {"multiply", "product"}};

// Of flags.
constexpr std::pair<std::string_view, std::string_view> kReductionsOfFlags[] = {{"or", "max"},
                                                                                {"and", "min"}};

bool is_of_flags(const TypedShape& shape) {
  return shape.is_tuple ? std::ranges::all_of(shape.elements, is_of_flags) : is_bool(shape.dtype);
}

std::string reduction_of(const Module& module, const Instruction& instruction,
                         AttributeReader& attributes) {
  const std::string_view value = attributes.text("to_apply");
  Cursor cursor(module.source, value);
  const std::string function = function_text(module, cursor.name("a computation"));
  for (const auto& [opcode, reduction] : kReductions)
    if (function == opcode) return std::string(reduction);
  for (const auto& [opcode, reduction] : kReductionsOfFlags)
    if (function == opcode && is_of_flags(instruction.shape)) return std::string(reduction);
  module.source.fail(
      value, "this is no reduction that ranks can share",
      "add, maximum, minimum and multiply of two scalars are, and of flags or and and");
}

int64_t dimension_of(const Source& source, const Instruction& instruction,
                     AttributeReader& attributes) {
  const std::vector<int64_t> dims = attributes.integers("dimensions");
  if (dims.size() != 1)
    source.fail(instruction.name, fmt::format("'{}' needs one dimension", instruction.name));
  return dims[0];
}

// Ranks meet by channel, as XLA's rendezvous do, and not by the order of a module's text: each
// channel of a group is a group of its own.
std::string add_group(const std::vector<Rank>& ranks, AttributeReader& attributes, Groups& groups) {
  std::string name = fmt::format("{{{}}}", fmt::join(ranks, ","));
  if (attributes.has("channel_id"))
    name += fmt::format(" of channel {}", attributes.integer("channel_id"));
  groups.emplace(name, ranks);
  return name;
}

}  // namespace

NamedArgs collective_arguments(const Module& module, const Instruction& instruction,
                               AttributeReader& attributes, const Devices& devices,
                               Groups& groups) {
  const Source& source = module.source;
  const std::string_view opcode = instruction.opcode;
  NamedArgs arguments;
  if (opcode == "collective-permute") {
    const Exchange exchange = exchange_of(source, instruction, attributes, devices);
    add_argument(arguments, "sends", list_of(exchange.sends));
    add_argument(arguments, "receives", list_of(exchange.receives));
    add_argument(arguments, "group", add_group(exchange.group, attributes, groups));
    return arguments;
  }
  const std::vector<Rank> ranks = group_of(source, instruction, attributes, devices);
  if (opcode == "all-reduce" || opcode == "reduce-scatter")
    add_argument(arguments, "reduction", reduction_of(module, instruction, attributes));
  const bool whole_operands = opcode == "all-to-all" && instruction.shape.is_tuple;
  if (opcode == "all-gather" || opcode == "reduce-scatter" ||
      (opcode == "all-to-all" && !whole_operands))
    add_argument(arguments, "dimension", dimension_of(source, instruction, attributes));
  if (whole_operands && instruction.operands.size() != ranks.size())
    source.fail(instruction.name,
                fmt::format("'{}' has {} operands for a group of {} ranks", instruction.name,
                            instruction.operands.size(), ranks.size()));
  if (opcode == "all-gather" || opcode == "reduce-scatter")
    add_argument(arguments, "group_size", static_cast<int64_t>(ranks.size()));
  add_argument(arguments, "group", add_group(ranks, attributes, groups));
  return arguments;
}

}  // namespace assay::hlo
