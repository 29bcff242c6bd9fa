#include "shared_ir/lower/arguments.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace assay::lowering {
namespace {

constexpr std::string_view kMemoryKeywords[] = {"device", "layout", "pin_memory", "non_blocking",
                                                "memory_format"};

Value value_from(const Arg& arg, const std::vector<CoreId>& value_of) {
  struct Convert {
    const std::vector<CoreId>& value_of;
    Value operator()(NoArg) const { return {NoArg{}}; }
    Value operator()(TensorArg tensor) const { return {TensorRef{value_of[tensor.id]}}; }
    Value operator()(int64_t number) const { return {number}; }
    Value operator()(double number) const { return {number}; }
    Value operator()(bool flag) const { return {flag}; }
    Value operator()(const std::string& text) const { return {text}; }
    Value operator()(DType dtype) const { return {dtype}; }
    Value operator()(const ArgList& list) const {
      ValueList values;
      for (const Arg& element : list) values.push_back(value_from(element, value_of));
      return {std::move(values)};
    }
  };
  return std::visit(Convert{value_of}, arg.value);
}

}  // namespace

std::vector<Value> bind_arguments(const Site& site, const OperatorDeclaration& declaration,
                                  const std::vector<CoreId>& value_of) {
  const std::vector<Parameter>& parameters = declaration.parameters;
  const Node& node = *site.node;
  std::vector<std::optional<Value>> bound(parameters.size());
  if (node.args.size() > parameters.size())
    site.fail(fmt::format("{} arguments given, its declaration has {} parameters", node.args.size(),
                          parameters.size()));
  for (size_t i = 0; i < node.args.size(); ++i) bound[i] = value_from(node.args[i], value_of);
  for (const auto& [keyword, arg] : node.kwargs) {
    auto found = std::find_if(
        parameters.begin(), parameters.end(),
        [&, &name = keyword](const Parameter& parameter) { return parameter.name == name; });
    if (found == parameters.end()) {
      if (std::find(std::begin(kMemoryKeywords), std::end(kMemoryKeywords), keyword) ==
          std::end(kMemoryKeywords))
        site.fail(fmt::format("its declaration has no parameter '{}'", keyword));
      continue;
    }
    std::optional<Value>& slot = bound[found - parameters.begin()];
    if (slot) site.fail(fmt::format("argument '{}' is given twice", keyword));
    slot = value_from(arg, value_of);
  }
  std::vector<Value> values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    // A capture spells out an absent optional argument.
    bool absent = !bound[i] || (bound[i]->is_none() && !parameters[i].required);
    if (absent && parameters[i].required)
      site.fail(fmt::format("argument '{}' is missing", parameters[i].name));
    values.push_back(absent ? parameters[i].fallback : std::move(*bound[i]));
  }
  return values;
}

}  // namespace assay::lowering
