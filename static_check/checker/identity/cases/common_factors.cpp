// Signs of sums whose two terms share a factor.
#include <utility>
#include <vector>

#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostProducts = 1024;
// What a sum is a multiple of may be a multiple of the sum.
constexpr int kDeepestSign = 16;

struct Deeper {
  explicit Deeper(int& at) : depth(at) { ++depth; }
  ~Deeper() { --depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  int& depth;
};

}  // namespace

void Algebra::note_factors(const Number& product, const Number& a, const Number& b) {
  if (made_of_factors_.size() >= kMostProducts) return;
  const uint64_t base = std::min(product.value.r, minus<kP>(product.value.r));
  made_of_factors_.try_emplace(base, base == product.value.r ? a : negated(a), b);
}

void Algebra::note_terms(uint64_t base, const std::vector<std::pair<uint64_t, Rational>>& terms) {
  if (terms.size() == 2 && two_terms_.size() < kMostProducts) two_terms_.try_emplace(base, terms);
}

// (a b) alpha + (c d) beta with a = c or a = -c: the sign of a, and of the sum of the others. A
// term that is no product is itself times a constant.
std::optional<Number> Algebra::sign_by_factor(uint64_t base, Meaning meaning) {
  const auto found = two_terms_.find(base);
  if (found == two_terms_.end() || sign_depth_ == kDeepestSign) return std::nullopt;
  const Deeper deeper(sign_depth_);
  const auto terms = found->second;
  struct Way {
    std::optional<Number> factor;  // a base, where it is none
    uint64_t r;
    Number rest;
  };
  const auto ways_of = [&](const std::pair<uint64_t, Rational>& term) {
    std::vector<Way> ways{{std::nullopt, term.first, exact(term.second)}};
    const auto product = made_of_factors_.find(term.first);
    if (product == made_of_factors_.end()) return ways;
    const auto [a, b] = product->second;
    ways.push_back({a, a.value.r, scaled(b, term.second)});
    ways.push_back({b, b.value.r, scaled(a, term.second)});
    return ways;
  };
  for (const Way& x : ways_of(terms[0]))
    for (const Way& y : ways_of(terms[1])) {
      const bool opposite = x.r == minus<kP>(y.r);
      if ((x.r != y.r && !opposite) || (!x.factor && !y.factor)) continue;
      const Number rest = sum({x.factor   ? x.rest
                               : opposite ? negated(x.rest)
                                          : x.rest,
                               x.factor && opposite ? negated(y.rest) : y.rest});
      const Number of_rest = sign(rest, meaning);
      const Number of_factor = sign(x.factor ? *x.factor : *y.factor, meaning);
      if (!of_rest.is_constant() || !of_factor.is_constant()) return std::nullopt;
      Number result = exact(rational(of_rest) * rational(of_factor));
      result.depends = both(of_rest.depends, of_factor.depends);
      return result;
    }
  return std::nullopt;
}

}  // namespace assay::checker::identity
