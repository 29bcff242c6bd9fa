// Evaluates the expressions of one declaration for one node.
#pragma once

#include <optional>
#include <vector>

#include "shared_ir/lower/builtins/call.h"
#include "shared_ir/lower/declare/declaration.h"

namespace assay::lowering {

class NodeEvaluator {
 public:
  // `arguments`: one value per parameter of the declaration.
  NodeEvaluator(Context& context, const OperatorDeclaration& declaration,
                std::vector<Value> arguments)
      : context_(context),
        declaration_(declaration),
        arguments_(std::move(arguments)),
        lets_(declaration.lets.size()) {}

  Value evaluate(const Expr& expr);
  const Value& argument(size_t parameter) const { return arguments_[parameter]; }

 private:
  std::string text(const Expr& expr);
  // A let that names another twice makes a value of twice the size: bounds what they add up to.
  Value copy(const Value& value);

  Context& context_;
  const OperatorDeclaration& declaration_;
  std::vector<Value> arguments_;
  std::vector<std::optional<Value>> lets_;  // evaluated on first use
  size_t copied_ = 0;                       // characters and elements of lists
};

}  // namespace assay::lowering
