// Logarithms as independent variables, but for those of products, powers and exponentials.
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
void Algebra::learn_factors(const Number& product, const LogTerm& a, const LogTerm& b) {
  if (!reading_.formal_logs || product.is_constant()) return;
  if (factors_.try_emplace(product.value.r, a, b).second) store(1);
}

Residues Algebra::formal_log(uint64_t of) {
  if (of == 1) return {};
  if (const auto found = formal_logs_.find(of); found != formal_logs_.end()) return found->second;
  const auto free = [&](uint64_t r) { return random_("log", std::vector<uint64_t>{1, r}); };
  Residues result = free(of);
  if (!reading_.formal_logs) return result;
  formal_logs_.emplace(of, result);  // where factors go round in a circle
  const auto rational = constants_.find(of);
  const auto factors = factors_.find(of);
  if (const auto x = exponents_.find(of); x != exponents_.end()) {
    result = x->second.value;
  } else if (rational != constants_.end()) {
    const Rational& value = rationals_[static_cast<size_t>(rational->second)];
    constexpr PlainInt kMost = PlainInt{1} << 20;  // to be factored
    if (value.is_positive() && value.fits(kMost)) {
      result = {};
      const auto add_primes = [&](PlainInt n, bool divided) {
        for (PlainInt prime = 2; n > 1; ++prime) {
          if (prime * prime > n) prime = n;
          for (; n % prime == 0; n /= prime) {
            const Residues log = free(static_cast<uint64_t>(prime));
            result = result + (divided ? -log : log);
          }
        }
      };
      add_primes(static_cast<PlainInt>(value.numerator()), false);
      add_primes(static_cast<PlainInt>(value.denominator()), true);
    }
  } else if (factors != factors_.end()) {
    result = {};
    const auto [a, b] = factors->second;
    for (const LogTerm& term : {a, b})
      if (!term.coef.is_zero()) result = result + residues_of(term.coef) * formal_log(term.of.r);
  }
  formal_logs_[of] = result;
  return result;
}

}  // namespace assay::checker::identity
