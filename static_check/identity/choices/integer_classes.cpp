// Comparisons of an integer with constants, of which no more is known: it is one of these, or lies
// between two of them. For each there is an integer that stands for it: t == 0 excludes t == 3.
#include <algorithm>

#include "shared_ir/cast.h"
#include "static_check/identity/functions.h"

namespace assay::identity {
namespace {

constexpr size_t kMostPoints = 16;

// One for each of the points, and for each interval beside them that holds integers of the type.
std::vector<int64_t> representatives(const std::set<int64_t>& points, DType of) {
  const auto [least, greatest] = integer_range(of);
  std::vector<int64_t> values;
  for (const int64_t point : points) {
    if (point > least && (values.empty() || values.back() < point - 1)) values.push_back(point - 1);
    values.push_back(point);
    if (point < greatest && !points.contains(point + 1)) values.push_back(point + 1);
  }
  return values;
}

}  // namespace

std::optional<Number> Functions::compare_by_class(bool equal, const Number& a, const Number& b,
                                                  DType of) {
  const Rational* known = algebra_.constant_of(b);
  const bool second = known != nullptr;
  const Number& integer = second ? a : b;
  if (!second) known = algebra_.constant_of(a);
  if (algebra_.cases() != nullptr || known == nullptr || !known->is_integer() ||
      !known->fits(INT64_MAX) || !integer.is_finite())
    return std::nullopt;
  const std::pair key{of, algebra_.key(integer)};
  if (ranges_.contains(key)) return std::nullopt;
  IntegerClasses& classes = classes_[key];
  const int64_t point = known->numerator();
  // What was compared before was not told apart by this.
  if (classes.asked.emplace(point, equal).second) learned_late_ |= classes.asked.size() > 1;
  classes.points.insert(point);
  // Bounds alone, such as those of a mask by lengths, are simpler as flags of their own.
  const bool any_equal =
      std::ranges::any_of(classes.asked, [](const auto& one) { return one.second; });
  if (!any_equal || classes.asked.size() < 2 || classes.points.size() > kMostPoints)
    return std::nullopt;
  std::vector<uint64_t> keys{static_cast<uint64_t>(of), key.second};
  for (const int64_t each : classes.points) keys.push_back(static_cast<uint64_t>(each));
  const std::vector<int64_t> values = representatives(classes.points, of);
  const Number choice =
      algebra_.choice_of_values(algebra_.random("class of an integer", keys), values);
  return algebra_.each_choice({&choice, 1}, [&](std::span<const Number> x) {
    return std::optional(second ? compare(equal ? "eq" : "gt", x[0], b, of)
                                : compare(equal ? "eq" : "gt", a, x[0], of));
  });
}

}  // namespace assay::identity
