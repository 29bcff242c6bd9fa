#include "shared_ir/capture/fit/size_forms.h"

#include <algorithm>

namespace assay {
namespace {

using Kind = SymbolExpr::Kind;

SymbolExpr combined(Kind kind, SymbolExpr left, SymbolExpr right) {
  SymbolExpr result;
  result.kind = kind;
  result.operands = {std::move(left), std::move(right)};
  return result;
}

SymbolExpr plus(SymbolExpr expr, int64_t number) {
  if (number == 0) return expr;
  const Kind kind = number > 0 ? Kind::kAdd : Kind::kSubtract;
  return combined(kind, std::move(expr), number_expr(number > 0 ? number : -number));
}

// The number by which both differ in every run.
std::optional<int64_t> constant_difference(const RunValues& values, const RunValues& from) {
  const int64_t difference = values[0] - from[0];
  for (size_t run = 1; run < values.size(); ++run)
    if (values[run] - from[run] != difference) return std::nullopt;
  return difference;
}

}  // namespace

SymbolExpr number_expr(int64_t number) {
  SymbolExpr result;
  result.number = number;
  return result;
}

SymbolExpr symbol_expr(const std::string& name) {
  SymbolExpr result;
  result.kind = Kind::kSymbol;
  result.name = name;
  return result;
}

bool varies(const RunValues& values) {
  return std::ranges::any_of(values, [&](int64_t value) { return value != values[0]; });
}

SymbolExpr SizeForms::add(RunValues values) {
  names_.push_back("u" + std::to_string(names_.size()));
  if (varies(values)) candidates_.push_back({names_.back(), std::move(values)});
  return symbol_expr(names_.back());
}

std::optional<SymbolExpr> SizeForms::find(const RunValues& values) const {
  for (const Candidate& one : candidates_)
    if (one.values == values) return symbol_expr(one.name);
  if (auto sum = sum_of_neighbours(values)) return sum;
  if (auto product = multiple(values)) return product;
  return sum_of_two(values);
}

std::optional<SymbolExpr> SizeForms::sum_of_neighbours(const RunValues& values) const {
  for (size_t first = 0; first < candidates_.size(); ++first) {
    RunValues total = candidates_[first].values;
    SymbolExpr sum = symbol_expr(candidates_[first].name);
    for (size_t last = first + 1; last < candidates_.size(); ++last) {
      for (size_t run = 0; run < total.size(); ++run) total[run] += candidates_[last].values[run];
      sum = combined(Kind::kAdd, std::move(sum), symbol_expr(candidates_[last].name));
      if (total == values) return sum;
    }
  }
  return std::nullopt;
}

std::optional<SymbolExpr> SizeForms::multiple(const RunValues& values) const {
  for (const Candidate& one : candidates_) {
    const RunValues& of = one.values;
    const auto other = std::ranges::find_if(of, [&](int64_t value) { return value != of[0]; });
    const auto at = static_cast<size_t>(other - of.begin());
    const int64_t rise = values[at] - values[0], run = of[at] - of[0];
    if (rise == 0 || rise % run != 0) continue;
    RunValues product = of;
    for (int64_t& value : product) value *= rise / run;
    const auto rest = constant_difference(values, product);
    if (!rest) continue;
    SymbolExpr result = symbol_expr(one.name);
    if (rise != run) result = combined(Kind::kMultiply, std::move(result), number_expr(rise / run));
    return plus(std::move(result), *rest);
  }
  return std::nullopt;
}

std::optional<SymbolExpr> SizeForms::sum_of_two(const RunValues& values) const {
  for (const Candidate& left : candidates_) {
    for (const Candidate& right : candidates_) {
      for (const Kind kind : {Kind::kAdd, Kind::kSubtract}) {
        RunValues total = left.values;
        for (size_t run = 0; run < total.size(); ++run)
          total[run] += kind == Kind::kAdd ? right.values[run] : -right.values[run];
        if (!varies(total)) continue;
        const auto rest = constant_difference(values, total);
        if (!rest) continue;
        return plus(combined(kind, symbol_expr(left.name), symbol_expr(right.name)), *rest);
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay
