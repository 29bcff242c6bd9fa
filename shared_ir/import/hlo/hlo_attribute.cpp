#include "shared_ir/import/hlo/hlo_attribute.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace assay::hlo {
namespace {

enum class Form {
  kHint,      // changes no value: debugging, layouts, precision, scheduling, promises
  kSharding,  // how a whole tensor is split; says something of this program only before
              // partitioning
  kInteger,
  kIntegers,   // {0,1}
  kFlag,       // true, false
  kText,       // any other value, taken as written
  kQuoted,     // "text"
  kSlice,      // {[0:4], [0:8:2]}
  kPadding,    // 0_1_0x2_2
  kFunctions,  // %computation, or {%a, %b}
};

// The opcodes of which an attribute is a hint, where it is none of all: on others it is text that
// is part of what they compute. After XLA's "Operation Semantics" and the HLO parser.
constexpr std::pair<std::string_view, std::string_view> kHintOf[] = {
    {"algorithm", "dot"},  // the precision of its products; elsewhere a generator of random bits
    {"api_version", "custom-call"},
    {"constrain_layout", "all-gather"},
    {"constrain_layout", "all-reduce"},
    {"constrain_layout", "all-to-all"},
    {"constrain_layout", "reduce-scatter"},
    {"custom_call_has_side_effect", "custom-call"},  // refused where it is true
    {"indices_are_sorted", "gather"},
    {"indices_are_sorted", "scatter"},
    {"kind", "fusion"},
    {"operand_layout_constraints", "custom-call"},
    {"operand_precision", "convolution"},
    {"operand_precision", "dot"},
    {"output_to_operand_aliasing", "custom-call"},
    {"output_to_operand_aliasing", "fusion"},
    {"parameter_replication", "parameter"},
    {"unique_indices", "scatter"},
};

constexpr std::pair<std::string_view, Form> kForms[] = {
    {"algorithm", Form::kHint},
    {"api_version", Form::kHint},
    {"backend_config", Form::kQuoted},
    {"batch_group_count", Form::kInteger},
    {"body", Form::kFunctions},
    {"branch_computations", Form::kFunctions},
    {"called_computations", Form::kFunctions},
    {"calls", Form::kFunctions},
    {"channel_id", Form::kInteger},
    {"collapsed_slice_dims", Form::kIntegers},
    {"condition", Form::kFunctions},
    {"constrain_layout", Form::kHint},
    {"control-predecessors", Form::kHint},
    {"custom_call_has_side_effect", Form::kHint},
    {"custom_call_target", Form::kQuoted},
    {"dim_labels", Form::kText},
    {"dimensions", Form::kIntegers},
    {"direction", Form::kText},
    {"dynamic_slice_sizes", Form::kIntegers},
    {"epsilon", Form::kText},
    {"exponent_bits", Form::kInteger},
    {"false_computation", Form::kFunctions},
    {"feature_group_count", Form::kInteger},
    {"feature_index", Form::kInteger},
    {"fft_length", Form::kIntegers},
    {"fft_type", Form::kText},
    {"frontend_attributes", Form::kHint},
    {"index", Form::kInteger},
    {"index_vector_dim", Form::kInteger},
    {"indices_are_sorted", Form::kHint},
    {"input_batching_dims", Form::kIntegers},
    {"inserted_window_dims", Form::kIntegers},
    {"iota_dimension", Form::kInteger},
    {"is_stable", Form::kFlag},
    {"k", Form::kInteger},
    {"kind", Form::kHint},
    {"largest", Form::kFlag},
    {"left_side", Form::kFlag},
    {"lhs_batch_dims", Form::kIntegers},
    {"lhs_contracting_dims", Form::kIntegers},
    {"lower", Form::kFlag},
    {"mantissa_bits", Form::kInteger},
    {"metadata", Form::kHint},
    {"offset_dims", Form::kIntegers},
    {"operand_batching_dims", Form::kIntegers},
    {"operand_layout_constraints", Form::kHint},
    {"operand_precision", Form::kHint},
    {"origin", Form::kHint},
    {"output_to_operand_aliasing", Form::kHint},
    {"padding", Form::kPadding},
    {"parameter_replication", Form::kHint},
    {"replica_groups", Form::kText},
    {"rhs_batch_dims", Form::kIntegers},
    {"rhs_contracting_dims", Form::kIntegers},
    {"scatter", Form::kFunctions},
    {"scatter_dims_to_operand_dims", Form::kIntegers},
    {"scatter_indices_batching_dims", Form::kIntegers},
    {"select", Form::kFunctions},
    {"sharding", Form::kSharding},
    {"slice", Form::kSlice},
    {"slice_sizes", Form::kIntegers},
    {"source_target_pairs", Form::kText},
    {"start_index_map", Form::kIntegers},
    {"start_indices_batching_dims", Form::kIntegers},
    {"statistics", Form::kHint},
    {"to_apply", Form::kFunctions},
    {"transpose_a", Form::kText},
    {"true_computation", Form::kFunctions},
    {"type", Form::kText},
    {"unique_indices", Form::kHint},
    {"unit_diagonal", Form::kFlag},
    {"update_window_dims", Form::kIntegers},
    {"use_global_device_ids", Form::kFlag},
    {"window", Form::kText},
};

static_assert(std::ranges::is_sorted(kForms, {}, &std::pair<std::string_view, Form>::first));

std::optional<Form> find_form(std::string_view name, std::string_view opcode) {
  const auto* found =
      std::lower_bound(std::begin(kForms), std::end(kForms), name,
                       [](const auto& row, std::string_view wanted) { return row.first < wanted; });
  if (found == std::end(kForms) || found->first != name) return std::nullopt;
  if (found->second != Form::kHint) return found->second;
  bool of_some = false;
  for (const auto& [hint, of] : kHintOf) {
    if (hint != name) continue;
    if (of == opcode) return Form::kHint;
    of_some = true;
  }
  return of_some ? Form::kText : Form::kHint;
}

int64_t read_integer(const Source& source, std::string_view value) {
  Cursor cursor(source, value);
  const int64_t number = cursor.integer("an integer");
  if (!cursor.at_end()) cursor.fail("expected one integer");
  return number;
}

std::vector<int64_t> read_integers(const Source& source, std::string_view value) {
  Cursor cursor(source, value);
  Cursor inside(source, cursor.bracketed('{'));
  std::vector<int64_t> numbers;
  while (!inside.at_end()) {
    if (!numbers.empty()) inside.expect(",", "','");
    numbers.push_back(inside.integer("an integer"));
  }
  if (!cursor.at_end()) cursor.fail("expected one list of integers");
  return numbers;
}

bool read_flag(const Source& source, std::string_view value) {
  if (value != "true" && value != "false") source.fail(value, "expected true or false");
  return value == "true";
}

std::string read_quoted(const Source& source, std::string_view value) {
  // backend_config may also be an object, written without quotes.
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    return std::string(value.substr(1, value.size() - 2));
  if (!value.starts_with('{')) source.fail(value, "expected a text in quotes");
  return std::string(value);
}

void read_slice(const Source& source, std::string_view value, NamedArgs& arguments) {
  std::vector<int64_t> starts, limits, strides;
  Cursor cursor(source, value);
  Cursor inside(source, cursor.bracketed('{'));
  while (!inside.at_end()) {
    if (!starts.empty()) inside.expect(",", "','");
    Cursor range(source, inside.bracketed('['));
    starts.push_back(range.integer("the start of a slice"));
    range.expect(":", "':'");
    limits.push_back(range.integer("the end of a slice"));
    strides.push_back(range.accept(':') ? range.integer("the step of a slice") : 1);
    if (!range.at_end()) range.fail("expected ']'");
  }
  add_argument(arguments, "starts", list_of(starts));
  add_argument(arguments, "limits", list_of(limits));
  add_argument(arguments, "strides", list_of(strides));
}

// LOW_HIGH or LOW_HIGH_INTERIOR for each dimension, an x between them.
void read_padding(const Source& source, std::string_view value, NamedArgs& arguments) {
  std::vector<int64_t> widths[3];
  for (size_t start = 0; start < value.size();) {
    const size_t end = std::min(value.find('x', start), value.size());
    std::vector<int64_t> numbers;
    for (size_t at = start; at <= end;) {
      const size_t stop = std::min(value.find('_', at), end);
      numbers.push_back(read_integer(source, value.substr(at, stop - at)));
      at = stop + 1;
    }
    if (numbers.size() < 2 || numbers.size() > 3)
      source.fail(value.substr(start), "expected LOW_HIGH or LOW_HIGH_INTERIOR");
    numbers.resize(3, 0);
    for (size_t i = 0; i < 3; ++i) widths[i].push_back(numbers[i]);
    start = end + 1;
  }
  add_argument(arguments, "low", list_of(widths[0]));
  add_argument(arguments, "high", list_of(widths[1]));
  add_argument(arguments, "interior", list_of(widths[2]));
}

Arg read_functions(const Source& source, std::string_view value, const FunctionText& function) {
  Cursor cursor(source, value);
  if (cursor.peek() != '{') return {function(cursor.name("a computation"))};
  Cursor inside(source, cursor.bracketed('{'));
  ArgList functions;
  while (!inside.at_end()) {
    if (!functions.empty()) inside.expect(",", "','");
    functions.emplace_back().value = function(inside.name("a computation"));
  }
  return {std::move(functions)};
}

}  // namespace

std::vector<std::string_view> known_attributes() {
  std::vector<std::string_view> names;
  for (const auto& [name, form] : kForms) names.push_back(name);
  return names;
}

ArgList list_of(const std::vector<int64_t>& numbers) {
  ArgList list;
  for (int64_t number : numbers) list.emplace_back().value = number;
  return list;
}

AttributeReader::AttributeReader(const Source& source, const Instruction& instruction)
    : source_(source), instruction_(instruction) {
  for (const Attribute& attribute : instruction.attributes) {
    const auto form = find_form(attribute.name, instruction.opcode);
    if (!form)
      source.fail(attribute.name,
                  fmt::format("unknown attribute '{}' of '{}'", attribute.name, instruction.name));
    // On other instructions backend_config is the compiler's notes to itself.
    if (attribute.name == "custom_call_has_side_effect" && read_flag(source, attribute.value))
      source.fail(attribute.name,
                  fmt::format("'{}' has side effects: no graph expresses them", instruction.name));
    const bool notes = attribute.name == "backend_config" && instruction.opcode != "custom-call";
    if (*form == Form::kHint || notes) continue;
    if (*form == Form::kSharding) {
      // Parameters and results keep theirs behind the partitioner, and what a device computes of
      // its own parts is "manual" before and behind it.
      if (instruction.opcode != "parameter" && instruction.opcode != "tuple" &&
          attribute.value != "{manual}")
        source.fail(
            attribute.name,
            fmt::format("'{}' has a sharding: the module is not partitioned yet", instruction.name),
            "print the module behind XLA's SPMD partitioner");
      continue;
    }
    entries_.push_back({attribute});
  }
}

bool AttributeReader::has(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.attribute.name == name; });
}

const Attribute& AttributeReader::take(std::string_view name) {
  for (Entry& entry : entries_) {
    if (entry.attribute.name != name) continue;
    entry.used = true;
    return entry.attribute;
  }
  source_.fail(instruction_.name,
               fmt::format("'{}' ({}) has no '{}'", instruction_.name, instruction_.opcode, name));
}

std::string_view AttributeReader::text(std::string_view name) { return take(name).value; }

int64_t AttributeReader::integer(std::string_view name) {
  return read_integer(source_, take(name).value);
}

std::vector<int64_t> AttributeReader::integers(std::string_view name) {
  return read_integers(source_, take(name).value);
}

bool AttributeReader::flag(std::string_view name) {
  return has(name) && read_flag(source_, take(name).value);
}

std::string AttributeReader::quoted(std::string_view name) {
  return read_quoted(source_, take(name).value);
}

NamedArgs AttributeReader::arguments(const FunctionText& function) {
  NamedArgs arguments;
  for (Entry& entry : entries_) {
    if (entry.used) continue;
    entry.used = true;
    const auto& [name, value] = entry.attribute;
    const auto add = [&, &key = name](auto argument) {
      add_argument(arguments, key, std::move(argument));
    };
    switch (*find_form(name, instruction_.opcode)) {
      case Form::kInteger:
        add(read_integer(source_, value));
        break;
      case Form::kIntegers:
        add(list_of(read_integers(source_, value)));
        break;
      case Form::kFlag:
        add(read_flag(source_, value));
        break;
      case Form::kText:
        add(std::string(value));
        break;
      case Form::kQuoted:
        add(read_quoted(source_, value));
        break;
      case Form::kSlice:
        read_slice(source_, value, arguments);
        break;
      case Form::kPadding:
        read_padding(source_, value, arguments);
        break;
      case Form::kFunctions:
        arguments.emplace_back(name, read_functions(source_, value, function));
        break;
      case Form::kHint:
      case Form::kSharding:
        throw InternalError("a hint among the attributes");
    }
  }
  return arguments;
}

void AttributeReader::finish() const {
  for (const Entry& entry : entries_)
    if (!entry.used)
      source_.fail(entry.attribute.name,
                   fmt::format("'{}' ({}) has no use for '{}'", instruction_.name,
                               instruction_.opcode, entry.attribute.name));
}

}  // namespace assay::hlo
