// Reductions. Each part of the reduced coordinates, seen through the instance that the claim names,
// becomes a box of the instance's labels; the arithmetic of boxes then decides whether they are
// what is claimed.
#include <algorithm>
#include <numeric>
#include <set>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/arithmetic/extrema.h"
#include "static_check/checker/arithmetic/written_out.h"
#include "static_check/checker/operators.h"
#include "static_check/checker/reduction/classes.h"
#include "static_check/checker/reduction/indicators.h"
#include "static_check/checker/reduction/products.h"
#include "static_check/checker/reduction/reduced_labels.h"
#include "static_check/checker/reduction/reduced_names.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

Instance::Kind kind_of(Prim prim) {
  if (prim == Prim::kReduceSum) return Instance::Kind::kSum;
  return prim == Prim::kReduceMax ? Instance::Kind::kMax : Instance::Kind::kMin;
}

// The same in every part that is reduced, such as minus infinity: an extremum of it is itself.
bool is_one_value(const Sum& reduced) {
  const Product& first = reduced.front();
  return std::all_of(reduced.begin(), reduced.end(), [&](const Product& part) {
    return part.coef == first.coef && part.factors == first.factors && part.boxes.empty() &&
           part.guards.empty();
  });
}

// What a product that is summed is read as.
enum class SummedAs {
  kProducts,       // the sums of products that the claim names
  kSumsOfFactors,  // products of sums before these: the sum of the products may be another part's
  kSelectedTerms,  // beside a one-hot, the sum of what it selects of each term of a name
};

class ReductionCheck {
 public:
  explicit ReductionCheck(const Step& step) : step_(step), kind_(kind_of(step.op().prim)) {
    const Shape& from = step.operand_op(0).shape;
    for (size_t d = 0; d < from.size(); ++d)
      if (std::find(step.op().ints.begin(), step.op().ints.end(), static_cast<Int>(d)) !=
          step.op().ints.end())
        reduced_.push_back(d);
  }

  void run() {
    for_each_region(region_of(step_.op().shape), 0, [&](const Region& outer) {
      const Sum claimed = as_sum(element_at(outer, step_.claim(), outer.coords));
      candidates_ = instances_in(claimed);
      claimed_atoms_.clear();
      for (const Product& product : claimed)
        for (const Factor& factor : product.factors) claimed_atoms_.insert(factor.atom);
      summed_as_ = SummedAs::kProducts;
      Shape extents;
      for (const size_t d : reduced_) extents.push_back(step_.operand_op(0).shape[d]);
      if (!is_the_one_element(outer, extents, claimed)) {
        try {
          check_parts(outer, extents, claimed);
        } catch (const Rejection&) {
          const bool adds = kind_ == Instance::Kind::kSum;
          const bool otherwise =
              adds && ((candidates_.size() > 1 &&
                        reduces_as(SummedAs::kSumsOfFactors, outer, extents, claimed)) ||
                       reduces_as(SummedAs::kSelectedTerms, outer, extents, claimed));
          if (!otherwise && !reduces_elements(outer, extents, claimed)) throw;
        }
      }
      ++step_.probes;
    });
  }

 private:
  // The claim is what the parts of the reduced coordinates make, seen through the instances that it
  // names.
  void check_parts(const Region& outer, const Shape& extents, const Sum& claimed) const {
    Sum reduced;
    bool zeros = false;  // among what is reduced
    for_each_region(region_of(extents, outer), outer.sizes.size(), [&](const Region& inner) {
      const Sum part = reduce_part(outer, inner);
      zeros |= part.empty();
      reduced.insert(reduced.end(), part.begin(), part.end());
    });
    check_infinities(step_.facts, reduced);
    const bool adds = kind_ == Instance::Kind::kSum || (zeros && reduced.empty());
    if (!adds && zeros) throw Rejection{"an extremum of zeros and other values"};
    const bool one_value = !adds && is_one_value(reduced);
    if (one_value) reduced.resize(1);
    const bool same = adds || one_value ? equal(step_.facts, outer, claimed, reduced)
                                        : equal_unions(step_.facts, outer, claimed, reduced);
    if (!same) reject_difference(outer.coords, claimed, reduced);
  }

  // The same with products read in another way.
  bool reduces_as(SummedAs summed_as, const Region& outer, const Shape& extents,
                  const Sum& claimed) {
    summed_as_ = summed_as;
    try {
      check_parts(outer, extents, claimed);
    } catch (const Rejection&) {
      return false;
    }
    return true;
  }

  // The same where that is not seen, of few elements: one by one.
  bool reduces_elements(const Region& outer, const Shape& extents, const Sum& claimed) const {
    Int count = 1;
    for (const Int size : extents) {
      if (size == 0 || size > kFewElements) return false;
      count *= size;
      if (count > kFewElements) return false;
    }
    std::vector<Sum> elements;
    for (Int element = 0; element < count; ++element) {
      Region inner = outer;
      Int rest = element;
      for (const Int size : extents) {
        inner.sizes.push_back(1);
        inner.coords.push_back({rest % size, {}});
        rest /= size;
      }
      elements.push_back(operand_at(inner));
    }
    if (kind_ != Instance::Kind::kSum)
      return is_extremum_of(step_.facts, outer, kind_, claimed, elements);
    Sum summed;
    for (const Sum& element : elements) summed.insert(summed.end(), element.begin(), element.end());
    check_infinities(step_.facts, summed);
    return equal_in_elements(step_.facts, outer, claimed, summed);
  }

  // The reducing instances that a claim names, through its definitions and products.
  std::set<const Instance*> instances_in(const Sum& claimed) const {
    std::set<const Instance*> found;
    std::set<AtomId> seen;
    std::vector<AtomId> pending;
    for (const Product& product : claimed)
      for (const Factor& factor : product.factors) pending.push_back(factor.atom);
    while (!pending.empty()) {
      const AtomId atom = pending.back();
      pending.pop_back();
      const Instance* made = step_.facts.definition(atom);
      if (made == nullptr || !seen.insert(atom).second) continue;
      if (made->kind == kind_) found.insert(made);
      if (made->kind == Instance::Kind::kCombine || made->kind == Instance::Kind::kCat ||
          made->kind == Instance::Kind::kMul)
        for (const Instance::Operand& operand : made->operands) pending.push_back(operand.atom);
    }
    return found;
  }

  // A reduction of one element is that element.
  bool is_the_one_element(const Region& outer, const Shape& extents, const Sum& claimed) const {
    if (std::any_of(extents.begin(), extents.end(), [](Int size) { return size != 1; }))
      return false;
    bool same = true;
    for_each_region(region_of(extents, outer), outer.sizes.size(), [&](const Region& inner) {
      same = same && equal(step_.facts, inner, claimed, operand_at(inner));
    });
    return same;
  }

  Sum operand_at(const Region& inner) const {
    const size_t kept = step_.op().shape.size();
    std::vector<Affine> coords;
    size_t next_kept = 0, next_reduced = kept;
    for (size_t d = 0; d < step_.operand_op(0).shape.size(); ++d) {
      const bool is_reduced = std::find(reduced_.begin(), reduced_.end(), d) != reduced_.end();
      coords.push_back(inner.coords[is_reduced ? next_reduced++ : next_kept++]);
    }
    return as_sum(element_at(inner, step_.operand(0), coords));
  }

  Sum reduce_part(const Region& outer, const Region& inner) const {
    Sum operand = operand_at(inner);
    if (const auto whole = as_integer_map(outer, inner, operand)) operand = {*whole};
    if (kind_ != Instance::Kind::kSum) operand = names_.as_one_term(inner, operand);
    if (summed_as_ == SummedAs::kSelectedTerms) operand = selected(outer, inner, operand);
    Sum reduced;
    for (const Product& product : operand) {
      const Sum parts = reduce_named(outer, inner, product);
      reduced.insert(reduced.end(), parts.begin(), parts.end());
    }
    return reduced;
  }

  // A name is reduced as such, or by what it names.
  Sum reduce_named(const Region& outer, const Region& inner, const Product& product) const {
    try {
      return {reduce_rest(outer, inner, summand(outer, inner, product))};
    } catch (const Rejection&) {
      const auto parts =
          kind_ == Instance::Kind::kSum ? names_.parts_of(inner, product) : std::nullopt;
      if (!parts) throw;
      Sum reduced;
      for (const Product& part : *parts)
        reduced.push_back(reduce_rest(outer, inner, summand(outer, inner, part)));
      return reduced;
    }
  }

  // With names beside one-hots written out, but what the claim itself names, or names the sum of.
  Sum selected(const Region& outer, const Region& inner, const Sum& operand) const {
    Sum result;
    for (const Product& product : operand) {
      const bool is_claimed = product.factors.size() == 1 &&
                              claimed_atoms_.contains(product.factors[0].atom) &&
                              !product.factors[0].index.depends_beyond(outer.sizes.size());
      const auto is_summed = [&](const Product& one) {
        return one.factors.size() > 1 && named_product(inner, one).has_value();
      };
      const Sum terms =
          is_claimed ? Sum{product} : selected_terms(step_.facts, inner, {product}, is_summed);
      result.insert(result.end(), terms.begin(), terms.end());
    }
    return result;
  }

  // Pieces of an integer map that vary along the reduction, as the one atom that the claim reduces.
  std::optional<Product> as_integer_map(const Region& outer, const Region& inner,
                                        const Sum& operand) const {
    if (std::none_of(operand.begin(), operand.end(),
                     [&](const Product& product) { return has_varying_guard(outer, product); }))
      return std::nullopt;
    for (const Instance* candidate : candidates_) {
      const AtomId atom = candidate->operands[0].atom;
      const Instance* made = step_.facts.definition(atom);
      if (made == nullptr || step_.facts.pieces_of(*made) == nullptr) continue;
      if (auto whole = as_element(step_.facts, inner, operand, atom)) return whole;
    }
    return std::nullopt;
  }

  // What a sum over `inner` adds up: a guard that varies along it is a factor of what the claim's
  // sum reads, a part of a maximum the name that it reads.
  Product summand(const Region& outer, const Region& inner, const Product& product) const {
    if (kind_ != Instance::Kind::kSum) return product;
    const bool maximum = std::any_of(product.boxes.begin(), product.boxes.end(),
                                     [](const Box& box) { return box.maximum; });
    if (!maximum && !has_varying_guard(outer, product)) return product;
    Product inside = product;  // what the sum reads; other guards stay outside
    if (!maximum)
      std::erase_if(inside.guards, [&](const Guard& guard) { return !varies(outer, guard); });
    for (const Instance* candidate : candidates_) {
      auto element = maximum ? names_.named(inner, product, candidate->operands[0].atom)
                             : as_element(step_.facts, inner, inside, candidate->operands[0].atom);
      if (!element) continue;
      for (const Guard& guard : product.guards)
        if (!maximum && !varies(outer, guard)) element->guards.push_back(guard);
      return *element;
    }
    return product;
  }

  // Along what is reduced.
  static bool varies(const Region& outer, const Guard& guard) {
    return guard.element.index.depends_beyond(outer.sizes.size());
  }

  static bool has_varying_guard(const Region& outer, const Product& product) {
    return std::any_of(product.guards.begin(), product.guards.end(),
                       [&](const Guard& guard) { return varies(outer, guard); });
  }

  // The sum of what its guards select of a product: factors that are the same for all that is
  // summed multiply the sum of the others. nullopt where there are none.
  std::optional<Product> reduce_scaled(const Region& outer, const Region& inner,
                                       const Product& product) const {
    if (kind_ != Instance::Kind::kSum) return std::nullopt;
    Factors factors = factors_of(step_.facts, inner, product.factors);
    const auto scales = std::stable_partition(
        factors.begin(), factors.end(),
        [&](const Factor& factor) { return factor.index.depends_beyond(outer.sizes.size()); });
    const Product scale{1, {scales, factors.end()}, {}, {}};
    factors.erase(scales, factors.end());
    if (scale.factors.empty() || factors.empty()) return std::nullopt;
    for (const Factor& factor : scale.factors)
      if (!step_.facts.atom(factor.atom).hidden.empty()) return std::nullopt;
    Product rest = product;
    rest.factors = std::move(factors);
    Product named = summand(outer, inner, rest);
    if (named.factors.size() > 1)
      if (auto known = named_product(inner, named)) named = std::move(*known);
    if (named.factors.size() != 1 || has_varying_guard(outer, named)) return std::nullopt;
    return multiply(step_.facts, scale, reduce(outer, inner, named));
  }

  // Where a one-hot is added up over its classes; nullopt where there is none.
  std::optional<Product> reduce_classes(const Region& outer, const Region& inner,
                                        const Product& product) const {
    if (kind_ != Instance::Kind::kSum) return std::nullopt;
    const auto beside = sum_over_classes(step_.facts, outer.sizes.size(), inner, product);
    if (!beside) return std::nullopt;
    return beside->product.coef.is_zero() ? beside->product
                                          : reduce_rest(outer, beside->region, beside->product);
  }

  // Several factors are one: the product of which the claim names the sum, or none of them moves.
  Product reduce_rest(const Region& outer, const Region& inner, const Product& product) const {
    if (const auto beside = reduce_classes(outer, inner, product)) return *beside;
    if (product.factors.size() < 2) return reduce(outer, inner, product);
    const bool moves = std::any_of(
        product.factors.begin(), product.factors.end(),
        [&](const Factor& factor) { return factor.index.depends_beyond(outer.sizes.size()); });
    if (moves) {
      if (const auto named = named_product(inner, product)) return reduce(outer, inner, *named);
      if (const auto sum = reduce_scaled(outer, inner, product)) return *sum;
      throw Rejection{"a reduction of a product"};
    }
    if (summed_as_ == SummedAs::kSelectedTerms) {
      try {
        if (const auto named = named_product(inner, product)) {
          Product part = reduce(outer, inner, *named);
          const Instance* made = step_.facts.definition(part.factors.front().atom);
          if (made != nullptr && made->kind == kind_) return part;
        }
      } catch (const Rejection&) {  // no part of a sum
      }
    }
    Product result =
        summed_as_ == SummedAs::kSelectedTerms ? with_guards(step_.facts, inner, product) : product;
    for (size_t i = outer.sizes.size(); i < inner.sizes.size(); ++i)
      result.coef = result.coef * Rational(inner.sizes[i]);
    return result;
  }

  // A product of several factors as the one that the claim reduces.
  std::optional<Product> named_product(const Region& inner, const Product& product) const {
    for (const Instance* candidate : candidates_) {
      const AtomId atom = candidate->operands[0].atom;
      const Instance* made = step_.facts.definition(atom);
      if (made == nullptr || made->kind != Instance::Kind::kMul) continue;
      if (auto element = as_element(step_.facts, inner, product, atom)) return *element;
    }
    return std::nullopt;
  }

  Product reduce(const Region& outer, const Region& inner, const Product& product) const {
    if (product.factors.size() > 1) throw Rejection{"a reduction of a product"};
    const size_t fixed = outer.sizes.size();
    if (has_varying_guard(outer, product)) {
      if (const auto sum = reduce_scaled(outer, inner, product)) return *sum;
      throw Rejection{"a guard that varies along the reduction"};
    }
    const bool varies = !product.factors.empty() && product.factors[0].index.depends_beyond(fixed);
    Int repeats = 1;
    for (size_t i = fixed; i < inner.sizes.size(); ++i)
      if (!varies || product.factors[0].index.step(i) == 0) repeats *= inner.sizes[i];
    Product result = product;
    if (kind_ == Instance::Kind::kSum) result.coef = result.coef * Rational(repeats);
    if (product.factors.empty()) return result;
    if (kind_ != Instance::Kind::kSum && !product.boxes.empty())
      throw Rejection{"a maximum of parts"};

    const auto as_product = [&] {
      return kind_ == Instance::Kind::kSum && varies
                 ? reduce_product(step_.facts, candidates_, fixed, inner, result)
                 : std::nullopt;
    };
    if (summed_as_ == SummedAs::kSumsOfFactors)
      if (const auto sum = as_product()) return *sum;
    for (const Instance* candidate : step_.facts.reductions_of(product.factors[0].atom)) {
      if (!candidates_.contains(candidate)) continue;
      if (const auto through = reduce_through(*candidate, fixed, inner, product.factors[0].index)) {
        result.factors = {through->factors[0]};
        result.boxes.insert(result.boxes.end(), through->boxes.begin(), through->boxes.end());
        return result;
      }
    }
    if (const auto sum = as_product()) return *sum;
    if (varies) throw Rejection{"no instance in the claim reduces " + to_string({product})};
    return result;
  }

  const Step& step_;
  Instance::Kind kind_;
  std::vector<size_t> reduced_;  // dimensions of the operand
  std::set<const Instance*> candidates_;
  std::set<AtomId> claimed_atoms_;
  const ReducedNames names_{step_.facts, candidates_};
  SummedAs summed_as_ = SummedAs::kProducts;
};

}  // namespace

void check_reduction(const Step& step) { ReductionCheck(step).run(); }

}  // namespace assay::checker
