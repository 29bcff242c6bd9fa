#include "static_check/identity/cases/ties.h"

#include <algorithm>

#include "static_check/identity/number.h"

namespace assay::identity {

LinearForm combined(const LinearForm& x, const Rational& a, const LinearForm& y,
                    const Rational& b) {
  constexpr size_t kMostTerms = 4;
  if (x.empty() || y.empty()) return {};
  LinearForm sum;
  try {
    for (const auto& [input, coefficient] : x) sum.emplace_back(input, coefficient * a);
    for (const auto& [input, coefficient] : y) {
      const auto at = std::ranges::lower_bound(sum, input, {}, &std::pair<Input, Rational>::first);
      if (at == sum.end() || at->first != input)
        sum.insert(at, {input, coefficient * b});
      else
        at->second = at->second + coefficient * b;
    }
  } catch (const RationalOverflow&) {
    return {};
  }
  std::erase_if(sum, [](const auto& term) { return term.second.is_zero(); });
  return sum.size() <= kMostTerms ? sum : LinearForm{};
}

void Ties::meet(const LinearForm& form, const Rational& threshold, bool at_ties) {
  constexpr size_t kMostOfOne = 16, kMostBeside = 8;
  std::vector<Tie>& known = ties_[form.back().first];
  Tie tie;
  try {
    const Rational by = Rational(1) / form.back().second;
    tie.offset = threshold * by;
    for (size_t i = 0; i + 1 < form.size(); ++i)
      tie.sum.emplace_back(form[i].first, -(form[i].second * by));
  } catch (const RationalOverflow&) {
    throw NotRepresented{"a long constant"};
  }
  if (std::ranges::find(known, tie) != known.end()) return;
  if (at_ties && known.size() >= kMostBeside) return;
  if (known.size() == kMostOfOne) throw NotRepresented{"too many constants to compare with"};
  known.push_back(std::move(tie));
  most_ = std::max(most_, known.size());
  changed_ = true;
}

const std::vector<Ties::Tie>& Ties::of(const Input& input) const {
  static const std::vector<Tie> none;
  const auto known = ties_.find(input);
  return known == ties_.end() ? none : known->second;
}

}  // namespace assay::identity
