// Polynomials with integer coefficients over the symbols of a case, in normal form: equal
// polynomials have equal numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace symbolic {

using PolynomialId = int64_t;  // of a table; 0 is no polynomial
using Variable = int32_t;

// Coefficients and values are exact: 64 bits would wrap around where the ordinary integers of the
// programs' sources are wider (WideInt in integer.h) or stand for infinity.
__extension__ using Wide = __int128;

// Thrown where a number leaves 128 bits, or 64 where it has to be an ordinary one.
struct Overflow {};

Wide plus(Wide a, Wide b);
Wide times(Wide a, Wide b);
bool fits(Wide value);  // 64 bits
std::string decimal(Wide value);

// Variables with their exponents by repetition, sorted; empty: the constant.
using Monomial = std::vector<Variable>;
// Coefficients, none of them zero.
using Polynomial = std::map<Monomial, Wide>;

Polynomial constant(Wide value);
Polynomial sum(const Polynomial& a, const Polynomial& b, Wide factor_of_b);
Polynomial product(const Polynomial& a, const Polynomial& b);

// quotient and rest with a = quotient * b + rest, by the leading monomial of b; the rest holds no
// multiple of it. b is not zero.
std::pair<Polynomial, Polynomial> divide(const Polynomial& a, const Polynomial& b);

// The number, where the polynomial is one.
std::optional<Wide> number_of(const Polynomial& polynomial);

// Largest integer that divides all coefficients; 0 of no coefficients.
Wide content(const Polynomial& polynomial);

}  // namespace symbolic
