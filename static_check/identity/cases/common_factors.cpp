// The sign of a sum whose terms have a factor in common: that of r a - c a is those of a and of
// r - c, which comparisons decide elsewhere (PPO's clipped objective as a choice by the sign of the
// advantage).
#include <array>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

constexpr size_t kMostProducts = 1024;
// A sum may be a multiple of a part of itself.
constexpr int kMostNested = 16;

class NestedSign {
 public:
  explicit NestedSign(int& depth) : depth_(depth) { ++depth_; }
  ~NestedSign() { --depth_; }
  NestedSign(const NestedSign&) = delete;
  NestedSign& operator=(const NestedSign&) = delete;

 private:
  int& depth_;
};

}  // namespace

void Algebra::note_product(const Number& product, const Number& a, const Number& b) {
  if (products_.size() < kMostProducts) products_.try_emplace(product.residue.value, a, b);
}

void Algebra::note_sum(const Residue& sum, const AffineView& x, const AffineView& y) {
  if (two_terms_.size() < kMostProducts) two_terms_.try_emplace(sum.value, x, y);
}

// The ways in which a term is a factor times a number: the factor, which is no constant, and that.
std::vector<std::pair<Number, Number>> Algebra::factors_of_term(const AffineView& term) {
  std::vector<std::pair<Number, Number>> ways{{Number{term.of}, constant(term.scale)}};
  if (const auto known = products_.find(term.of.value); known != products_.end()) {
    const auto [a, b] = known->second;
    ways.emplace_back(a, scaled(b, term.scale));
    ways.emplace_back(b, scaled(a, term.scale));
  }
  return ways;
}

std::optional<int> Algebra::sign_by_factor(const Residue& sum, Cases::Use use) {
  const auto found = two_terms_.find(sum.value);
  if (found == two_terms_.end() || nested_signs_ == kMostNested) return std::nullopt;
  const NestedSign nested(nested_signs_);
  const std::pair<AffineView, AffineView> terms = found->second;
  for (const auto& [left, x] : factors_of_term(terms.first))
    for (const auto& [right, y] : factors_of_term(terms.second)) {
      if (left.residue.value != right.residue.value) continue;
      const Number rest = add(x, y);
      if (!rest.is_finite()) return std::nullopt;
      const int of_rest = sign(rest, use);
      return of_rest == 0 ? 0 : of_rest * sign(left, use);
    }
  return std::nullopt;
}

}  // namespace assay::identity
