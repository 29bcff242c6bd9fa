#include "static_check/certify/numeric.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kAllowedRounding = 1e-8;  // relative; values are near 1

using Coordinates = std::map<std::string, int64_t>;

const std::map<std::string_view, double (*)(double)>& unary_functions() {
  static const std::map<std::string_view, double (*)(double)> functions = {
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return x > 0 ? std::log(x) : kUndefined; }},
      {"sqrt", [](double x) { return x >= 0 ? std::sqrt(x) : kUndefined; }},
      {"rsqrt", [](double x) { return x > 0 ? 1 / std::sqrt(x) : kUndefined; }},
      {"reciprocal", [](double x) { return x != 0 ? 1 / x : kUndefined; }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"not", [](double x) { return 1 - x; }},
  };
  return functions;
}

// One assignment of values to a lemma's variables.
class Assignment {
 public:
  Assignment(DimSizes sizes) : sizes_(std::move(sizes)) {}

  const DimSizes& sizes() const { return sizes_; }
  std::vector<double>& values(const std::string& variable) { return values_[variable]; }
  const std::map<std::string, std::vector<double>>& all_values() const { return values_; }

  size_t elements() const {
    size_t count = 1;
    for (const auto& [dim, size] : sizes_) count *= static_cast<size_t>(size);
    return count;
  }
  size_t index(const Coordinates& at) const {
    size_t index = 0;
    for (const auto& [dim, size] : sizes_)
      index = index * static_cast<size_t>(size) + static_cast<size_t>(at.at(dim));
    return index;
  }
  Coordinates coordinates(size_t index) const {
    Coordinates at;
    for (auto dim = sizes_.rbegin(); dim != sizes_.rend(); ++dim) {
      at[dim->first] = static_cast<int64_t>(index) % dim->second;
      index /= static_cast<size_t>(dim->second);
    }
    return at;
  }

  double evaluate(const Formula& formula, const Coordinates& at) const {
    switch (formula.kind) {
      case Formula::Kind::kVariable:
        return values_.at(formula.name)[index(at)];
      case Formula::Kind::kNumber:
        return formula.number.to_double();
      case Formula::Kind::kSize:
        return static_cast<double>(sizes_.at(formula.dim));
      case Formula::Kind::kCall:
        return formula.dim.empty() ? call(formula, at) : reduce(formula, at);
    }
    return kUndefined;
  }

 private:
  double call(const Formula& formula, const Coordinates& at) const {
    const double x = evaluate(formula.operands[0], at);
    const auto unary = unary_functions().find(formula.name);
    if (unary != unary_functions().end()) return unary->second(x);
    const double y = evaluate(formula.operands[1], at);
    if (formula.name == "add") return x + y;
    if (formula.name == "mul" || formula.name == "and") return x * y;
    if (formula.name == "or") return std::max(x, y);
    if (formula.name == "keep") return x != 0 ? y : 0;
    ASSAY_CHECK(formula.name == "maximum", "a function without a value: " + formula.name);
    return std::isnan(x) || std::isnan(y) ? kUndefined : std::max(x, y);
  }

  double reduce(const Formula& formula, Coordinates at) const {
    const double own =
        formula.name == "sum" || formula.name == "max" ? 0 : evaluate(formula.operands[0], at);
    double sum = 0, largest = -std::numeric_limits<double>::infinity(), exponentials = 0;
    for (int64_t i = 0; i < sizes_.at(formula.dim); ++i) {
      at[formula.dim] = i;
      const double x = evaluate(formula.operands[0], at);
      if (std::isnan(x)) return kUndefined;
      sum += x;
      largest = std::max(largest, x);
      exponentials += std::exp(x);
    }
    if (formula.name == "sum") return sum;
    if (formula.name == "max") return largest;
    if (formula.name == "softmax") return std::exp(own) / exponentials;
    ASSAY_CHECK(formula.name == "log_softmax", "a reduction without a value: " + formula.name);
    return own - std::log(exponentials);
  }

  DimSizes sizes_;
  std::map<std::string, std::vector<double>> values_;
};

class AssignmentDraws {
 public:
  AssignmentDraws(const Lemma& lemma, const NumericSearch& search)
      : lemma_(lemma), search_(search), random_(search.seed), masks_(masks_of(lemma)) {}

  // nullopt when the conditions are not met in many tries.
  std::optional<Assignment> next() {
    constexpr int kTries = 50;
    for (int i = 0; i < kTries; ++i) {
      Assignment drawn = draw();
      if (meets_conditions(drawn)) return drawn;
    }
    return std::nullopt;
  }

 private:
  int64_t integer(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  double number() {
    static constexpr double kSpecial[] = {0, 0, 1, -1, 2, -2, 0.5};
    if (integer(0, 2) == 0) return kSpecial[integer(0, 6)];
    return std::uniform_real_distribution<double>(-3, 3)(random_);
  }

  bool has(Condition::Kind kind, const Formula& operand) const {
    return std::any_of(lemma_.conditions.begin(), lemma_.conditions.end(),
                       [&](const Condition& condition) {
                         return condition.kind == kind && condition.operands[0] == operand;
                       });
  }

  Assignment draw() {
    DimSizes sizes;
    for (const std::string& dim : dims_of(lemma_)) sizes[dim] = integer(1, search_.largest_size);
    Assignment drawn(std::move(sizes));
    for (const std::string& name : variables_of(lemma_)) {
      const Formula variable = make_variable(name);
      for (size_t i = 0; i < drawn.elements(); ++i) {
        double value = masks_.contains(name) ? static_cast<double>(integer(0, 1)) : number();
        if (has(Condition::Kind::kPositive, variable)) value = std::abs(value) + 0.01;
        if (has(Condition::Kind::kNonnegative, variable)) value = std::abs(value);
        if (has(Condition::Kind::kNonzero, variable) && value == 0) value = 1;
        drawn.values(name).push_back(value);
      }
    }
    for (const Condition& condition : lemma_.conditions) {
      if (condition.kind == Condition::Kind::kIndependent) repeat(condition, drawn);
      if (condition.kind == Condition::Kind::kDisjoint) separate(condition, drawn);
    }
    return drawn;
  }

  static void repeat(const Condition& independent, Assignment& drawn) {
    std::vector<double>& values = drawn.values(independent.operands[0].name);
    for (size_t i = 0; i < values.size(); ++i) {
      Coordinates first = drawn.coordinates(i);
      first[independent.dim] = 0;
      values[i] = values[drawn.index(first)];
    }
  }

  static void separate(const Condition& disjoint, Assignment& drawn) {
    for (const Formula& operand : disjoint.operands)
      if (operand.kind != Formula::Kind::kVariable) return;
    const std::vector<double>& first = drawn.values(disjoint.operands[0].name);
    std::vector<double>& second = drawn.values(disjoint.operands[1].name);
    for (size_t i = 0; i < first.size(); ++i)
      if (first[i] != 0) second[i] = 0;
  }

  bool meets_conditions(const Assignment& drawn) const {
    for (const Condition& condition : lemma_.conditions) {
      if (condition.kind == Condition::Kind::kIndependent) continue;  // by repeat()
      for (size_t i = 0; i < drawn.elements(); ++i) {
        const Coordinates at = drawn.coordinates(i);
        const double x = drawn.evaluate(condition.operands[0], at);
        const bool holds = condition.kind == Condition::Kind::kPositive      ? x > 0
                           : condition.kind == Condition::Kind::kNonnegative ? x >= 0
                           : condition.kind == Condition::Kind::kNonzero
                               ? std::abs(x) > 1e-3  // a sum that cancels is not told from 0
                               : x * drawn.evaluate(condition.operands[1], at) == 0;
        if (!holds) return false;
      }
    }
    return true;
  }

  const Lemma& lemma_;
  const NumericSearch& search_;
  std::mt19937_64 random_;
  std::set<std::string> masks_;
};

std::string describe(const Assignment& drawn, const Coordinates& at, double left, double right) {
  const auto number = [](double x) {
    return std::isnan(x) ? std::string("no value") : fmt::format("{:.6g}", x);
  };
  std::string text = fmt::format("left is {}, right is {}", number(left), number(right));
  for (const auto& [dim, size] : drawn.sizes())
    text += fmt::format("; {} = {} of {}", dim, at.at(dim), size);
  for (const auto& [name, values] : drawn.all_values()) {
    text += "; " + name + " =";
    for (const double value : values) text += " " + number(value);
  }
  return text;
}

}  // namespace

NumericResult search_difference(const Lemma& lemma, const NumericSearch& search) {
  NumericResult result;
  AssignmentDraws draws(lemma, search);
  for (int64_t i = 0; i < search.draws; ++i) {
    const auto drawn = draws.next();
    if (!drawn) continue;
    ++result.tried;
    for (size_t element = 0; element < drawn->elements(); ++element) {
      const Coordinates at = drawn->coordinates(element);
      const double left = drawn->evaluate(lemma.left, at), right = drawn->evaluate(lemma.right, at);
      const double allowed = kAllowedRounding * (1 + std::abs(left) + std::abs(right));
      if (std::abs(left - right) <= allowed) continue;
      result.difference = describe(*drawn, at, left, right);
      return result;
    }
  }
  return result;
}

}  // namespace assay
