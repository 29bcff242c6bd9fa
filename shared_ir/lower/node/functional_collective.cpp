#include "shared_ir/lower/node/functional_collective.h"

#include <map>
#include <string_view>

#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/declare/node_arguments.h"

namespace assay::lowering {
namespace {

// The operators of operators/collective.toml that are one of these builtins of their own arguments,
// in its order.
const std::map<std::string_view, std::string_view>& functional_collectives() {
  static const std::map<std::string_view, std::string_view> table{
      {"all_reduce", "_c10d_functional.all_reduce.default"},
      {"all_gather", "_c10d_functional.all_gather_into_tensor.default"},
      {"reduce_scatter", "_c10d_functional.reduce_scatter_tensor.default"},
      {"broadcast_from", "_c10d_functional.broadcast.default"},
      {"all_to_all", "_c10d_functional.all_to_all_single.default"},
      {"reduce_to", "c10d.reduce.default"},
      {"send_to", "c10d.send.default"},
      {"receive_from", "c10d.recv.default"},
      {"barrier", "c10d.barrier.default"},
  };
  return table;
}

// A call's arguments by the declaration's parameters and literals.
class Arguments {
 public:
  Arguments(const OperatorDeclaration& declaration, const Node& node)
      : declaration_(declaration), node_(node) {}

  // nullopt where the expression computes something.
  std::optional<Arg> of(const Expr& expr) const {
    using Kind = Expr::Kind;
    switch (expr.kind) {
      case Kind::kParameter:
        return argument_of(declaration_, node_, static_cast<size_t>(expr.index));
      case Kind::kLet:
        return of(declaration_.lets[static_cast<size_t>(expr.index)]);
      case Kind::kLiteral:
        return arg_of(expr.literal);
      case Kind::kText:
        return expr.children.empty() ? std::optional(Arg{expr.pieces.front()}) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  const OperatorDeclaration& declaration_;
  const Node& node_;
};

}  // namespace

std::optional<Node> functional_collective(const OperatorDeclaration& declaration,
                                          const Node& node) {
  if (!declaration.communicates || declaration.returns.size() != 1 || !declaration.writes.empty())
    return std::nullopt;
  const Expr& body = declaration.returns.front();
  if (body.kind != Expr::Kind::kCall) return std::nullopt;
  const auto found = functional_collectives().find(body.builtin->name);
  if (found == functional_collectives().end()) return std::nullopt;
  Node collective = node;
  collective.op = found->second;
  collective.args.clear();
  collective.kwargs.clear();
  const Arguments arguments(declaration, node);
  for (const Expr& expr : body.children) {
    const auto arg = arguments.of(expr);
    if (!arg) return std::nullopt;
    collective.args.push_back(*arg);
  }
  return collective;
}

}  // namespace assay::lowering
