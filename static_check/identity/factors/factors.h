// What positive numbers are products of, so that logarithms and roots of products are those of the
// factors: log(a b) = log a + log b and (a b)^r = a^r b^r hold for all positive a and b.
//
// A number that a logarithm or a root is taken of is positive where that is defined, which the
// identity test takes for granted. It is compared with those before: where it is one of them times
// another, or divided by it, or times a small fraction, an exponential, or what is known to be
// positive or its square, it is a product. What is
// none is a factor of its own. That a quotient is among N known numbers by chance has a probability
// of N / 2^61, and at most 2^31 are looked for, so that it happens in two evaluations with one
// below 2^-60 (Schwartz 1980).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shared_ir/rational.h"
#include "static_check/identity/factors/sieve.h"
#include "static_check/identity/number.h"

namespace assay::identity {

struct Product {
  Rational constant = 1;                                // positive
  Residue exponent = {};                                // of e
  std::vector<std::pair<uint64_t, Rational>> powers{};  // of other factors, by their values
};

class Algebra;

class Factors {
 public:
  // Which knows the constants of the programs, and must outlive this.
  explicit Factors(const Algebra& algebra);

  // A constant of the programs, or the square of one.
  void learn_constant(uint64_t number) { known_.add(number); }
  // The number is exp(argument).
  void learn_exponential(uint64_t number, const Residue& argument);
  // The number is positive.
  void learn_positive(const Residue& number);
  // The number is the product of two positive ones, or a power of one.
  void learn_product(uint64_t number, const Residue& a, const Residue& b);
  void learn_power(uint64_t number, const Residue& of, const Rational& exponent);
  // The number is the sum of two positive ones, of which this is one.
  void learn_term(uint64_t number, const Residue& term);
  // Of a positive number; of integer powers where no others may be.
  const Product& of(const Residue& number, bool fractional_powers) {
    return decomposed(number, fractional_powers, 0);
  }
  // The factor with that value.
  const Residue& factor(uint64_t value) const { return factors_.at(value); }

 private:
  struct Seen {
    uint64_t value, inverse;
    std::optional<Residue> term;
  };

  void see(uint64_t value);
  std::optional<Product> known(uint64_t value);
  std::optional<Product> by_parts(uint64_t value, int depth);
  std::optional<Product> by_terms(uint64_t value, int depth);
  std::optional<Product> by_another(uint64_t value, int depth);
  std::optional<Product> by_constant(uint64_t value);
  const Product& decomposed(const Residue& number, bool fractional_powers, int depth);
  std::optional<Product> root_of_known(uint64_t value);
  const Product& add_factor(const Residue& number);

  const Algebra& algebra_;
  Sieve known_;  // what a number is compared with others for
  std::unordered_map<uint64_t, Residue> exponentials_;
  struct Power {
    Residue base;
    int64_t exponent;
  };
  std::unordered_map<uint64_t, Power> positive_;  // numbers and their squares
  std::unordered_map<uint64_t, std::pair<Residue, Residue>> parts_;
  std::unordered_map<uint64_t, std::pair<Residue, Rational>> powers_;
  std::unordered_map<uint64_t, Residue> terms_;  // of sums, by value
  std::unordered_map<uint64_t, Product> products_;
  std::unordered_map<uint64_t, Residue> factors_;
  std::vector<Seen> seen_;  // the first of them
};

}  // namespace assay::identity
