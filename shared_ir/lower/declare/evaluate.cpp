#include "shared_ir/lower/declare/evaluate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/builtins.h"

namespace assay::lowering {
namespace {

constexpr size_t kMaxCopied = size_t{1} << 22;

size_t size_of(const Value& value) {
  if (const auto* text = value.get_if<std::string>()) return text->size();
  size_t size = 1;
  if (const auto* list = value.get_if<ValueList>())
    for (const Value& element : *list) size += size_of(element);
  return size;
}

bool holds_tensor(const Value& value) {
  if (value.get_if<TensorRef>() != nullptr) return true;
  const auto* list = value.get_if<ValueList>();
  return list != nullptr && std::ranges::any_of(*list, holds_tensor);
}

}  // namespace

Value NodeEvaluator::copy(const Value& value) {
  copied_ += size_of(value);
  if (copied_ > kMaxCopied) context_.site.fail("its declaration makes too large lists or texts");
  return value;
}

std::string NodeEvaluator::text(const Expr& expr) {
  std::string result = expr.pieces[0];
  for (size_t i = 0; i < expr.children.size(); ++i) {
    const Value value = evaluate(expr.children[i]);
    // Functions have names by numbers: that of a tensor is none.
    if (holds_tensor(value)) throw Unsupported{"a number that is read from a tensor (.item())"};
    // Of infinite constants the proof knows where they meet 0 or others, of those in names not.
    if (const double* number = value.get_if<double>(); number && !std::isfinite(*number))
      throw Unsupported{fmt::format("a function with the attribute {}", *number)};
    result += attribute_text(value) + expr.pieces[i + 1];
  }
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
      return copy(arguments_[expr.index]);
    case Expr::Kind::kText:
      return {text(expr)};
    case Expr::Kind::kList:
      return {all(expr.children)};
    case Expr::Kind::kLet: {
      std::optional<Value>& let = lets_[expr.index];
      if (!let) let = evaluate(declaration_.lets[expr.index]);
      return copy(*let);
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
