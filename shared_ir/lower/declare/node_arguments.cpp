#include "shared_ir/lower/declare/node_arguments.h"

#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

std::optional<Arg> arg_of(const Value& value) {
  if (const auto* integer = value.get_if<Int>()) return Arg{*integer};
  if (const auto* real = value.get_if<double>()) return Arg{*real};
  if (const auto* flag = value.get_if<bool>()) return Arg{*flag};
  if (const auto* text = value.get_if<std::string>()) return Arg{*text};
  if (const auto* dtype = value.get_if<DType>()) return Arg{*dtype};
  if (value.is_none()) return Arg{};
  return std::nullopt;
}

std::optional<Arg> argument_of(const OperatorDeclaration& declaration, const Node& node,
                               size_t parameter) {
  if (parameter < node.args.size()) return node.args[parameter];
  for (const auto& [name, arg] : node.kwargs)
    if (name == declaration.parameters[parameter].name) return arg;
  return arg_of(declaration.parameters[parameter].fallback);
}

}  // namespace assay::lowering
