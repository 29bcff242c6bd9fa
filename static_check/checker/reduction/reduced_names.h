// Names that reductions read: a combination or a concatenation of which an element is what is
// reduced.
#pragma once

#include <optional>
#include <set>

#include "static_check/checker/arithmetic/sums.h"

namespace assay::checker {

class ReducedNames {
 public:
  // `candidates`: the reducing instances that the claim names. Both must outlive this.
  ReducedNames(const Facts& facts, const std::set<const Instance*>& candidates)
      : facts_(facts), candidates_(candidates) {}

  // The product as an element of a name, with its coefficient inside of the name or before it;
  // nullopt where it is none. Throws Split, as all of these.
  std::optional<Product> named(const Region& inner, const Product& product, AtomId name) const;

  // What a product that is a name names; nullopt of another one.
  std::optional<Sum> parts_of(const Region& inner, const Product& product) const;

  // A maximum is of one whole value: of a term, or of the name of a combination or concatenation.
  // Where several elements of the name are that value, the maximum is of all of them.
  Sum as_one_term(const Region& inner, const Sum& operand) const;

 private:
  std::optional<Product> as_name(const Region& inner, const Instance& name,
                                 const Sum& operand) const;
  Sum names_of(const Region& inner, const Instance& name, const Sum& operand) const;
  std::optional<Affine> index_in(const Region& inner, AtomId atom, const Factor& element,
                                 int depth = 2) const;

  const Facts& facts_;
  const std::set<const Instance*>& candidates_;
};

}  // namespace assay::checker
