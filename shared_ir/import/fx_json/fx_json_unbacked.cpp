#include "shared_ir/import/fx_json/fx_json_unbacked.h"

#include <algorithm>
#include <iterator>

#include "shared_ir/symbolic/integer.h"

namespace assay::fx {
namespace {

const SymbolValues kNoSymbols;

// "ge" of operator.ge, as Python prints it, as torch.fx names it in code and in tables.
std::string_view plain_operator(std::string_view target) {
  constexpr std::string_view kBuiltin = "<built-in function ";
  if (target.starts_with(kBuiltin))
    return target.substr(kBuiltin.size(), target.size() - kBuiltin.size() - 1);
  const bool named = target.starts_with("_operator.") || target.starts_with("operator.");
  return named ? target.substr(target.rfind('.') + 1) : target;
}

bool is_comparison(std::string_view operation) {
  constexpr std::string_view kNames[] = {"ge", "gt", "le", "lt", "eq", "ne"};
  return std::ranges::find(kNames, operation) != std::end(kNames);
}

bool is_item(std::string_view target) {
  return target == "aten.item.default" || target == "aten._local_scalar_dense.default";
}

}  // namespace

bool UnbackedSizes::read(const NodeView& node, const ArgContext& context,
                         std::optional<Node>& made) {
  if (is_comparison(plain_operator(node.target))) {
    if (arguments(context.text, node).size() != 2) return false;
    comparisons_.emplace(node.name, node);
    return true;
  }
  if (node.target == kAssertOp) {
    made = assertion(node, context);
    return true;
  }
  const auto integer = symbolic_integer(node);
  auto size = integer ? unbacked_size(*integer, kNoSymbols) : std::nullopt;
  if (!size) return false;
  if (is_item(node.target)) made = item(node, context, *size);
  sizes_.emplace(node.name, add(std::move(*size)));
  return true;
}

void UnbackedSizes::remember(const NodeView& node, NodeId id) {
  if (is_item(node.target)) graph.items.emplace(id, graph.integers.back().name);
}

TensorId UnbackedSizes::add(SymbolExpr size) {
  graph.integers.push_back(std::move(size));
  return integer_argument(graph.integers.size() - 1);
}

std::optional<TensorId> UnbackedSizes::find(std::string_view name) const {
  const auto found = sizes_.find(name);
  return found == sizes_.end() ? std::nullopt : std::optional(found->second);
}

Node UnbackedSizes::item(const NodeView& node, const ArgContext& context,
                         const SymbolExpr& size) const {
  if (size.kind != SymbolExpr::Kind::kSymbol)
    context.text.fail_at(node.name, "reads a size from a tensor, which is no symbol of its own");
  Node made;
  made.op = node.target;
  for (const Json arg : arguments(context.text, node)) made.args.push_back(read_arg(arg, context));
  const auto* tensor =
      made.args.size() == 1 ? std::get_if<TensorArg>(&made.args[0].value) : nullptr;
  if (tensor == nullptr || tensor->id < 0)
    context.text.fail_at(node.name, "does not read one tensor");
  return made;
}

std::optional<Node> UnbackedSizes::assertion(const NodeView& node,
                                             const ArgContext& context) const {
  const JsonArray args = arguments(context.text, node);
  JsonObject condition;
  // One that the capture has decided.
  if (args.size() == 0 || args.at(0).get(condition) != simdjson::SUCCESS) return std::nullopt;
  const auto name = find_text(condition, "node");
  const auto found = name ? comparisons_.find(*name) : comparisons_.end();
  const auto fail = [&] {
    context.text.fail_at(node.name, "asserts what is no comparison of sizes");
  };
  if (found == comparisons_.end()) fail();
  Node made;
  made.op = kAssertOp;
  made.args.push_back({std::string(plain_operator(found->second.target))});
  for (const Json arg : arguments(context.text, found->second)) {
    made.args.push_back(read_arg(arg, context));
    const Arg& side = made.args.back();
    const auto* integer = std::get_if<TensorArg>(&side.value);
    if (!std::holds_alternative<Int>(side.value) && (integer == nullptr || integer->id >= 0))
      fail();
  }
  return made;
}

}  // namespace assay::fx
