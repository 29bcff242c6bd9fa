#include "static_check/residual/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

struct OutOfBudget {};

// Between 1/4 and 5/4, so that quotients and logarithms have values.
double random_number(int32_t atom, Int index) {
  uint64_t x = static_cast<uint64_t>(index) * 0x9E3779B97F4A7C15U + static_cast<uint64_t>(atom);
  for (int round = 0; round < 3; ++round) {
    x ^= x >> 31;
    x *= 0xBF58476D1CE4E5B9U;
  }
  return 0.25 + static_cast<double>(x >> 11) * 0x1p-53;
}

class Numbers {
 public:
  Numbers(const LemmaProof& terms, Int& budget) : terms_(terms), budget_(budget) {
    definition_.assign(terms.leaves.size(), nullptr);
    for (const LemmaProof::Definition& definition : terms.definitions)
      definition_[static_cast<size_t>(definition.leaf)] = &definition.formula;
  }

  double leaf(int32_t number, std::vector<Int>& at) {
    const LemmaProof::Leaf& leaf = terms_.leaves[static_cast<size_t>(number)];
    Int index = leaf.offset;
    for (size_t d = 0; d < at.size(); ++d) index += leaf.strides[d] * at[d];
    const auto known = values_.find({leaf.atom, index});
    if (known != values_.end()) return known->second;
    if (--budget_ < 0) throw OutOfBudget{};
    const Formula* formula = definition_[static_cast<size_t>(number)];
    const double value = formula ? evaluate(*formula, at) : random_number(leaf.atom, index);
    values_.emplace(std::pair{leaf.atom, index}, value);
    return value;
  }

 private:
  double evaluate(const Formula& formula, std::vector<Int>& at) {
    if (formula.kind == Formula::Kind::kNumber) return formula.number.to_double();
    if (formula.kind == Formula::Kind::kVariable) return leaf(leaf_number(formula.name), at);
    const std::string& name = formula.name;
    if (!formula.dim.empty()) return reduce(formula, at);
    const double x = evaluate(formula.operands[0], at);
    if (name == "exp") return std::exp(x);
    if (name == "log") return std::log(x);
    if (name == "sqrt") return std::sqrt(x);
    if (name == "rsqrt") return 1 / std::sqrt(x);
    if (name == "reciprocal") return 1 / x;
    if (name == "sin") return std::sin(x);
    if (name == "cos") return std::cos(x);
    if (name == "sigmoid") return 1 / (1 + std::exp(-x));
    const double y = evaluate(formula.operands[1], at);
    return name == "add" ? x + y : name == "mul" ? x * y : std::max(x, y);
  }

  double reduce(const Formula& formula, std::vector<Int>& at) {
    size_t dim = 0;
    while (terms_.dims[dim].name != formula.dim) ++dim;
    double sum = 0, largest = -std::numeric_limits<double>::infinity();
    const Int before = at[dim];
    for (at[dim] = 0; at[dim] < terms_.dims[dim].size; ++at[dim]) {
      const double x = evaluate(formula.operands[0], at);
      sum += x;
      largest = std::max(largest, x);
    }
    at[dim] = before;
    return formula.name == "sum" ? sum : largest;
  }

  const LemmaProof& terms_;
  Int& budget_;
  std::vector<const Formula*> definition_;
  std::map<std::pair<int32_t, Int>, double> values_;
};

// The number as p / q with q up to 4096, if it is one but for rounding; never 0.
std::optional<Rational> simple_fraction(double number) {
  constexpr Int kLargest = 4096;
  constexpr double kRounding = 1e-9;
  if (!(std::abs(number) < 1e6)) return std::nullopt;
  for (Int q = 1; q <= kLargest; ++q) {
    const double p = std::round(number * static_cast<double>(q));
    if (p != 0 && std::abs(p / static_cast<double>(q) - number) <= kRounding * std::abs(number))
      return Rational(static_cast<Int>(p), q);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rational> common_factor(const LemmaProof& terms, Int& budget) {
  constexpr double kRounding = 1e-9;
  Numbers numbers(terms, budget);
  std::optional<Rational> factor;
  try {
    for (const Int step : {0, 1, 3}) {
      std::vector<Int> at;
      for (const LemmaProof::Dim& dim : terms.dims) at.push_back(step % dim.size);
      const double left = numbers.leaf(terms.left, at), right = numbers.leaf(terms.right, at);
      if (!factor) factor = simple_fraction(left / right);
      if (!factor) return std::nullopt;
      const double difference = std::abs(left - factor->to_double() * right);
      if (!(difference <= kRounding * (std::abs(left) + std::abs(right)))) return std::nullopt;
    }
  } catch (const OutOfBudget&) {
    return std::nullopt;
  }
  return factor;
}

}  // namespace assay
