// When two sums are equal.
#include <algorithm>
#include <numeric>
#include <set>

#include "static_check/checker/arithmetic/boxes.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/arithmetic/division.h"
#include "static_check/checker/arithmetic/sums.h"
#include "static_check/checker/arithmetic/written_out.h"

namespace assay::checker {
namespace {

constexpr size_t kMostProducts = 4096;
constexpr size_t kMostExpanded = size_t{1} << 17;  // products, in one comparison
constexpr size_t kMostWrittenOut = 1024;  // products, where sums of few elements are written out
constexpr int kMostDivisions = 64;

// The product with factor `at` replaced by each product of `definition`; nullopt where a box would
// change its meaning.
std::optional<Sum> substitute(const Facts& facts, const Product& product, size_t at,
                              const Sum& definition) {
  Product rest = product;
  rest.factors.erase(rest.factors.begin() + static_cast<ptrdiff_t>(at));
  Sum result;
  for (const Product& piece : definition) {
    for (const Box& box : piece.boxes)
      if (hides(facts, rest, box.label)) return std::nullopt;
    for (const Box& box : rest.boxes)
      if (!hides(facts, rest, box.label) ? piece.factors.empty() : hides(facts, piece, box.label))
        return std::nullopt;
    Product whole = rest;
    whole.coef = rest.coef * piece.coef;
    whole.factors.insert(whole.factors.end(), piece.factors.begin(), piece.factors.end());
    whole.boxes.insert(whole.boxes.end(), piece.boxes.begin(), piece.boxes.end());
    whole.guards.insert(whole.guards.end(), piece.guards.begin(), piece.guards.end());
    result.push_back(std::move(whole));
  }
  return result;
}

// The sum without its products that cancel; empty when it is zero.
Sum cancel(const Facts& facts, const Region& region, const Sum& sum) {
  std::vector<size_t> order(sum.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sum[a].factors < sum[b].factors; });
  Sum left;
  std::vector<bool> seen(sum.size(), false);
  for (auto i = order.begin(); i != order.end(); ++i) {
    if (seen[*i]) continue;
    std::vector<Product> alike;
    for (auto j = i; j != order.end() && sum[*j].factors == sum[*i].factors; ++j) {
      if (seen[*j] || !same_maxima(sum[*j], sum[*i])) continue;
      seen[*j] = true;
      alike.push_back(sum[*j]);
    }
    if (!vanishes(facts, region, alike)) left.insert(left.end(), alike.begin(), alike.end());
  }
  return left;
}

void append(const Facts& facts, const Region& region, Sum& to, Product product,
            const Rational& scale) {
  product.coef = product.coef * scale;
  // Element base + i of an iota is base more than element i.
  for (size_t i = 0; i < product.factors.size(); ++i) {
    Factor& element = product.factors[i];
    if (facts.atom(element.atom).kind != Atom::Kind::kIota || element.index.base == 0) continue;
    Product constant = product;
    constant.factors.erase(constant.factors.begin() + static_cast<ptrdiff_t>(i));
    append(facts, region, to, std::move(constant), element.index.base);
    element.index.base = 0;
  }
  for (const Factor& factor : product.factors)
    if (facts.atom(factor.atom).kind == Atom::Kind::kIota && factor.index.steps.empty()) return;
  if (normalise(facts, region, product)) {
    cancel_reciprocals(facts, region, product);
    to.push_back(std::move(product));
  }
  if (to.size() > kMostProducts) throw Undecided{"a comparison has too many terms"};
}

constexpr int kMostEqualities = 64;  // that lemmas gave, in one comparison

// What is done to a sum beside the expansion of definitions. Factors that all its products share
// are taken out at the end in any case; taken out first, names of parts of one sum cancel before
// they are unfolded.
enum class By {
  kDefinitions,
  kCommonFactors,
  kLemmas,    // an atom that lemmas show to be equal to another is replaced by it first
  kElements,  // sums of few elements are written out: a part of one may be a part of another
};

// The sum in groups whose products have the same box on the label.
std::vector<Sum> by_box(const Sum& sum, LabelId label) {
  const auto box_of = [&](const Product& product) {
    const auto at = std::find_if(product.boxes.begin(), product.boxes.end(),
                                 [&](const Box& box) { return box.label == label; });
    return at == product.boxes.end() ? std::nullopt : std::optional(*at);
  };
  std::vector<Sum> groups;
  for (const Product& product : sum) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Sum& other) {
      return box_of(other.front()) == box_of(product);
    });
    if (group == groups.end())
      groups.push_back({product});
    else
      group->push_back(product);
  }
  return groups;
}

bool is_sum_of_few(const Facts& facts, AtomId atom) {
  return is_reduction_of_few(facts, atom, Instance::Kind::kSum);
}

// What it reads is looked at through definitions, and what it is divided by.
bool reads_sum_of_few(const Facts& facts, const Sum& sum) {
  std::vector<AtomId> pending;
  for (const Product& product : sum)
    for (const Factor& factor : product.factors) pending.push_back(factor.atom);
  std::set<AtomId> seen;
  while (!pending.empty()) {
    const AtomId atom = pending.back();
    pending.pop_back();
    if (!seen.insert(atom).second) continue;
    if (is_sum_of_few(facts, atom)) return true;
    const Instance* made = facts.definition(atom);
    if (made == nullptr || (!is_definition(facts, *made) && made->fn != "reciprocal")) continue;
    for (const Instance::Operand& operand : made->operands) pending.push_back(operand.atom);
  }
  return false;
}

bool adds_up_to_zero(const Facts& facts, const Region& region, Sum difference, By by,
                     bool is_group = false);

// Parts of a sum cannot be multiplied by a divisor that is another part of it. Apart from what is
// no part of it, they can be divided by it.
bool groups_add_up_to_zero(const Facts& facts, const Region& region, const Sum& sum, By by) {
  std::set<LabelId> labels;
  for (const Product& product : sum)
    for (const Box& box : product.boxes) labels.insert(box.label);
  return std::any_of(labels.begin(), labels.end(), [&](LabelId label) {
    const std::vector<Sum> groups = by_box(sum, label);
    return groups.size() > 1 && std::all_of(groups.begin(), groups.end(), [&](const Sum& group) {
             return adds_up_to_zero(facts, region, group, by, /*is_group=*/true);
           });
  });
}

bool adds_up_to_zero(const Facts& facts, const Region& region, Sum difference, By by,
                     bool is_group) {
  std::set<AtomId> kept;  // beside which a box would change its meaning
  int equalities = 0, divisions = 0;
  size_t expanded_so_far = 0;
  for (;;) {
    expanded_so_far += difference.size();
    if (expanded_so_far > kMostExpanded && by == By::kElements) return false;
    if (expanded_so_far > kMostExpanded) throw Undecided{"a comparison has too many terms"};
    difference = cancel(facts, region, difference);
    if (difference.empty()) return true;
    if (by == By::kCommonFactors) divide_by_common_factors(facts, difference);
    AtomId newest = kNone;
    for (const Product& product : difference)
      for (const Factor& factor : product.factors) {
        const Instance* made = facts.definition(factor.atom);
        const bool defined = (made != nullptr && is_definition(facts, *made)) ||
                             (by == By::kLemmas && facts.equal_to(factor.atom) != nullptr) ||
                             (by == By::kElements && is_sum_of_few(facts, factor.atom));
        if (defined && !kept.contains(factor.atom)) newest = std::max(newest, factor.atom);
      }
    if (newest == kNone) {
      if (divide_by_common_factors(facts, difference)) {
        kept.clear();
        continue;
      }
      auto undivided = over_common_divisor(facts, region, difference);
      if (!undivided)
        return !is_group && (divisions > 0 || has_divisor(facts, difference)) &&
               groups_add_up_to_zero(facts, region, difference, by);
      if (++divisions > kMostDivisions) return false;
      difference.clear();
      for (Product& product : *undivided) append(facts, region, difference, std::move(product), 1);
      kept.clear();
      continue;
    }
    const bool lemma = by == By::kLemmas && facts.equal_to(newest) != nullptr;
    const bool few = by == By::kElements && is_sum_of_few(facts, newest);
    if (lemma && ++equalities > kMostEqualities) return false;
    Sum expanded;
    for (const Product& product : difference) {
      const auto at = std::find_if(product.factors.begin(), product.factors.end(),
                                   [&](const Factor& factor) { return factor.atom == newest; });
      if (at == product.factors.end()) {
        expanded.push_back(product);
        continue;
      }
      const auto where = static_cast<size_t>(at - product.factors.begin());
      std::optional<Sum> pieces;
      if (few) {
        pieces = written_out(facts, region, product, where);
      } else if (const auto definition =
                     lemma ? expand_by_lemmas(facts, product, *at) : expand(facts, region, *at)) {
        pieces = substitute(facts, product, where, *definition);
      }
      if (!pieces) {
        kept.insert(newest);
        break;
      }
      if (by == By::kElements && expanded.size() + pieces->size() > kMostWrittenOut) return false;
      for (const Product& piece : *pieces) append(facts, region, expanded, piece, 1);
    }
    if (!kept.contains(newest)) difference = std::move(expanded);
  }
}

Sum difference_of(const Facts& facts, const Region& region, const Sum& a, const Sum& b) {
  Sum difference;
  for (const Product& product : a) append(facts, region, difference, product, 1);
  for (const Product& product : b) append(facts, region, difference, product, -1);
  return difference;
}

}  // namespace

bool equal(const Facts& facts, const Region& region, const Sum& a, const Sum& b) {
  Sum difference = difference_of(facts, region, a, b);
  if (adds_up_to_zero(facts, region, difference, By::kDefinitions)) return true;
  if (adds_up_to_zero(facts, region, difference, By::kCommonFactors)) return true;
  return facts.has_learned() && adds_up_to_zero(facts, region, std::move(difference), By::kLemmas);
}

bool equal_as_written(const Facts& facts, const Region& region, const Sum& a, const Sum& b) {
  return cancel(facts, region, difference_of(facts, region, a, b)).empty();
}

bool equal_in_elements(const Facts& facts, const Region& region, const Sum& a, const Sum& b) {
  if (equal(facts, region, a, b)) return true;
  Sum difference = difference_of(facts, region, a, b);
  return difference.size() <= kMostWrittenOut && reads_sum_of_few(facts, difference) &&
         adds_up_to_zero(facts, region, std::move(difference), By::kElements);
}

bool equal_unions(const Facts& facts, const Region& region, std::vector<Product> a,
                  std::vector<Product> b) {
  for (std::vector<Product>* side : {&a, &b})
    for (Product& product : *side)
      if (!normalise(facts, region, product)) return false;
  const auto alike = [&](const Product& product) {
    return product.factors == a.front().factors && product.coef.is_one() &&
           product.guards.empty() &&
           std::all_of(product.boxes.begin(), product.boxes.end(),
                       [](const Box& box) { return box.maximum; });
  };
  if (a.empty() || b.empty() || !std::all_of(a.begin(), a.end(), alike) ||
      !std::all_of(b.begin(), b.end(), alike))
    return false;
  return same_union(facts, a, b);
}

}  // namespace assay::checker
