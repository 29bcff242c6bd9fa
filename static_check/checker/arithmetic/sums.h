// Formal sums over atoms: what a claim says about one region, and when two such sums are equal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/facts/facts.h"

namespace assay::checker {

// One element of an atom.
struct Factor {
  AtomId atom = 0;
  Affine index;
  auto operator<=>(const Factor&) const = default;
};
using Factors = std::vector<Factor>;

// The digit (value / stride) % radix of a hidden label lies in the intervals.
struct Box {
  LabelId label = 0;
  Int stride = 1;
  Int radix = 1;
  bool maximum = false;
  std::vector<Interval> in;
  bool operator==(const Box&) const = default;
};

// 1 where the integer element lies in the intervals, else 0.
struct Guard {
  Factor element;
  std::vector<Interval> in;
};

// coef * guards * (product of the factors, their hidden labels summed within the boxes). No factor:
// the number 1.
struct Product {
  Rational coef = 1;
  Factors factors;
  std::vector<Box> boxes;
  std::vector<Guard> guards;
};

using Sum = std::vector<Product>;

// Whether a factor sums over the label.
bool hides(const Facts& facts, const Product& product, LabelId label);

// Throws Rejection when infinities of opposite sign would be added, or memory that nothing has
// written with both signs: as formal terms they would cancel.
void check_infinities(const Facts& facts, const Sum& sum);

// Brings a product to its normal form: no factor 1, booleans as guards, factors sorted and
// canonical, guards merged, guards on known integers decided, guards on a summed class of a one-hot
// turned into boxes. False when it is zero. Throws Split.
bool normalise(const Facts& facts, const Region& region, Product& product);

// The product of two products. Throws Rejection where a box of one would also restrict the other,
// or where infinities would be multiplied.
Product multiply(const Facts& facts, const Product& a, const Product& b);

// The product of two sums. A part of a sum that meets the same sum keeps its meaning under a name
// only: one that `claimed` multiplies by and that equals the part on the region. Long sums may have
// such names as a whole. Throws Rejection where a part has none, and as for two products; throws
// Split.
Sum multiply(const Facts& facts, const Region& region, const Sum& a, const Sum& b,
             const Sum& claimed);

// A name among the factors of the claim, products and names unfolded, that equals the sum.
std::optional<Product> name_of(const Facts& facts, const Region& region, const Sum& sum,
                               const Sum& claimed);

// Whether the sums are equal on the region: the difference cancels, after expansion of products,
// names and concatenations (newest atom first, so that what is equal cancels before it is
// unfolded), and multiplication by positive divisors. Throws Split.
bool equal(const Facts& facts, const Region& region, const Sum& a, const Sum& b);

// Whether the difference cancels with nothing unfolded. Cheap: a guess before equal().
bool equal_as_written(const Facts& facts, const Region& region, const Sum& a, const Sum& b);

// The same as equal(), with sums of few elements written out where that is not enough: for what
// must be equal, not for guesses, of which most are not.
bool equal_in_elements(const Facts& facts, const Region& region, const Sum& a, const Sum& b);

// Whether two single products under maxima have the same factors and unite to the same boxes: max
// over `a` = max over `b`.
bool equal_unions(const Facts& facts, const Region& region, std::vector<Product> a,
                  std::vector<Product> b);

// For messages: "2*a17[32+...]|box(3)".
std::string to_string(const Sum& sum);

}  // namespace assay::checker
