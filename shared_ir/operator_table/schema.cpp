#include "shared_ir/operator_table/schema.h"

#include <algorithm>
#include <string>

#include "schema_files.h"
#include "shared_ir/base/error.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay::memory {
namespace {

std::string_view first_word(std::string_view line) { return line.substr(0, line.find(' ')); }

// The operator's line; empty where there is none. The lines are sorted by operator.
std::string_view find_line(std::string_view op) {
  const std::string_view text = schema_files().front().text;
  size_t low = 0, high = text.size();  // both start a line, or end the text
  while (low < high) {
    const size_t newline = text.rfind('\n', low + (high - low) / 2);
    const size_t begin = newline == std::string_view::npos || newline < low ? low : newline + 1;
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const int order = first_word(line).compare(op);
    if (order == 0) return line;
    if (order < 0)
      low = std::min(end + 1, text.size());
    else
      high = begin;
  }
  return {};
}

std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view word = first_word(rest);
  rest.remove_prefix(word.size());
  return word;
}

SchemaParameter parameter_of(std::string_view word) {
  const size_t mark = word.find('!');
  if (mark == std::string_view::npos) return {word, false, {}};
  return {word.substr(0, mark), true, word.substr(mark + 1)};
}

SchemaResult result_of(std::string_view word, const std::vector<SchemaParameter>& parameters) {
  SchemaResult result;
  result.list = word.ends_with("[]");
  if (result.list) word.remove_suffix(2);
  if (word == ".") return result;
  result.sharing = word[0] == '='   ? Sharing::kWritten
                   : word[0] == '~' ? Sharing::kView
                                    : Sharing::kViewOrCopy;
  const auto named = std::find_if(
      parameters.begin(), parameters.end(),
      [&](const SchemaParameter& parameter) { return parameter.name == word.substr(1); });
  ASSAY_CHECK(named != parameters.end(), "a result shares memory with a parameter");
  result.parameter = static_cast<size_t>(named - parameters.begin());
  return result;
}

void read_tag(std::string_view tag, OperatorSchema* schema) {
  constexpr std::string_view kFunctional = "functional=";
  if (tag == "pointwise") schema->pointwise = true;
  if (tag == "relayout") schema->relayout = true;
  if (tag == "strides") schema->strides = true;
  if (tag == "laid_out") schema->laid_out = true;
  if (tag == "unwritten") schema->unwritten = true;
  if (tag == "random") schema->random = true;
  if (tag == "communicates") schema->communicates = true;
  if (tag == "core") schema->core = true;
  if (tag == "composite") schema->composite = true;
  if (tag == "writes_operands") schema->known = false;
  if (tag.starts_with(kFunctional)) schema->functional = tag.substr(kFunctional.size());
}

// An operator with a declaration alone: a result may be an operand, as far as its value allows.
OperatorSchema declared_schema(const OperatorDeclaration& declaration) {
  OperatorSchema schema;
  for (const lowering::Parameter& parameter : declaration.parameters)
    schema.parameters.push_back({parameter.name, parameter.written, {}});
  schema.results.resize(declaration.returns.size());
  // One that declares no result and has one returns what it writes, as operators do in place.
  const auto written = std::ranges::find_if(schema.parameters, &SchemaParameter::written);
  if (declaration.returns.empty() && declaration.writes.size() == 1)
    schema.results.push_back({Sharing::kWritten,
                              static_cast<size_t>(written - schema.parameters.begin()),
                              declaration.each});
  schema.composite = true;
  return schema;
}

}  // namespace

bool OperatorSchema::writes() const {
  return !known || std::any_of(parameters.begin(), parameters.end(),
                               [](const SchemaParameter& parameter) { return parameter.written; });
}

std::optional<OperatorSchema> torch_schema(std::string_view op) {
  std::string_view rest = find_line(normal_operator_name(op));
  if (rest.empty()) return std::nullopt;
  OperatorSchema schema;
  schema.torch = true;
  take_word(rest);
  bool results = false, tags = false;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (word == ";")
      tags = true;
    else if (tags)
      read_tag(word, &schema);
    else if (word == "->")
      results = true;
    else if (results)
      schema.results.push_back(result_of(word, schema.parameters));
    else
      schema.parameters.push_back(parameter_of(word));
  }
  return schema;
}

std::vector<std::string> core_operators() {
  std::vector<std::string> result;
  const std::string_view text = schema_files().front().text;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view name = first_word(text.substr(at, end - at));
    at = end + 1;
    const auto schema = torch_schema(name);
    if (!schema || !schema->core) continue;
    const bool overloaded = std::ranges::count(name, '.') > 1;
    result.push_back(std::string(name) + (overloaded ? "" : ".default"));
  }
  return result;
}

OperatorSchema schema_of(std::string_view op, const OperatorDeclaration* declaration) {
  const std::optional<OperatorSchema> schema = torch_schema(op);
  if (declaration == nullptr) {
    if (schema) return *schema;
    OperatorSchema unknown;
    unknown.known = false;
    return unknown;
  }
  if (schema && (schema->writes() || declaration->writes.empty())) return *schema;
  return declared_schema(*declaration);
}

}  // namespace assay::memory
