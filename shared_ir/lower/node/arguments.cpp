#include "shared_ir/lower/node/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

constexpr std::string_view kMemoryKeywords[] = {"device", "layout", "pin_memory", "non_blocking",
                                                "memory_format"};

Value value_from(const Arg& arg, const std::vector<CoreId>& value_of) {
  struct Convert {
    const std::vector<CoreId>& value_of;
    Value operator()(NoArg) const { return {NoArg{}}; }
    Value operator()(TensorArg tensor) const { return {TensorRef{value_of[tensor.id]}}; }
    Value operator()(Int number) const { return {number}; }
    Value operator()(double number) const { return {number}; }
    Value operator()(bool flag) const { return {flag}; }
    Value operator()(const std::string& text) const { return {text}; }
    Value operator()(DType dtype) const { return {dtype}; }
    Value operator()(const ArgList& list) const {
      ValueList values;
      values.reserve(list.size());
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
  std::vector<Value> bound(parameters.size());
  std::vector<bool> given(parameters.size());
  if (node.args.size() > parameters.size())
    site.fail(fmt::format("{} arguments given, its declaration has {} parameters", node.args.size(),
                          parameters.size()));
  const auto bind = [&](size_t i, const Arg& arg) {
    bound[i] = value_from(arg, value_of);
    given[i] = true;
  };
  for (size_t i = 0; i < node.args.size(); ++i) bind(i, node.args[i]);
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
    const auto i = static_cast<size_t>(found - parameters.begin());
    if (given[i]) site.fail(fmt::format("argument '{}' is given twice", keyword));
    bind(i, arg);
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!given[i] && parameters[i].required)
      site.fail(fmt::format("argument '{}' is missing", parameters[i].name));
    // A capture spells out an absent optional argument.
    if (!given[i] || (bound[i].is_none() && !parameters[i].required))
      bound[i] = parameters[i].fallback;
  }
  return bound;
}

}  // namespace assay::lowering
