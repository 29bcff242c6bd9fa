// One run at an instance of the symbols that finds out at which other instances it would take the
// same path: every decision that depends on a symbol is recorded as a condition on the symbols.
//
// What a Number can be is what a Number of the replay can do: arithmetic is exact (128 bits, or
// Overflow); comparisons, rounding divisions and conversions, among them indices, bounds of loops
// and doubles, record that they came out as they did. Three things are not recorded:
// - Equal texts are equal polynomials, but other texts may be equal numbers at some instance. Names
//   of functions are such texts. Functions of other names are not known to be equal, which claims
//   nothing; nor is their order used for more than to put things into one.
// - Other bytes, in the same way. What is trusted (import, lowering, checker) looks at none
//   (tests/tooling, "decisions"). A Number has no hash.
// - Whether a size exceeds the largest tensor (exceeds, is_far): an assumption of the report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/symbolic/number.h"
#include "shared_ir/symbolic/polynomial.h"

namespace symbolic {

// Something on the path that the symbols' bounds alone do not imply, in the syntax of constraints:
// "512 - s0 >= 0". `asked_by` describes the operator.
struct Condition {
  std::string text;
  std::string asked_by;
};

class Replay {
 public:
  Replay();
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // The one of this thread. Numbers with polynomials exist only while there is one.
  static Replay& current();

  // A symbol with its value at the instance. At every instance it is a multiple of `divisor`.
  Number symbol(const std::string& name, int64_t value, int64_t divisor);
  // At no instance is the number negative: what a constraint says.
  void assume_nonnegative(const Number& number);

  // Decisions are recorded from now on, or no longer.
  void record(bool on) { recording_ = on; }
  void set_operator(std::string description) { operator_ = std::move(description); }
  const std::vector<Condition>& conditions() const { return conditions_; }

  // Exact, at every instance.
  Number add(const Number& a, const Number& b, int factor_of_b);
  Number multiply(const Number& a, const Number& b);
  Number divide(const Number& a, const Number& b);
  // A common divisor; the greatest, where both are constants.
  Number common_divisor(const Number& a, const Number& b);

  bool equal(const Number& a, const Number& b);
  bool less(const Number& a, const Number& b);
  std::strong_ordering compare(const Number& a, const Number& b);
  // The value at the instance; that it is this one is recorded.
  int64_t concrete(const Number& number);

  // At the instance.
  Wide value_of(const Number& number) const;
  // Where it is the same at every instance.
  std::optional<Wide> number_of(const Number& number) const;

  // In the syntax of constraints; equal texts are equal polynomials.
  std::string text(const Number& number);
  // The number that text() printed. nullopt for any other text.
  std::optional<Number> parse(const std::string& text) const;

 private:
  enum class Sign : uint8_t { kZero, kNonzero, kPositive, kNonnegative };

  struct VariableFacts {
    std::string name;      // in the syntax of constraints
    std::string multiple;  // name of divisor * the variable
    int64_t divisor = 1;
    int64_t value = 0;  // at the instance
    std::optional<Wide> low, high;
  };

  const Polynomial& polynomial(PolynomialId id) const {
    return polynomials_[static_cast<size_t>(id)];
  }
  Polynomial polynomial_of(const Number& number) const;
  Number number(const Polynomial& polynomial);
  PolynomialId intern(const Polynomial& polynomial);
  Wide value_of(const Polynomial& polynomial) const;
  std::string text(const Polynomial& polynomial) const;
  std::string text(Monomial monomial, Wide coefficient) const;
  // Whether the bounds of the variables imply it.
  bool follows(const Polynomial& polynomial, Sign sign) const;
  std::optional<Wide> lowest(const Polynomial& polynomial) const;
  // Records it, unless it holds at every instance.
  void require(Polynomial polynomial, Sign sign);
  bool is_far(const Polynomial& polynomial) const;

  Replay* outer_;
  bool recording_ = false;
  std::string operator_;
  std::vector<VariableFacts> variables_;
  std::vector<Polynomial> polynomials_;
  std::vector<Wide> values_;  // of polynomials_
  std::map<Polynomial, PolynomialId> ids_;
  std::map<std::string, Number> printed_;
  std::map<std::pair<Polynomial, Polynomial>, Variable> quotients_;
  std::map<std::pair<Polynomial, Sign>, bool> required_;
  std::vector<Condition> conditions_;
};

}  // namespace symbolic
