#include "shared_ir/import/hlo/hlo_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/import/hlo/hlo.h"
#include "shared_ir/import/hlo/hlo_collective.h"
#include "shared_ir/import/hlo/hlo_function.h"
#include "shared_ir/import/hlo/hlo_graph_writer.h"
#include "shared_ir/import/hlo/hlo_literal.h"
#include "shared_ir/import/hlo/hlo_opcode.h"

namespace assay::hlo {
namespace {

// With those of inlined computations, as often as they are called.
constexpr int64_t kMostInstructions = int64_t{1} << 18;

class GraphMaker {
 public:
  GraphMaker(const Module& module, const Devices& devices, Groups& groups)
      : module_(module),
        source_(module.source),
        devices_(devices),
        groups_(groups),
        writer_(module.source) {}

  Graph run() {
    const Computation& entry = module_.computations[static_cast<size_t>(module_.entry)];
    std::vector<Result> parameters;
    for (int32_t number : entry.parameters) {
      const Instruction& parameter = entry.instructions[static_cast<size_t>(number)];
      parameters.push_back(
          writer_.add_inputs(parameter, std::string(parameter.name), parameter.shape));
    }
    writer_.add_outputs(inline_computation(entry, "", parameters));
    return writer_.finish();
  }

 private:
  // ---- computations ----

  // One computation on its way into the graph.
  struct Frame {
    const Computation& computation;
    std::string prefix;  // of its names: "" or "CALL:"
    const std::vector<Result>& arguments;
    std::vector<Result> results;  // per instruction
  };

  Result inline_computation(const Computation& computation, const std::string& prefix,
                            const std::vector<Result>& arguments) {
    if (depth_ == kDeepestCall)
      source_.fail(computation.name, "computations call each other too deeply");
    ++depth_;
    Frame frame{computation, prefix, arguments, {}};
    frame.results.reserve(computation.instructions.size());
    for (const Instruction& instruction : computation.instructions)
      frame.results.push_back(convert(frame, instruction));
    --depth_;
    return frame.results[static_cast<size_t>(computation.root)];
  }

  Result convert(const Frame& frame, const Instruction& instruction) {
    if (++instructions_ > kMostInstructions)
      source_.fail(instruction.name, "the module has too many instructions, calls inlined");
    const Opcode& opcode = *find_opcode(instruction.opcode);
    const auto count = static_cast<int64_t>(instruction.operands.size());
    if (count < opcode.operands || (count > opcode.operands && !opcode.more))
      source_.fail(instruction.name,
                   fmt::format("'{}' has {} operands, {} needs {}{}", instruction.name, count,
                               opcode.name, opcode.more ? "at least " : "", opcode.operands));
    AttributeReader attributes(source_, instruction);
    Result result;
    switch (opcode.kind) {
      case Opcode::Kind::kStructure:
        result = dissolve(frame, instruction, attributes);
        break;
      case Opcode::Kind::kCollective:
        result = collective(frame, instruction, attributes);
        break;
      case Opcode::Kind::kEffect:
        source_.fail(instruction.opcode,
                     fmt::format("instruction '{}' is not supported", instruction.opcode),
                     "print the module before it is made asynchronous; it must be a function of "
                     "its parameters");
      case Opcode::Kind::kPure:
      case Opcode::Kind::kElementwise:
      case Opcode::Kind::kScalarsSpread:
      case Opcode::Kind::kSized:
        result = pure(frame, instruction, opcode, attributes);
        break;
    }
    attributes.finish();
    // A dissolved instruction's name is another one of its tensor.
    if (result.tensor != kNone)
      writer_.add_name(instruction, frame.prefix + std::string(instruction.name), result.tensor);
    return result;
  }

  static std::string name_of(const Frame& frame, const Instruction& instruction) {
    return frame.prefix + std::string(instruction.name);
  }

  static const TypedShape& shape_of(const Frame& frame, const Instruction::Operand& operand) {
    return frame.computation.instructions[static_cast<size_t>(operand.instruction)].shape;
  }

  const Result& result_of(const Frame& frame, const Instruction::Operand& operand) const {
    return frame.results[static_cast<size_t>(operand.instruction)];
  }

  // A tuple as operand becomes a list.
  static Arg argument(const Result& result) {
    if (result.tensor != kNone) return {TensorArg{result.tensor}};
    ArgList list;
    for (const Result& element : result.elements) list.push_back(argument(element));
    return {std::move(list)};
  }

  void expect_shape(const Instruction& instruction, const TypedShape& made) const {
    if (made.same_type(instruction.shape)) return;
    source_.fail(instruction.name,
                 fmt::format("'{}' is {}, but {} gives {}", instruction.name,
                             to_string(instruction.shape), instruction.opcode, to_string(made)));
  }

  // ---- instructions that leave no node, or a constant ----

  Result dissolve(const Frame& frame, const Instruction& instruction, AttributeReader& attributes) {
    const std::string_view opcode = instruction.opcode;
    if (opcode == "parameter") return parameter(frame, instruction);
    if (opcode == "constant") return constant(frame, instruction);
    if (opcode == "tuple") return tuple(frame, instruction);
    if (opcode == "get-tuple-element") return element(frame, instruction, attributes);
    if (opcode == "opt-barrier") {
      expect_shape(instruction, shape_of(frame, instruction.operands[0]));
      return result_of(frame, instruction.operands[0]);
    }
    if (opcode == "bitcast") return bitcast(frame, instruction);
    if (opcode == "partition-id") return id(frame, instruction, devices_.partition());
    if (opcode == "replica-id") return id(frame, instruction, devices_.replica());
    return call(frame, instruction, attributes);
  }

  Result parameter(const Frame& frame, const Instruction& instruction) const {
    const auto& parameters = frame.computation.parameters;
    const auto number = &instruction - frame.computation.instructions.data();
    const auto at = std::find(parameters.begin(), parameters.end(), number);
    return frame.arguments[static_cast<size_t>(at - parameters.begin())];
  }

  Result constant(const Frame& frame, const Instruction& instruction) {
    auto value = read_literal(source_, instruction.payload, instruction.shape);
    Node& node =
        writer_.add_node(instruction, value ? "hlo.constant" : std::string(kElidedConstantOp));
    if (value) {
      node.args.push_back(std::move(*value));
    } else {
      node.source = source_.place(instruction.payload);
    }
    return writer_.add_results(instruction, name_of(frame, instruction), instruction.shape);
  }

  Result tuple(const Frame& frame, const Instruction& instruction) const {
    Result result;
    TypedShape made;
    made.is_tuple = true;
    for (const auto& operand : instruction.operands) {
      result.elements.push_back(result_of(frame, operand));
      made.elements.push_back(shape_of(frame, operand));
    }
    expect_shape(instruction, made);
    return result;
  }

  Result element(const Frame& frame, const Instruction& instruction,
                 AttributeReader& attributes) const {
    const TypedShape& shape = shape_of(frame, instruction.operands[0]);
    const int64_t index = attributes.integer("index");
    if (index < 0 || index >= static_cast<int64_t>(shape.elements.size()))
      source_.fail(instruction.name, fmt::format("{} has no element {}", to_string(shape), index));
    expect_shape(instruction, shape.elements[static_cast<size_t>(index)]);
    return result_of(frame, instruction.operands[0]).elements[static_cast<size_t>(index)];
  }

  // The same memory in another shape: elements in the order of the layouts.
  Result bitcast(const Frame& frame, const Instruction& instruction) {
    const TypedShape& from = shape_of(frame, instruction.operands[0]);
    const TypedShape& to = instruction.shape;
    if (from.is_tuple || to.is_tuple || from.dtype != to.dtype ||
        element_count(from.sizes) != element_count(to.sizes))
      source_.fail(instruction.name, fmt::format("a bitcast of {} to {} is not supported",
                                                 to_string(from), to_string(to)));
    if (!from.tiled_like(to))
      source_.fail(instruction.name, "a bitcast between layouts of other tiles is not supported",
                   "print the module before layouts are assigned");
    ArgList order, sizes, places(to.sizes.size());
    for (size_t i = from.sizes.size(); i-- > 0;)
      order.emplace_back().value = from.minor_to_major[i];
    for (size_t i = to.sizes.size(); i-- > 0;) {
      const auto dim = static_cast<size_t>(to.minor_to_major[i]);
      places[dim].value = static_cast<int64_t>(sizes.size());
      sizes.emplace_back().value = to.sizes[dim];
    }
    Node& node = writer_.add_node(instruction, "hlo.bitcast");
    node.args.push_back(argument(result_of(frame, instruction.operands[0])));
    add_argument(node.kwargs, "order", std::move(order));
    add_argument(node.kwargs, "sizes", std::move(sizes));
    add_argument(node.kwargs, "places", std::move(places));
    return writer_.add_results(instruction, name_of(frame, instruction), to);
  }

  Result id(const Frame& frame, const Instruction& instruction, int64_t value) {
    if (instruction.shape.is_tuple || !instruction.shape.sizes.empty())
      source_.fail(instruction.name, fmt::format("{} is a scalar", instruction.opcode));
    writer_.add_node(instruction, "hlo." + std::string(instruction.opcode))
        .args.emplace_back()
        .value = value;
    return writer_.add_results(instruction, name_of(frame, instruction), instruction.shape);
  }

  Result call(const Frame& frame, const Instruction& instruction, AttributeReader& attributes) {
    const std::string_view value =
        attributes.text(instruction.opcode == "fusion" ? "calls" : "to_apply");
    Cursor cursor(source_, value);
    const Computation& callee = find_computation(module_, cursor.name("a computation"));
    if (instruction.operands.size() != callee.parameters.size())
      source_.fail(value,
                   fmt::format("'{}' has {} operands, '{}' needs {}", instruction.name,
                               instruction.operands.size(), callee.name, callee.parameters.size()));
    std::vector<Result> arguments;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const TypedShape& given = shape_of(frame, instruction.operands[i]);
      const TypedShape& wanted =
          callee.instructions[static_cast<size_t>(callee.parameters[i])].shape;
      if (!given.same_type(wanted))
        source_.fail(instruction.operands[i].text,
                     fmt::format("operand {} is {}, '{}' needs {}", i, to_string(given),
                                 callee.name, to_string(wanted)));
      arguments.push_back(result_of(frame, instruction.operands[i]));
    }
    expect_shape(instruction, callee.instructions[static_cast<size_t>(callee.root)].shape);
    return inline_computation(callee, name_of(frame, instruction) + ":", arguments);
  }

  // ---- functions of operands ----

  void check_elementwise(const Frame& frame, const Instruction& instruction,
                         bool scalars_spread) const {
    const TypedShape& result = instruction.shape;
    for (const auto& operand : instruction.operands) {
      const TypedShape& shape = shape_of(frame, operand);
      const bool sizes_fit =
          !shape.is_tuple && !result.is_tuple &&
          (shape.sizes == result.sizes || (scalars_spread && shape.sizes.empty()));
      const bool types_fit =
          scalars_spread || shape.dtype == shape_of(frame, instruction.operands[0]).dtype;
      if (!sizes_fit || !types_fit)
        source_.fail(operand.text,
                     fmt::format("operand '{}' of '{}' is {}, which does not fit {}", operand.text,
                                 instruction.name, to_string(shape),
                                 sizes_fit ? to_string(shape_of(frame, instruction.operands[0]))
                                           : to_string(result)));
    }
  }

  std::string node_op(const Instruction& instruction, AttributeReader& attributes) const {
    if (instruction.opcode != "custom-call") return "hlo." + std::string(instruction.opcode);
    return "custom-call." + attributes.quoted("custom_call_target");
  }

  Result pure(const Frame& frame, const Instruction& instruction, const Opcode& opcode,
              AttributeReader& attributes) {
    const bool scalars_spread = opcode.kind == Opcode::Kind::kScalarsSpread;
    if (scalars_spread || opcode.kind == Opcode::Kind::kElementwise)
      check_elementwise(frame, instruction, scalars_spread);
    Node& node = writer_.add_node(instruction, node_op(instruction, attributes));
    const bool listed = opcode.more && instruction.opcode != "custom-call";
    const auto positional =
        listed ? static_cast<size_t>(opcode.operands) : instruction.operands.size();
    ArgList rest;
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      (i < positional ? node.args : rest)
          .push_back(argument(result_of(frame, instruction.operands[i])));
    if (listed) node.args.emplace_back().value = std::move(rest);
    node.kwargs = attributes.arguments(
        [this](std::string_view callee) { return function_text(module_, callee); });
    if (opcode.kind == Opcode::Kind::kSized) {
      ArgList sizes;
      for (int64_t size : instruction.shape.sizes) sizes.emplace_back().value = size;
      add_argument(node.kwargs, "sizes", std::move(sizes));
    }
    return writer_.add_results(instruction, name_of(frame, instruction), instruction.shape);
  }

  // ---- collectives ----

  // Several operands are as many collectives, except in an all-to-all of whole operands.
  Result collective(const Frame& frame, const Instruction& instruction,
                    AttributeReader& attributes) {
    const auto arguments =
        collective_arguments(module_, instruction, attributes, devices_, groups_);
    const std::string op = "hlo." + std::string(instruction.opcode);
    const std::string name = name_of(frame, instruction);
    if (!instruction.shape.is_tuple) {
      if (instruction.operands.size() != 1)
        source_.fail(instruction.name,
                     fmt::format("'{}' has several operands and one result", instruction.name));
      Node& node = writer_.add_node(instruction, op);
      node.args.push_back(argument(result_of(frame, instruction.operands[0])));
      node.kwargs = arguments;
      return writer_.add_results(instruction, name, instruction.shape);
    }
    if (instruction.shape.elements.size() != instruction.operands.size())
      source_.fail(instruction.name,
                   fmt::format("'{}' does not have a result for each operand", instruction.name));
    if (instruction.opcode == "all-to-all") {
      Node& node = writer_.add_node(instruction, op + ".tuple");
      ArgList operands;
      for (const auto& operand : instruction.operands)
        operands.push_back(argument(result_of(frame, operand)));
      node.args.emplace_back().value = std::move(operands);
      node.kwargs = arguments;
      return writer_.add_results(instruction, name, instruction.shape);
    }
    Result result;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      Node& node = writer_.add_node(instruction, op);
      node.args.push_back(argument(result_of(frame, instruction.operands[i])));
      node.kwargs = arguments;
      result.elements.push_back(writer_.add_results(instruction, fmt::format("{}:{}", name, i),
                                                    instruction.shape.elements[i]));
    }
    return result;
  }

  const Module& module_;
  const Source& source_;
  const Devices& devices_;
  Groups& groups_;
  GraphWriter writer_;
  int depth_ = 0;
  int64_t instructions_ = 0;
};

}  // namespace

Graph make_graph(const Module& module, const Devices& devices, Groups& groups) {
  return GraphMaker(module, devices, groups).run();
}

}  // namespace assay::hlo
