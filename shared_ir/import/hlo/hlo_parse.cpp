#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "shared_ir/import/hlo/hlo_module.h"
#include "shared_ir/import/hlo/hlo_opcode.h"

namespace assay::hlo {
namespace {

// What the header may say that changes no value: buffers, schedules, notes to tools.
constexpr std::string_view kHeaderHints[] = {
    "alias_passthrough_params",
    "allow_spmd_sharding_propagation_to_output",
    "allow_spmd_sharding_propagation_to_parameters",
    "buffer_donor",
    "frontend_attributes",
    "input_output_alias",
    "is_scheduled",
};

std::vector<Attribute> read_attributes(Cursor& cursor) {
  std::vector<Attribute> attributes;
  while (cursor.accept(',')) {
    const std::string_view name = cursor.word();
    if (name.empty()) cursor.expect("a", "an attribute");
    for (const Attribute& earlier : attributes)
      if (earlier.name == name)
        cursor.source().fail(name, fmt::format("attribute '{}' is given twice", name));
    cursor.expect("=", fmt::format("'=' behind '{}'", name));
    attributes.push_back({name, cursor.value(true)});
    if (attributes.back().value.empty()) cursor.expect("0", fmt::format("the value of '{}'", name));
  }
  return attributes;
}

// The value of KEY="..." or KEY=... in metadata, without quotes; empty if there is none.
std::string_view metadata_field(std::string_view metadata, std::string_view key) {
  for (size_t at = metadata.find(key); at != std::string_view::npos;
       at = metadata.find(key, at + 1)) {
    const size_t equals = at + key.size();
    if (at == 0 || (metadata[at - 1] != ' ' && metadata[at - 1] != '{') ||
        equals + 1 >= metadata.size() || metadata[equals] != '=')
      continue;
    const bool quoted = metadata[equals + 1] == '"';
    const size_t start = equals + (quoted ? 2 : 1);
    // A source file may carry a whole stack, from its first line break on.
    const size_t end = metadata.find_first_of(quoted ? "\"\\" : " }", start);
    return metadata.substr(start, end - start);
  }
  return {};
}

class ModuleParser {
 public:
  explicit ModuleParser(Module& module)
      : module_(module), source_(module.source), cursor_(source_, source_.text) {}

  void run() {
    read_header();
    bool has_entry = false;
    while (!cursor_.at_end()) {
      const std::string_view start = cursor_.here();
      const bool entry = accept_keyword("ENTRY");
      if (entry && has_entry) source_.fail(start, "a second ENTRY computation");
      read_computation();
      if (!entry) continue;
      has_entry = true;
      module_.entry = static_cast<int32_t>(module_.computations.size()) - 1;
    }
    if (!has_entry) cursor_.fail("the module has no ENTRY computation, or the text ends too early");
    check_entry();
  }

 private:
  void read_header() {
    cursor_.expect("HloModule", "'HloModule'");
    cursor_.name("the module's name");
    for (const Attribute& attribute : read_attributes(cursor_)) {
      Cursor value(source_, attribute.value);
      if (attribute.name == "entry_computation_layout") {
        entry_layout_ = attribute.value;
      } else if (attribute.name == "replica_count") {
        module_.replicas = read_count(value);
      } else if (attribute.name == "num_partitions") {
        module_.partitions = read_count(value);
      } else if (std::find(std::begin(kHeaderHints), std::end(kHeaderHints), attribute.name) ==
                 std::end(kHeaderHints)) {
        source_.fail(attribute.name, fmt::format("unknown module attribute '{}'", attribute.name));
      }
    }
  }

  static int64_t read_count(Cursor& value) {
    const std::string_view start = value.here();
    const int64_t count = value.integer("a number");
    if (count < 1) value.source().fail(start, "the number is below 1");
    return count;
  }

  void read_computation() {
    Computation& computation = module_.computations.emplace_back();
    computation.name = cursor_.name("a computation");
    if (module_.by_name.contains(computation.name))
      source_.fail(computation.name,
                   fmt::format("another computation is named '{}'", computation.name));
    signature_.clear();
    std::optional<TypedShape> result;
    if (cursor_.peek() == '(') {
      read_signature();
      cursor_.expect("->", "'->'");
      result = read_shape(cursor_);
    }
    cursor_.expect("{", "'{'");
    numbers_.clear();
    bool has_root = false;
    while (!cursor_.accept('}')) {
      if (cursor_.at_end())
        cursor_.fail(fmt::format("computation '{}' has no end", computation.name));
      const std::string_view start = cursor_.here();
      const bool root = accept_keyword("ROOT");
      if (root && has_root) source_.fail(start, "a second ROOT");
      read_instruction(computation);
      if (!root) continue;
      has_root = true;
      computation.root = static_cast<int32_t>(computation.instructions.size()) - 1;
    }
    // Without the word, the last instruction is the root.
    if (computation.instructions.empty()) source_.fail(computation.name, "an empty computation");
    if (!has_root) computation.root = static_cast<int32_t>(computation.instructions.size()) - 1;
    check_signature(computation, result);
    for (const Attribute& attribute : read_attributes(cursor_))
      if (attribute.name != "execution_thread")
        source_.fail(attribute.name,
                     fmt::format("unknown attribute '{}' of a computation", attribute.name));
    module_.by_name.emplace(computation.name,
                            static_cast<int32_t>(module_.computations.size()) - 1);
  }

  // A word before a name, and not that name itself.
  bool accept_keyword(std::string_view keyword) {
    Cursor ahead = cursor_;
    if (ahead.word() != keyword) return false;
    if (ahead.peek() != '%' && ahead.word().empty()) return false;
    cursor_.word();
    return true;
  }

  void read_signature() {
    Cursor inside(source_, cursor_.bracketed('('));
    while (!inside.at_end()) {
      if (!signature_.empty()) inside.expect(",", "',' or ')'");
      const std::string_view name = inside.name("a parameter");
      inside.expect(":", "':'");
      signature_.emplace_back(name, read_shape(inside));
    }
  }

  void check_signature(Computation& computation, const std::optional<TypedShape>& result) {
    const auto& parameters = computation.parameters;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] == kNone)
        source_.fail(computation.name,
                     fmt::format("computation '{}' has no parameter({})", computation.name, i));
    if (!result) return;
    if (parameters.size() != signature_.size())
      source_.fail(computation.name,
                   fmt::format("computation '{}' declares {} parameters and has {}",
                               computation.name, signature_.size(), parameters.size()));
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Instruction& parameter = computation.instructions[static_cast<size_t>(parameters[i])];
      if (parameter.name != signature_[i].first || !parameter.shape.same_type(signature_[i].second))
        source_.fail(parameter.name,
                     fmt::format("parameter({}) is '{}: {}', declared as '{}: {}'", i,
                                 parameter.name, to_string(parameter.shape), signature_[i].first,
                                 to_string(signature_[i].second)));
    }
    const Instruction& root = computation.instructions[static_cast<size_t>(computation.root)];
    if (!root.shape.same_type(*result))
      source_.fail(root.name,
                   fmt::format("the result is {}, computation '{}' declares {}",
                               to_string(root.shape), computation.name, to_string(*result)));
  }

  // The header repeats the entry's shapes.
  void check_entry() {
    if (entry_layout_.empty()) return;
    Cursor layout(source_, entry_layout_.substr(1, entry_layout_.size() - 2));
    const TypedShape parameters = read_shape(layout);
    layout.expect("->", "'->'");
    const TypedShape result = read_shape(layout);
    const Computation& entry = module_.computations[static_cast<size_t>(module_.entry)];
    bool fits = entry.parameters.size() == parameters.elements.size();
    for (size_t i = 0; fits && i < entry.parameters.size(); ++i)
      fits = entry.instructions[static_cast<size_t>(entry.parameters[i])].shape.same_type(
          parameters.elements[i]);
    if (!fits || !entry.instructions[static_cast<size_t>(entry.root)].shape.same_type(result))
      source_.fail(entry_layout_, fmt::format("these are not the shapes of '{}'", entry.name));
  }

  void read_instruction(Computation& computation) {
    const std::string_view start = cursor_.here();
    Instruction instruction;
    instruction.name = cursor_.name("an instruction");
    cursor_.expect("=", fmt::format("'=' behind '{}'", instruction.name));
    instruction.shape = read_shape(cursor_);
    instruction.opcode = cursor_.word();
    if (!find_opcode(instruction.opcode))
      source_.fail(instruction.opcode.empty() ? cursor_.here() : instruction.opcode,
                   fmt::format("unknown instruction '{}'", instruction.opcode));
    const std::string_view operands = cursor_.bracketed('(');
    if (instruction.opcode == "parameter" || instruction.opcode == "constant") {
      instruction.payload = operands;
    } else {
      read_operands(computation, operands, instruction);
    }
    instruction.attributes = read_attributes(cursor_);
    read_metadata(start, instruction);
    const auto number = static_cast<int32_t>(computation.instructions.size());
    if (!numbers_.emplace(instruction.name, number).second)
      source_.fail(instruction.name,
                   fmt::format("another instruction is named '{}'", instruction.name));
    constexpr size_t kLongestName = 1024;
    if (instruction.name.size() > kLongestName)
      source_.fail(instruction.name, "a name of more than 1024 characters");
    if (instruction.opcode == "parameter") add_parameter(computation, instruction, number);
    computation.instructions.push_back(std::move(instruction));
  }

  void add_parameter(Computation& computation, const Instruction& instruction, int32_t number) {
    constexpr int64_t kMostParameters = 1 << 20;
    Cursor payload(source_, instruction.payload);
    const int64_t index = payload.integer("the parameter's number");
    if (index < 0 || index >= kMostParameters || !payload.at_end())
      source_.fail(instruction.payload,
                   fmt::format("no parameter has number '{}'", instruction.payload));
    auto& parameters = computation.parameters;
    if (static_cast<size_t>(index) >= parameters.size())
      parameters.resize(static_cast<size_t>(index) + 1, kNone);
    if (parameters[static_cast<size_t>(index)] != kNone)
      source_.fail(instruction.payload, fmt::format("a second parameter({})", index));
    parameters[static_cast<size_t>(index)] = number;
  }

  // "%a, f32[2] %b": an operand's shape may be repeated.
  void read_operands(const Computation& computation, std::string_view text,
                     Instruction& instruction) {
    Cursor cursor(source_, text);
    while (!cursor.at_end()) {
      if (!instruction.operands.empty()) cursor.expect(",", "',' or ')'");
      std::optional<TypedShape> shape;
      if (cursor.peek() == '(' || cursor.next_is_word_then('[')) shape = read_shape(cursor);
      const std::string_view name = cursor.name("an operand");
      const auto found = numbers_.find(name);
      if (found == numbers_.end())
        source_.fail(name, fmt::format("operand '{}' of '{}' is no instruction before it", name,
                                       instruction.name));
      const Instruction& operand = computation.instructions[static_cast<size_t>(found->second)];
      if (shape && !shape->same_type(operand.shape))
        source_.fail(name, fmt::format("operand '{}' is {}, here it is said to be {}", name,
                                       to_string(operand.shape), to_string(*shape)));
      instruction.operands.push_back({found->second, name});
    }
  }

  void read_metadata(std::string_view start, Instruction& instruction) {
    for (const Attribute& attribute : instruction.attributes) {
      if (attribute.name != "metadata") continue;
      instruction.scope = metadata_field(attribute.value, "op_name");
      const std::string_view file = metadata_field(attribute.value, "source_file");
      const std::string_view line = metadata_field(attribute.value, "source_line");
      instruction.source.file = file;
      std::from_chars(line.data(), line.data() + line.size(), instruction.source.line);
    }
    if (!instruction.source.known()) instruction.source = next_place(start);
  }

  // As Source::place, counting on from the instruction before.
  SourcePlace next_place(std::string_view piece) {
    const std::string_view between(counted_, static_cast<size_t>(piece.data() - counted_));
    line_ += std::count(between.begin(), between.end(), '\n');
    if (const size_t end = between.rfind('\n'); end != std::string_view::npos)
      line_start_ = counted_ + end + 1;
    counted_ = piece.data();
    return {source_.file, line_, 1 + (piece.data() - line_start_)};
  }

  Module& module_;
  const Source& source_;
  Cursor cursor_;
  std::string_view entry_layout_;
  std::vector<std::pair<std::string_view, TypedShape>> signature_;
  std::unordered_map<std::string_view, int32_t> numbers_;  // instructions of this computation
  const char* counted_ = source_.text.data();
  const char* line_start_ = counted_;
  int64_t line_ = 1;
};

}  // namespace

void parse_module(Module& module) { ModuleParser(module).run(); }

}  // namespace assay::hlo
