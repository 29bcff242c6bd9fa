#include "static_check/residual/numbers.h"

#include <cmath>
#include <map>
#include <vector>

#include "shared_ir/proof/double_arithmetic.h"
#include "shared_ir/proof/formula_run.h"
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

class Numbers : public DoubleArithmetic {
 public:
  using Place = std::vector<Int>;

  Numbers(const LemmaProof& terms, Int& budget) : terms_(terms), budget_(budget) {
    definition_.assign(terms.leaves.size(), nullptr);
    for (const LemmaProof::Definition& definition : terms.definitions)
      definition_[static_cast<size_t>(definition.leaf)] = &definition.formula;
  }

  double leaf(int32_t number, const Place& at) {
    const LemmaProof::Leaf& leaf = terms_.leaves[static_cast<size_t>(number)];
    Int index = leaf.offset;
    for (size_t d = 0; d < at.size(); ++d) index += leaf.strides[d] * at[d];
    const auto known = values_.find({leaf.atom, index});
    if (known != values_.end()) return known->second;
    if (--budget_ < 0) throw OutOfBudget{};
    const Formula* formula = definition_[static_cast<size_t>(number)];
    const double value =
        formula ? FormulaRun(*this).number(*formula, at) : random_number(leaf.atom, index);
    values_.emplace(std::pair{leaf.atom, index}, value);
    return value;
  }

  // What FormulaRun asks for.
  double variable(const std::string& name, const Place& at) { return leaf(leaf_number(name), at); }
  bool mask(const std::string& name, const Place& at) { return variable(name, at) != 0; }
  Int size(const std::string& dim) const { return terms_.dims[position(dim)].size; }
  Int& coordinate(Place& at, const std::string& dim) const { return at[position(dim)]; }

 private:
  size_t position(const std::string& dim) const {
    size_t at = 0;
    while (terms_.dims[at].name != dim) ++at;
    return at;
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
      Numbers::Place at;
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
