// Arithmetic modulo a prime.
#pragma once

#include <cstdint>

namespace assay::identity {

__extension__ using Wide = unsigned __int128;

// Residues are in [0, modulus). The modulus is 2^bits - rest with a small rest, so that products
// are reduced without division.
class Field {
 public:
  constexpr Field(int bits, uint64_t rest)
      : bits_(bits), rest_(rest), modulus_((uint64_t{1} << bits) - rest) {}

  constexpr uint64_t modulus() const { return modulus_; }
  constexpr uint64_t add(uint64_t a, uint64_t b) const {
    const uint64_t sum = a + b;  // below 2^64
    return sum >= modulus_ ? sum - modulus_ : sum;
  }
  constexpr uint64_t negative(uint64_t a) const { return a == 0 ? 0 : modulus_ - a; }
  constexpr uint64_t subtract(uint64_t a, uint64_t b) const { return add(a, negative(b)); }
  constexpr uint64_t multiply(uint64_t a, uint64_t b) const { return of(Wide{a} * b); }
  constexpr uint64_t power(uint64_t base, uint64_t exponent) const {
    uint64_t result = 1;
    for (; exponent != 0; exponent /= 2) {
      if (exponent % 2 != 0) result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }
  // Of what is not 0.
  constexpr uint64_t inverse(uint64_t a) const { return power(a, modulus_ - 2); }
  constexpr uint64_t of(int64_t value) const {
    return value >= 0 ? static_cast<uint64_t>(value) % modulus_
                      : negative(static_cast<uint64_t>(-(value + 1)) % modulus_ + 1);
  }
  constexpr uint64_t of(Wide value) const {
    const uint64_t mask = (uint64_t{1} << bits_) - 1;
    while (value >> bits_ != 0) value = (value & mask) + (value >> bits_) * rest_;
    const auto residue = static_cast<uint64_t>(value);
    return residue >= modulus_ ? residue - modulus_ : residue;
  }

 private:
  int bits_;
  uint64_t rest_;
  uint64_t modulus_;
};

// Numbers are residues modulo p. Exponents are residues modulo q, which divides p - 1, so that an
// exponential is a power of an element of order q: exp(a + b) = exp(a) exp(b) holds by itself
// (Mirage, OSDI '25, evaluates tensor programs with one exponential in this way). Both are 7 modulo
// 8, so that 2 has a square root; primes up to 23 have one modulo p, as positive numbers do.
inline constexpr Field kValues{61, 150993};    // p = 2 q + 1
inline constexpr Field kExponents{60, 75497};  // q
inline constexpr uint64_t kGenerator = 9;      // of order q modulo p

}  // namespace assay::identity
