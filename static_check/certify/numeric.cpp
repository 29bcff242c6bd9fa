#include "static_check/certify/numeric.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/proof/double_arithmetic.h"
#include "shared_ir/proof/formula_run.h"

namespace assay {
namespace {

constexpr double kAllowedRounding = 1e-8;  // relative; values are near 1

using Coordinates = std::map<std::string, int64_t>;

// One assignment of values to a lemma's variables.
class Assignment : public DoubleArithmetic {
 public:
  using Place = Coordinates;

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

  // What FormulaRun asks for.
  double variable(const std::string& name, const Coordinates& at) const {
    return values_.at(name)[index(at)];
  }
  bool mask(const std::string& name, const Coordinates& at) const {
    return variable(name, at) != 0;
  }
  int64_t size(const std::string& dim) const { return sizes_.at(dim); }
  static int64_t& coordinate(Coordinates& at, const std::string& dim) { return at[dim]; }

 private:
  DimSizes sizes_;
  std::map<std::string, std::vector<double>> values_;
};

using Run = FormulaRun<const Assignment>;

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
    Run run(drawn);
    for (const Condition& condition : lemma_.conditions) {
      if (condition.kind == Condition::Kind::kIndependent) continue;  // by repeat()
      for (size_t i = 0; i < drawn.elements(); ++i) {
        if (!holds(condition, run, drawn.coordinates(i))) return false;
      }
    }
    return true;
  }

  static bool holds(const Condition& condition, Run& run, const Coordinates& at) {
    if (condition.kind == Condition::Kind::kDisjoint)
      return !(run.mask(condition.operands[0], at) && run.mask(condition.operands[1], at));
    const double x = run.number(condition.operands[0], at);
    if (condition.kind == Condition::Kind::kPositive) return x > 0;
    if (condition.kind == Condition::Kind::kNonnegative) return x >= 0;
    return std::abs(x) > 1e-3;  // a sum that cancels is not told from 0
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
  const std::set<std::string> masks = masks_of(lemma);
  for (int64_t i = 0; i < search.draws; ++i) {
    const auto drawn = draws.next();
    if (!drawn) continue;
    ++result.tried;
    Run run(*drawn);
    const auto value = [&](const Formula& side, const Coordinates& at) {
      return is_mask(side, masks) ? static_cast<double>(run.mask(side, at)) : run.number(side, at);
    };
    for (size_t element = 0; element < drawn->elements(); ++element) {
      const Coordinates at = drawn->coordinates(element);
      const double left = value(lemma.left, at), right = value(lemma.right, at);
      const double allowed = kAllowedRounding * (1 + std::abs(left) + std::abs(right));
      if (std::abs(left - right) <= allowed) continue;
      result.difference = describe(*drawn, at, left, right);
      return result;
    }
  }
  return result;
}

}  // namespace assay
