#include "static_check/checker/sums.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "static_check/checker/boxes.h"
#include "static_check/checker/definitions.h"
#include "static_check/checker/division.h"

namespace assay::checker {
namespace {

constexpr size_t kMostProducts = 4096;
constexpr size_t kMostExpanded = size_t{1} << 17;  // products, in one comparison
constexpr int kMostDivisions = 64;

bool is_infinite(const Facts& facts, const Product& product) {
  return std::any_of(product.factors.begin(), product.factors.end(), [&](const Factor& factor) {
    const Atom::Kind kind = facts.atom(factor.atom).kind;
    return kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan;
  });
}

bool is_unwritten(const Facts& facts, const Product& product) {
  return std::any_of(product.factors.begin(), product.factors.end(),
                     [&](const Factor& factor) { return facts.unwritten(factor.atom); });
}

bool hides(const Facts& facts, const Product& product, LabelId label) {
  return std::any_of(product.factors.begin(), product.factors.end(),
                     [&](const Factor& factor) { return facts.hides(factor.atom, label); });
}

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
Sum cancel(const Facts& facts, const Sum& sum) {
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
    if (!vanishes(facts, alike)) left.insert(left.end(), alike.begin(), alike.end());
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

std::string to_string(const Affine& x) {
  std::string text = std::to_string(x.base);
  for (size_t i = 0; i < x.steps.size(); ++i)
    if (x.steps[i] != 0) text += "+" + std::to_string(x.steps[i]) + "*i" + std::to_string(i);
  return text;
}

std::string to_string(const std::vector<Interval>& intervals) {
  std::string text;
  for (const Interval& in : intervals)
    text += "[" + std::to_string(in.lo) + "," + std::to_string(in.hi) + ")";
  return text;
}

}  // namespace

namespace {

// A box of the part would also restrict the other, or bounds a maximum, which is no factor.
bool loses_meaning(const Facts& facts, const Product& part, const Product& other) {
  const bool alone = other.factors.empty() && other.guards.empty();
  return std::any_of(part.boxes.begin(), part.boxes.end(), [&](const Box& box) {
    return (box.maximum && !alone) || hides(facts, other, box.label);
  });
}

// A name among the factors of the claim, products and names unfolded, that equals the part.
std::optional<Product> name_of(const Facts& facts, const Region& region, const Product& part,
                               const Sum& claimed) {
  Factors pending;
  for (const Product& product : claimed)
    pending.insert(pending.end(), product.factors.begin(), product.factors.end());
  while (!pending.empty()) {
    const Factor factor = pending.back();
    pending.pop_back();
    const Instance* made = facts.definition(factor.atom);
    if (made == nullptr) continue;
    const bool is_name = made->kind == Instance::Kind::kCombine;
    if (!is_name && made->kind != Instance::Kind::kMul) continue;
    const Product name{1, {factor}, {}, {}};
    if (is_name && equal(facts, region, {part}, {name})) return name;
    const Sum inside = *expand(facts, region, factor);
    for (const Product& product : inside)
      pending.insert(pending.end(), product.factors.begin(), product.factors.end());
  }
  return std::nullopt;
}

}  // namespace

Sum multiply(const Facts& facts, const Region& region, const Sum& a, const Sum& b,
             const Sum& claimed) {
  const auto has_infinities = [&](const Sum& side) {
    return std::any_of(side.begin(), side.end(),
                       [&](const Product& product) { return is_infinite(facts, product); });
  };
  if ((a.empty() && has_infinities(b)) || (b.empty() && has_infinities(a)))
    throw Rejection{"an infinite constant times 0"};
  const auto has_unwritten = [&](const Sum& side) {
    return std::any_of(side.begin(), side.end(),
                       [&](const Product& product) { return is_unwritten(facts, product); });
  };
  if ((a.empty() && has_unwritten(b)) || (b.empty() && has_unwritten(a)))
    throw Rejection{"0 times memory that nothing has written"};
  Sum sum;
  for (const Product& x : a) {
    for (const Product& y : b) {
      std::optional<Product> left, right;
      if (loses_meaning(facts, x, y)) left = name_of(facts, region, x, claimed);
      if (loses_meaning(facts, y, left.value_or(x))) right = name_of(facts, region, y, claimed);
      sum.push_back(multiply(facts, left.value_or(x), right.value_or(y)));
    }
  }
  return sum;
}

Product multiply(const Facts& facts, const Product& a, const Product& b) {
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    for (const Box& box : x->boxes) {
      if (hides(facts, *y, box.label)) throw Rejection{"a part of a sum times the same sum"};
      if (box.maximum && !(y->factors.empty() && y->guards.empty()))
        throw Rejection{"a part of a maximum in a product"};
    }
    if (is_infinite(facts, *x) && !(y->factors.empty() && y->guards.empty()))
      throw Rejection{"a product with an infinite constant"};
  }
  Product product = a;
  product.coef = a.coef * b.coef;
  product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
  product.boxes.insert(product.boxes.end(), b.boxes.begin(), b.boxes.end());
  product.guards.insert(product.guards.end(), b.guards.begin(), b.guards.end());
  return product;
}

void check_infinities(const Facts& facts, const Sum& sum) {
  bool positive = false, negative = false;
  for (const Product& product : sum)
    for (const Factor& factor : product.factors) {
      const Atom::Kind kind = facts.atom(factor.atom).kind;
      if (kind == Atom::Kind::kNan) throw Rejection{"arithmetic with a NaN constant"};
      if (kind != Atom::Kind::kInfinity) continue;
      if (product.coef.is_zero()) throw Rejection{"an infinite constant times 0"};
      (product.coef.is_positive() ? positive : negative) = true;
    }
  if (positive && negative) throw Rejection{"a sum of infinities of opposite sign"};
  std::map<AtomId, bool> signs;
  for (const Product& product : sum)
    for (const Factor& factor : product.factors) {
      if (!facts.unwritten(factor.atom)) continue;
      const bool same = signs.emplace(factor.atom, product.coef.is_positive()).first->second ==
                        product.coef.is_positive();
      if (!same || product.coef.is_zero())
        throw Rejection{"a difference of what nothing has written"};
    }
}

namespace {

constexpr int kMostEqualities = 64;  // that lemmas gave, in one comparison

// What is done to a sum beside the expansion of definitions. Factors that all its products share
// are taken out at the end in any case; taken out first, names of parts of one sum cancel before
// they are unfolded.
enum class By {
  kDefinitions,
  kCommonFactors,
  kLemmas,  // an atom that lemmas show to be equal to another is replaced by it first
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
    if (expanded_so_far > kMostExpanded) throw Undecided{"a comparison has too many terms"};
    difference = cancel(facts, difference);
    if (difference.empty()) return true;
    if (by == By::kCommonFactors) divide_by_common_factors(facts, difference);
    AtomId newest = kNone;
    for (const Product& product : difference)
      for (const Factor& factor : product.factors) {
        const Instance* made = facts.definition(factor.atom);
        const bool defined = (made != nullptr && is_definition(facts, *made)) ||
                             (by == By::kLemmas && facts.equal_to(factor.atom) != nullptr);
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
    if (lemma && ++equalities > kMostEqualities) return false;
    Sum expanded;
    for (const Product& product : difference) {
      const auto at = std::find_if(product.factors.begin(), product.factors.end(),
                                   [&](const Factor& factor) { return factor.atom == newest; });
      if (at == product.factors.end()) {
        expanded.push_back(product);
        continue;
      }
      const auto definition =
          lemma ? expand_by_lemmas(facts, product, *at) : expand(facts, region, *at);
      std::optional<Sum> pieces;
      if (definition)
        pieces = substitute(facts, product, static_cast<size_t>(at - product.factors.begin()),
                            *definition);
      if (!pieces) {
        kept.insert(newest);
        break;
      }
      for (const Product& piece : *pieces) append(facts, region, expanded, piece, 1);
    }
    if (!kept.contains(newest)) difference = std::move(expanded);
  }
}

}  // namespace

bool equal(const Facts& facts, const Region& region, const Sum& a, const Sum& b) {
  Sum difference;
  for (const Product& product : a) append(facts, region, difference, product, 1);
  for (const Product& product : b) append(facts, region, difference, product, -1);
  if (adds_up_to_zero(facts, region, difference, By::kDefinitions)) return true;
  if (adds_up_to_zero(facts, region, difference, By::kCommonFactors)) return true;
  return facts.has_learned() && adds_up_to_zero(facts, region, std::move(difference), By::kLemmas);
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

std::string to_string(const Sum& sum) {
  if (sum.empty()) return "0";
  std::string text;
  for (const Product& product : sum) {
    if (!text.empty()) text += " + ";
    text += assay::to_string(product.coef);
    for (const Factor& factor : product.factors)
      text += "*a" + std::to_string(factor.atom) + "[" + to_string(factor.index) + "]";
    for (const Box& box : product.boxes)
      text += "|label " + std::to_string(box.label) + " / " + std::to_string(box.stride) + " % " +
              std::to_string(box.radix) + " in " + to_string(box.in);
    for (const Guard& guard : product.guards)
      text += "|a" + std::to_string(guard.element.atom) + "[" + to_string(guard.element.index) +
              "] in " + to_string(guard.in);
  }
  return text;
}

}  // namespace assay::checker
