// Integers of the program, and what it demands of them.
#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/import/unbacked/padder.h"

namespace assay::unbacked {
namespace {

using Kind = SymbolExpr::Kind;

// The symbol that a node of integers is, or nothing.
const std::string* lone_symbol(const UnbackedGraph& from, const Arg& arg) {
  const auto* tensor = std::get_if<TensorArg>(&arg.value);
  if (tensor == nullptr || tensor->id >= kNone) return nullptr;
  const SymbolExpr& expr = from.integers[static_cast<size_t>(-2 - tensor->id)];
  return expr.kind == Kind::kSymbol ? &expr.name : nullptr;
}

}  // namespace

std::string to_string(const SymbolExpr& expr) {
  if (expr.kind == Kind::kNumber) return std::to_string(expr.number);
  if (expr.kind == Kind::kSymbol) return expr.name;
  constexpr const char* kSigns[] = {"+", "-", "*", "//", "%"};
  const auto sign = static_cast<size_t>(expr.kind) - static_cast<size_t>(Kind::kAdd);
  return fmt::format("({} {} {})", to_string(expr.operands[0]), kSigns[sign],
                     to_string(expr.operands[1]));
}

// Those of "u0 <= 8", wherever the program asserts it: what does not hold ends it.
void Padder::find_bounds() {
  for (const Node& node : from_.graph.nodes) {
    if (node.op != kAssertOp) continue;
    const auto* comparison = std::get_if<std::string>(&node.args[0].value);
    const std::string* name = lone_symbol(from_, node.args[1]);
    const auto* number = std::get_if<int64_t>(&node.args[2].value);
    if (comparison == nullptr || name == nullptr || number == nullptr) continue;
    const bool less = *comparison == "lt", at_most = *comparison == "le" || *comparison == "eq";
    if (!less && !at_most) continue;
    const int64_t most = less ? *number - 1 : *number;
    const auto [known, first] = bounds_.try_emplace(*name, most);
    if (!first) known->second = std::min(known->second, most);
  }
}

void Padder::read_item(const Node& node, const std::string& name) {
  const Padded& x = operand(std::get<TensorArg>(node.args.at(0).value).id);
  if (x.is_ragged()) fail("reads a number from a tensor of an unknown size");
  if (is_floating(emit_.dtype(x.id))) fail("reads a size from a floating tensor");
  if (symbols_.contains(name))
    fail(fmt::format("symbol '{}' is defined twice, by {} and here", name,
                     symbols_.at(name).made_by),
         "every operator that makes a size has a symbol of its own");
  Symbol& made = symbols_[name];
  made.value = emit_.cast(emit_.reshape(x.id, {}), DType::kInt64);
  made.made_by = node.op;
  if (const auto bound = bounds_.find(name); bound != bounds_.end()) made.most = bound->second;
}

Padder::Symbol& Padder::symbol(const std::string& name) {
  const auto found = symbols_.find(name);
  if (found == symbols_.end())
    fail(fmt::format("size '{}' is used, and no operator before has made it", name),
         "a size that depends on values is made by an operator of the graph (nonzero, item, ...); "
         "sizes of inputs have their values in [symbols] of case.toml");
  return found->second;
}

Size Padder::size(const SymbolExpr& expr) {
  if (expr.kind == Kind::kNumber) return {kNone, expr.number};
  if (expr.kind == Kind::kSymbol) {
    Symbol& known = symbol(expr.name);
    if (known.value == kNone) known.value = count(*known.extent);
    return {known.value, known.most};
  }
  const Size a = size(expr.operands[0]), b = size(expr.operands[1]);
  if (a.is_number() && b.is_number()) return {kNone, evaluate(expr, {}, node_->source)};
  const TensorId left = tensor_of(a), right = tensor_of(b);
  const bool bounded = a.most && b.most;
  switch (expr.kind) {
    case Kind::kAdd:
      return {emit_.arithmetic("add", left, right),
              bounded ? std::optional(*a.most + *b.most) : std::nullopt};
    case Kind::kSubtract:
      return {emit_.arithmetic("sub", left, right),
              a.most && b.is_number() ? std::optional(*a.most - *b.most) : a.most};
    case Kind::kMultiply:
      return {emit_.arithmetic("mul", left, right),
              bounded ? std::optional(*a.most * *b.most) : std::nullopt};
    case Kind::kFloorDivide:
      return {emit_.call("aten.floor_divide.default", {tensor_arg(left), tensor_arg(right)},
                         DType::kInt64, {}),
              b.is_number() && b.most > 0 && a.most ? std::optional(*a.most / *b.most) : a.most};
    case Kind::kRemainder:
      return {emit_.arithmetic("remainder", left, right),
              b.most ? std::optional(*b.most - 1) : std::nullopt};
    case Kind::kNumber:
    case Kind::kSymbol:
      break;
  }
  throw InternalError("a size of another kind");
}

Size Padder::size(const Arg& arg) {
  if (const auto* number = std::get_if<int64_t>(&arg.value)) return {kNone, *number};
  if (const auto* tensor = std::get_if<TensorArg>(&arg.value); tensor != nullptr) {
    if (tensor->id < kNone) return size(from_.integers[static_cast<size_t>(-2 - tensor->id)]);
    const Padded& x = operand(tensor->id);
    if (x.rank() == 0 && !is_floating(emit_.dtype(x.id)))
      return {emit_.cast(x.id, DType::kInt64), std::nullopt};
  }
  fail("an argument is no size");
}

TensorId Padder::tensor_of(const Size& size) {
  return size.is_number() ? emit_.number(*size.most) : size.value;
}

Extent Padder::extent_of(const SymbolExpr& expr) {
  const Size wanted = size(expr);
  if (wanted.is_number()) return {*wanted.most};
  if (expr.kind == Kind::kSymbol && symbols_.at(expr.name).extent)
    return *symbols_.at(expr.name).extent;
  // As many as a dimension that was recorded so.
  if (const auto made = made_.find(to_string(expr)); made != made_.end()) {
    demand_equal(wanted, made->second);
    return made->second;
  }
  if (!wanted.most)
    fail("makes a tensor of a size that depends on values, and has no bound",
         "let the program say how large it can be (torch._check(size <= 64), p.size_of(tensor, "
         "64))");
  const Extent made{*wanted.most, emit_.compare("lt", emit_.arange(*wanted.most), wanted.value),
                    true};
  demand(emit_.compare("le", wanted.value, emit_.number(*wanted.most)));
  demand(emit_.compare("ge", wanted.value, emit_.number(0)));
  if (expr.kind == Kind::kSymbol) symbols_.at(expr.name).extent = made;
  return made;
}

void Padder::assume(const std::string& what) {
  if (std::ranges::find(to_.assumptions, what) == to_.assumptions.end())
    to_.assumptions.push_back(what);
}

void Padder::demand(TensorId condition) {
  if (std::ranges::find(demands_, condition) == demands_.end()) demands_.push_back(condition);
}

void Padder::demand_equal(const Size& size, const Extent& extent) {
  if (size.is_number() && extent.is_known()) {
    if (*size.most != extent.bound)
      fail(fmt::format("a dimension of {} elements is taken for one of {}", extent.bound,
                       *size.most));
    return;
  }
  const TensorId one = tensor_of(size), other = count(extent);
  if (one != other) demand(emit_.compare("eq", one, other));
}

void Padder::demand_count(const Arg& arg, const Extent& extent, const Extent& part, int64_t times) {
  const auto* tensor = std::get_if<TensorArg>(&arg.value);
  const bool is_expr = tensor != nullptr && tensor->id < kNone;
  if (!is_expr || !is_count(from_.integers[static_cast<size_t>(-2 - tensor->id)], part, times))
    demand_equal(size(arg), extent);
}

// By the names of sizes alone.
bool Padder::is_count(const SymbolExpr& expr, const Extent& part, int64_t times) const {
  if (expr.kind == Kind::kSymbol) {
    const auto known = symbols_.find(expr.name);
    return times == 1 && known != symbols_.end() && known->second.extent == part;
  }
  if (expr.kind == Kind::kMultiply)
    for (size_t i = 0; i < 2; ++i) {
      const SymbolExpr& factor = expr.operands[i];
      if (factor.kind == Kind::kNumber && factor.number > 0 && times % factor.number == 0)
        return is_count(expr.operands[1 - i], part, times / factor.number);
    }
  const auto made = made_.find(to_string(expr));
  return times == 1 && made != made_.end() && made->second == part;
}

void Padder::assert_sizes(const Node& node) {
  const Size a = size(node.args.at(1)), b = size(node.args.at(2));
  if (a.is_number() && b.is_number()) return;
  const std::string& comparison = std::get<std::string>(node.args.at(0).value);
  // A size made here is none that is negative, nor larger than its bound.
  const std::string* name = lone_symbol(from_, node.args.at(1));
  const Symbol* known = name == nullptr ? nullptr : &symbols_.at(*name);
  if (known != nullptr && known->extent && b.is_number()) {
    if (comparison == "ge" && *b.most <= 0) return;
    if (comparison == "le" && *b.most >= known->extent->bound) return;
  }
  demand(emit_.compare(comparison, tensor_of(a), tensor_of(b)));
}

}  // namespace assay::unbacked
