#include "static_check/checker/arithmetic/extrema.h"

#include <algorithm>

#include "static_check/checker/arithmetic/written_out.h"

namespace assay::checker {

bool is_extremum_part(const Facts& facts, Instance::Kind kind, const Sum& sum) {
  if (sum.size() != 1 || sum[0].factors.size() != 1) return false;
  const Instance* made = facts.definition(sum[0].factors[0].atom);
  return sum[0].boxes.empty() || (made != nullptr && made->kind == kind);
}

bool is_extremum_of(const Facts& facts, const Region& region, Instance::Kind kind,
                    const Sum& claimed, const std::vector<Sum>& elements) {
  std::vector<Sum> written;
  const bool one_factor = claimed.size() == 1 && claimed[0].factors.size() == 1;
  if (one_factor && claimed[0].coef.is_one() && claimed[0].guards.empty() &&
      is_reduction_of_few(facts, claimed[0].factors[0].atom, kind)) {
    const auto products = written_out(facts, region, claimed[0], 0);
    if (!products || products->empty()) return false;
    for (const Product& product : *products) {
      if (!product.boxes.empty()) return false;
      written.push_back({product});
    }
  } else {
    written.push_back(claimed);
  }
  Sum all;
  for (const Sum& element : elements) all.insert(all.end(), element.begin(), element.end());
  check_infinities(facts, all);
  const auto among = [&](const std::vector<Sum>& some, const Sum& one) {
    return std::any_of(some.begin(), some.end(),
                       [&](const Sum& other) { return equal(facts, region, one, other); });
  };
  return std::all_of(written.begin(), written.end(),
                     [&](const Sum& one) { return among(elements, one); }) &&
         std::all_of(elements.begin(), elements.end(),
                     [&](const Sum& one) { return among(written, one); });
}

}  // namespace assay::checker
