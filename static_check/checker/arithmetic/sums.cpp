#include "static_check/checker/arithmetic/sums.h"

#include <algorithm>
#include <map>
#include <set>

#include "static_check/checker/arithmetic/definitions.h"

namespace assay::checker {
namespace {

constexpr size_t kManyPairs = 64;  // in a product of sums

// Parts of a sum that is compared with names made of other atoms, over all names.
constexpr size_t kMostPartsCompared = 1024;

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

std::string to_string(const Affine& x) {
  std::string text = decimal(x.base);
  for (size_t i = 0; i < x.steps.size(); ++i)
    if (x.steps[i] != 0) text += "+" + decimal(x.steps[i]) + "*i" + std::to_string(i);
  return text;
}

std::string to_string(const std::vector<Interval>& intervals) {
  std::string text;
  for (const Interval& in : intervals) text += "[" + decimal(in.lo) + "," + decimal(in.hi) + ")";
  return text;
}

// The atoms that the factors are made of, definitions unfolded.
std::set<AtomId> undefined_atoms(const Facts& facts, const Factors& factors) {
  std::set<AtomId> seen, undefined;
  std::vector<AtomId> pending;
  for (const Factor& factor : factors) pending.push_back(factor.atom);
  while (!pending.empty()) {
    const AtomId atom = pending.back();
    pending.pop_back();
    if (!seen.insert(atom).second) continue;
    const Instance* made = facts.definition(atom);
    if (made == nullptr || !is_definition(facts, *made)) {
      undefined.insert(atom);
      continue;
    }
    for (const Instance::Operand& operand : made->operands) pending.push_back(operand.atom);
  }
  return undefined;
}

// A box of the part would also restrict the other, or bounds a maximum, which is no factor.
bool loses_meaning(const Facts& facts, const Product& part, const Product& other) {
  const bool alone = other.factors.empty() && other.guards.empty();
  return std::any_of(part.boxes.begin(), part.boxes.end(), [&](const Box& box) {
    return (box.maximum && !alone) || hides(facts, other, box.label);
  });
}

// The same of one part, with its coefficient inside of the name or before it.
std::optional<Product> name_of(const Facts& facts, const Region& region, const Product& part,
                               const Sum& claimed) {
  if (const auto name = name_of(facts, region, Sum{part}, claimed)) return name;
  Product bare = part;
  bare.coef = 1;
  auto name = name_of(facts, region, Sum{bare}, claimed);
  if (name) name->coef = part.coef;
  return name;
}

// All products of two sums.
Sum products(const Facts& facts, const Region& region, const Sum& a, const Sum& b,
             const Sum& claimed) {
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

}  // namespace

bool hides(const Facts& facts, const Product& product, LabelId label) {
  return std::any_of(product.factors.begin(), product.factors.end(),
                     [&](const Factor& factor) { return facts.hides(factor.atom, label); });
}

std::optional<Product> name_of(const Facts& facts, const Region& region, const Sum& sum,
                               const Sum& claimed) {
  Factors pending;
  for (const Product& product : claimed)
    pending.insert(pending.end(), product.factors.begin(), product.factors.end());
  std::set<Factor> seen;
  Factors names;
  while (!pending.empty()) {
    const Factor factor = pending.back();
    pending.pop_back();
    const Instance* made = facts.definition(factor.atom);
    if (made == nullptr || !seen.insert(factor).second) continue;
    const bool is_name = made->kind == Instance::Kind::kCombine;
    if (!is_name && made->kind != Instance::Kind::kMul) continue;
    const Sum inside = *expand(facts, region, factor);
    if (is_name && equal_as_written(facts, region, sum, inside))
      return Product{1, {factor}, {}, {}};
    if (is_name) names.push_back(factor);
    for (const Product& product : inside)
      pending.insert(pending.end(), product.factors.begin(), product.factors.end());
  }
  if (names.empty()) return std::nullopt;
  Factors all;
  for (const Product& product : sum)
    all.insert(all.end(), product.factors.begin(), product.factors.end());
  const std::set<AtomId> made_of = undefined_atoms(facts, all);
  const auto other = std::stable_partition(names.begin(), names.end(), [&](const Factor& factor) {
    return undefined_atoms(facts, {factor}) == made_of;
  });
  const auto others =
      static_cast<std::ptrdiff_t>(kMostPartsCompared / std::max<size_t>(sum.size(), 1));
  if (names.end() - other > others) names.erase(other + others, names.end());
  for (const Factor& factor : names) {
    const Product name{1, {factor}, {}, {}};
    if (equal(facts, region, sum, {name})) return name;
  }
  return std::nullopt;
}

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
  if (a.size() * b.size() > kManyPairs) {  // of which a proof may give products of names
    for (const auto& [longer, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      if (longer->size() < 2 || longer->size() < other->size()) continue;
      if (has_infinities(*longer) || has_unwritten(*longer)) continue;
      if (const auto name = name_of(facts, region, *longer, claimed))
        return multiply(facts, region, {*name}, *other, claimed);
    }
  }
  try {
    return products(facts, region, a, b, claimed);
  } catch (const RationalOverflow&) {  // the claim may keep coefficients in names
    const auto left = name_of(facts, region, a, claimed),
               right = name_of(facts, region, b, claimed);
    if ((!left && !right) || has_infinities(a) || has_infinities(b) || has_unwritten(a) ||
        has_unwritten(b))
      throw;
    return products(facts, region, left ? Sum{*left} : a, right ? Sum{*right} : b, claimed);
  }
}

Product multiply(const Facts& facts, const Product& a, const Product& b) {
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    for (const Box& box : x->boxes) {
      if (hides(facts, *y, box.label))
        throw Rejection{"a part of a sum times the same sum: " + to_string({*x}) + " times " +
                        to_string({*y})};
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

std::string to_string(const Sum& sum) {
  if (sum.empty()) return "0";
  std::string text;
  for (const Product& product : sum) {
    if (!text.empty()) text += " + ";
    text += assay::to_string(product.coef);
    for (const Factor& factor : product.factors)
      text += "*a" + std::to_string(factor.atom) + "[" + to_string(factor.index) + "]";
    for (const Box& box : product.boxes)
      text += "|label " + std::to_string(box.label) + " / " + decimal(box.stride) + " % " +
              decimal(box.radix) + " in " + to_string(box.in);
    for (const Guard& guard : product.guards)
      text += "|a" + std::to_string(guard.element.atom) + "[" + to_string(guard.element.index) +
              "] in " + to_string(guard.in);
  }
  return text;
}

}  // namespace assay::checker
