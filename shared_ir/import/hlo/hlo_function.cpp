#include "shared_ir/import/hlo/hlo_function.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/import/hlo/hlo_attribute.h"
#include "shared_ir/import/hlo/hlo_opcode.h"

namespace assay::hlo {
namespace {

constexpr std::string_view kCommutative[] = {"add",      "and", "maximum", "minimum",
                                             "multiply", "or",  "xor"};

constexpr size_t kLongestText = size_t{1} << 20;

// Empty where the computation is more than one commutative instruction.
std::string_view combiner(const Source& source, const Computation& computation) {
  const Instruction& root = computation.instructions[static_cast<size_t>(computation.root)];
  const auto& parameters = computation.parameters;
  if (computation.instructions.size() != 3 || parameters.size() != 2 ||
      !AttributeReader(source, root).empty() || root.operands.size() != 2 || root.shape.is_tuple ||
      !root.shape.sizes.empty() ||
      std::find(std::begin(kCommutative), std::end(kCommutative), root.opcode) ==
          std::end(kCommutative))
    return {};
  const int32_t a = root.operands[0].instruction, b = root.operands[1].instruction;
  const bool both =
      (a == parameters[0] && b == parameters[1]) || (a == parameters[1] && b == parameters[0]);
  return both ? root.opcode : std::string_view{};
}

std::string text_of(const Arg& arg) {
  struct Write {
    std::string operator()(NoArg) const { return "none"; }
    std::string operator()(TensorArg) const { return "tensor"; }
    std::string operator()(int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(DType dtype) const { return std::string(assay::to_string(dtype)); }
    std::string operator()(const ArgList& list) const {
      std::string text = "[";
      for (const Arg& element : list) text += text_of(element) + ",";
      return text + "]";
    }
  };
  return std::visit(Write{}, arg.value);
}

std::string text_of(const Module& module, const Computation& computation, int depth);

std::string text_of(const Module& module, const Instruction& instruction, int depth) {
  const Opcode& opcode = *find_opcode(instruction.opcode);
  if (opcode.kind == Opcode::Kind::kCollective || opcode.kind == Opcode::Kind::kEffect ||
      opcode.name == "partition-id" || opcode.name == "replica-id")
    module.source.fail(instruction.opcode,
                       fmt::format("'{}' within a computation that is not inlined is not supported",
                                   instruction.opcode),
                       "loops, branches and reductions must be functions of their operands");
  if (opcode.name == "constant" && instruction.payload == "{...}")
    module.source.fail(instruction.payload,
                       fmt::format("the value of '{}' is left out", instruction.name),
                       "print the module with large constants");
  if (opcode.name == "bitcast")
    module.source.fail(instruction.opcode,
                       "'bitcast' within a computation that is not inlined is not supported");
  std::string text = to_string(instruction.shape) + " " + std::string(instruction.opcode) + "(";
  for (const Instruction::Operand& operand : instruction.operands)
    text += fmt::format("#{},", operand.instruction);
  text += std::string(instruction.payload) + ")";
  AttributeReader attributes(module.source, instruction);
  for (const auto& [name, arg] : attributes.arguments([&](std::string_view callee) {
         return text_of(module, find_computation(module, callee), depth + 1);
       }))
    text += "," + name + "=" + text_of(arg);
  return text;
}

std::string text_of(const Module& module, const Computation& computation, int depth) {
  if (const std::string_view opcode = combiner(module.source, computation); !opcode.empty())
    return std::string(opcode);
  if (depth == kDeepestCall)
    module.source.fail(computation.name, "computations call each other too deeply");
  std::string text = "{";
  for (const Instruction& instruction : computation.instructions) {
    text += text_of(module, instruction, depth) + ";";
    if (text.size() > kLongestText)
      module.source.fail(computation.name, "this computation is too long for a function");
  }
  return text + fmt::format("root #{}}}", computation.root);
}

}  // namespace

const Computation& find_computation(const Module& module, std::string_view name) {
  const auto found = module.by_name.find(name);
  // A computation is parsed before those that call it, so that none calls itself.
  if (found == module.by_name.end())
    module.source.fail(name, fmt::format("no computation is named '{}'", name));
  const Computation& computation = module.computations[static_cast<size_t>(found->second)];
  if (computation.name.data() > name.data())
    module.source.fail(name, fmt::format("computation '{}' must come before its caller", name));
  return computation;
}

std::string function_text(const Module& module, std::string_view name) {
  return text_of(module, find_computation(module, name), 0);
}

}  // namespace assay::hlo
