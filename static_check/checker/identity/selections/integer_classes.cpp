// Comparisons of one integer with several constants depend on which of these it is, or between
// which of them it lies: that is a selection of one integer of each kind.
#include <algorithm>

#include "shared_ir/cast.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {

std::optional<Number> Algebra::compared_by_class(const Number& a, const Number& b, bool greater) {
  constexpr size_t kMostPoints = 16;
  const bool second = b.is_constant();
  const Number &integer = second ? a : b, &other = second ? b : a;
  if (!other.is_constant() || integer.is_constant() || !integer.is_finite() ||
      !is_integer_type(integer.type) || !rational(other).is_integer() ||
      tables_.contains({integer.type, integer.value.r}))
    return std::nullopt;
  PlainInt point = 0;
  try {
    point = static_cast<PlainInt>(rational(other).numerator());
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
  ComparedInteger& compared = integers_compared_[{integer.type, integer.value.r}];
  if (compared.asked.emplace(point, greater).second)
    learned_late_ = learned_late_ || compared.asked.size() > 1;
  compared.points.insert(point);
  // Where it is only less or greater, these flags say enough.
  const bool any_equal =
      std::ranges::any_of(compared.asked, [](const auto& one) { return !one.second; });
  if (!any_equal || compared.asked.size() < 2 || compared.points.size() > kMostPoints)
    return std::nullopt;

  const auto [least, most] = integer_range(static_cast<DType>(integer.type));
  std::set<PlainInt> kinds;
  std::vector<uint64_t> keys{static_cast<uint64_t>(integer.type), integer.value.r};
  for (const PlainInt each : compared.points) {
    keys.push_back(static_cast<uint64_t>(each));
    kinds.insert(each);
    // Of neighbours that are no points one is enough, but two do no harm: both compare alike.
    if (each > least) kinds.insert(each - 1);
    if (each < most) kinds.insert(each + 1);
  }
  const Residues kind = random_("kind of integer", keys);
  if (!selections_.contains(kind.r)) {
    Selection selection;
    selection.ranking.index = kind;
    for (const PlainInt each : kinds) {
      selection.values.push_back(exact(Rational(each), integer.type));
      selection.ranking.members.push_back({selection.values.back().value});
    }
    selection.ranking.marks = std::make_shared<const Marks>(marks_of(selection.ranking));
    selections_.try_emplace(kind.r, std::move(selection));
  }
  const Number index = ordinary(kind, integer.type);
  return member_by_member({&index, 1}, kFlag, [&](std::span<const Number> x) {
    const Number &left = second ? x[0] : a, &right = second ? b : x[0];
    return std::optional(greater ? this->greater(left, right) : equal(left, right));
  });
}

}  // namespace assay::checker::identity
