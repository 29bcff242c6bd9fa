#include "shared_ir/lower/evaluate.h"

#include "shared_ir/lower/builtins.h"

namespace assay::lowering {

std::string NodeEvaluator::text(const Expr& expr) {
  std::string result = expr.pieces[0];
  for (size_t i = 0; i < expr.children.size(); ++i)
    result += attribute_text(evaluate(expr.children[i])) + expr.pieces[i + 1];
  return result;
}

Value NodeEvaluator::evaluate(const Expr& expr) {
  auto all = [this](const std::vector<Expr>& exprs) {
    std::vector<Value> values;
    values.reserve(exprs.size());
    for (const Expr& child : exprs) values.push_back(evaluate(child));
    return values;
  };
  switch (expr.kind) {
    case Expr::Kind::kLiteral:
      return expr.literal;
    case Expr::Kind::kParameter:
      return arguments_[expr.index];
    case Expr::Kind::kText:
      return {text(expr)};
    case Expr::Kind::kList:
      return {all(expr.children)};
    case Expr::Kind::kLet: {
      std::optional<Value>& let = lets_[expr.index];
      if (!let) let = evaluate(declaration_.lets[expr.index]);
      return *let;
    }
    case Expr::Kind::kWhen: {
      Value condition = evaluate(expr.children[0]);
      const bool* holds = condition.get_if<bool>();
      if (!holds) context_.site.fail("the condition of when(...) must be true or false");
      return evaluate(expr.children[*holds ? 1 : 2]);
    }
    case Expr::Kind::kCall: {
      Call call(context_, expr.builtin->name, all(expr.children));
      return expr.builtin->function(call);
    }
  }
  throw InternalError("an expression of no kind");
}

}  // namespace assay::lowering
