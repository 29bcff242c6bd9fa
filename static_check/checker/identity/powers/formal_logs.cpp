// Logarithms as independent variables, but for those of products, powers and exponentials.
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
void Algebra::learn_factors(const Number& product, const LogTerm& a, const LogTerm& b) {
  if (product.is_constant()) return;
  if (factors_.try_emplace(product.value.r, a, b).second) store(1);
}

Residues Algebra::formal_log(const Residues& of) {
  if (of.r == 1) return {};
  const auto free = [&](uint64_t r) { return random_("log", std::vector<uint64_t>{1, r}); };
  if (!reading_.formal_logs) return free(of.r);
  if (const auto found = formal_logs_.find(of.r); found != formal_logs_.end()) return found->second;
  const Word word = spell(of, 0);
  Residues result = word.exponent;
  for (const Letter& letter : word.letters)
    result = result + residues_of(letter.power) * free(letter.of.r);
  const auto add_primes = [&](PlainInt n, bool divided) {
    constexpr PlainInt kMost = PlainInt{1} << 10;
    for (PlainInt prime = 2; n > 1; ++prime) {
      if (prime * prime > n || prime > kMost) prime = n;
      for (; n % prime == 0; n /= prime) {
        const Residues log = free(static_cast<uint64_t>(prime));
        result = result + (divided ? -log : log);
      }
    }
  };
  add_primes(static_cast<PlainInt>(word.constant.numerator()), false);
  add_primes(static_cast<PlainInt>(word.constant.denominator()), true);
  formal_logs_[of.r] = result;
  return result;
}

}  // namespace assay::checker::identity
