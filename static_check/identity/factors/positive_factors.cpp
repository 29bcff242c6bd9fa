#include "static_check/identity/factors/positive_factors.h"

#include "static_check/identity/residue.h"

namespace assay::identity {

Residue PositiveFactors::of(const Number& number) const {
  if (number.sign == Sign::kPositive) return number.residue;
  if (!noted_.may_hold(number.residue.value)) return {1, 1};
  const auto known = factors_.find(number.residue.value);
  return known == factors_.end() ? Residue{1, 1} : known->second;
}

void PositiveFactors::note(const Residue& number, const Residue& factor) {
  if (factors_.size() >= kMost || number.value == 0 || factor.value == 0) return;
  if (factors_.try_emplace(number.value, factor).second) noted_.add(number.value);
}

void PositiveFactors::learn_product(const Residue& product, const Number& a, const Number& b) {
  if (factors_.size() >= kMost || (!may_have(a) && !may_have(b))) return;
  for (const Number* factor : {&a, &b})
    if (factor->sign == Sign::kPositive && positive_.size() < kMost)
      positive_.try_emplace(factor->residue.value, factor->residue);
  if (a.sign == Sign::kPositive && b.sign == Sign::kPositive) return;
  const Residue factor = of(a) * of(b);
  if (factor.value != 1) note(product, factor);
}

void PositiveFactors::learn_multiple(const Residue& product, const Number& of, const Rational& by) {
  if (factors_.size() >= kMost || by.is_zero() || !may_have(of) ||
      (of.sign == Sign::kPositive && by.is_positive()))
    return;
  const Residue factor = this->of(of);
  if (factor.value != 1) note(product, factor * residue_of(by.is_negative() ? -by : by));
}

void PositiveFactors::learn_sum(const Residue& sum, const Number& a, const Number& b) {
  if (factors_.size() >= kMost || !noted_.may_hold(a.residue.value) ||
      !noted_.may_hold(b.residue.value))
    return;
  const Residue factor = of(a);
  if (factor.value != 1 && factor.value == of(b).value) note(sum, factor);
}

}  // namespace assay::identity
