#include "static_check/checker/few_elements.h"

#include <algorithm>
#include <set>

#include "static_check/checker/definitions.h"

namespace assay::checker {
namespace {

using Tag = InstanceLabel::Tag;

constexpr int kMostNames = 64;  // that are unfolded

const Instance* reduction(const Facts& facts, const Factor& factor, Instance::Kind kind) {
  const Instance* made = facts.definition(factor.atom);
  return made != nullptr && made->kind == kind ? made : nullptr;
}

bool hides_label_of(const Facts& facts, AtomId atom, const Instance& made) {
  return std::any_of(made.labels.begin(), made.labels.end(), [&](const InstanceLabel& label) {
    return label.tag == Tag::kReduced && facts.hides(atom, label.hidden);
  });
}

bool holds(const std::vector<Box>& boxes, LabelId label, int64_t value) {
  return std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    if (box.label != label) return true;
    const int64_t digit = value / box.stride % box.radix;
    return std::any_of(box.in.begin(), box.in.end(),
                       [&](const Interval& in) { return in.lo <= digit && digit < in.hi; });
  });
}

// What the instance reduces at this index, where its labels are in the boxes; nullopt when that is
// too much.
std::optional<Factors> reduced(const Region& region, const Instance& made, const Affine& index,
                               const std::vector<Box>& boxes) {
  std::vector<std::vector<Affine>> choices{label_coordinates(region, made, index)};
  for (size_t i = 0; i < made.labels.size(); ++i) {
    const InstanceLabel& label = made.labels[i];
    if (label.tag != Tag::kReduced) continue;
    if (label.size > kFewElements) return std::nullopt;
    std::vector<std::vector<Affine>> longer;
    for (int64_t value = 0; value < label.size; ++value) {
      if (!holds(boxes, label.hidden, value)) continue;
      for (std::vector<Affine> choice : choices) {
        choice[i] = Affine{value, {}};
        longer.push_back(std::move(choice));
      }
    }
    if (longer.size() > static_cast<size_t>(kFewElements)) return std::nullopt;
    choices = std::move(longer);
  }
  Factors found;
  for (const std::vector<Affine>& labels : choices)
    found.push_back({made.operands[0].atom, operand_index(made, 0, labels)});
  return found;
}

// The products of a claim with what they reduce written out: each in its elements, those of the
// atoms `of` as they are. Names of reductions are unfolded. nullopt when that is too much, or where
// a box would change its meaning.
std::optional<std::vector<Product>> written_out(const Facts& facts, const Region& region,
                                                Instance::Kind kind, const Product& product,
                                                const std::set<AtomId>& of) {
  for (size_t at = 0; at < product.factors.size(); ++at) {
    const Factor factor = product.factors[at];
    const Instance* made = reduction(facts, factor, kind);
    if (made == nullptr || of.contains(factor.atom)) continue;
    Product rest = product;
    rest.factors.erase(rest.factors.begin() + static_cast<ptrdiff_t>(at));
    if (std::any_of(rest.factors.begin(), rest.factors.end(),
                    [&](const Factor& other) { return hides_label_of(facts, other.atom, *made); }))
      return std::nullopt;
    std::vector<Box> own;
    std::erase_if(rest.boxes, [&](const Box& box) {
      const bool mine =
          std::any_of(made->labels.begin(), made->labels.end(), [&](const InstanceLabel& label) {
            return label.tag == Tag::kReduced && label.hidden == box.label;
          });
      if (mine) own.push_back(box);
      return mine;
    });
    const auto elements = reduced(region, *made, factor.index, own);
    if (!elements) return std::nullopt;
    std::vector<Product> result;
    for (const Factor& element : *elements) {
      result.push_back(rest);
      result.back().factors.push_back(element);
    }
    return result;
  }
  return std::vector<Product>{product};
}

// The same of every product of a sum.
std::optional<Sum> written_out(const Facts& facts, const Region& region, const Sum& sum,
                               const std::set<AtomId>& of) {
  Sum written;
  for (const Product& product : sum) {
    const auto products = written_out(facts, region, Instance::Kind::kSum, product, of);
    if (!products) return std::nullopt;
    written.insert(written.end(), products->begin(), products->end());
    if (written.size() > static_cast<size_t>(kFewElements)) return std::nullopt;
  }
  return written;
}

// Which factor is a product, or a name that no box restricts; as many as there are factors: none.
size_t name_in(const Facts& facts, const Product& product) {
  const auto found =
      std::find_if(product.factors.begin(), product.factors.end(), [&](const Factor& factor) {
        const Instance* made = facts.definition(factor.atom);
        return made != nullptr &&
               (made->kind == Instance::Kind::kMul ||
                (made->kind == Instance::Kind::kCombine && product.boxes.empty()));
      });
  return static_cast<size_t>(found - product.factors.begin());
}

// Names of sums, and products with sums, become what they stand for. A box on a product is one on
// the factor that hides its label.
Sum named_terms(const Facts& facts, const Region& region, Sum sum) {
  for (int unfolded = 0; unfolded < kMostNames; ++unfolded) {
    const auto name = std::find_if(sum.begin(), sum.end(), [&](const Product& product) {
      return name_in(facts, product) != product.factors.size();
    });
    if (name == sum.end()) break;
    const Product named = *name;
    const size_t at = name_in(facts, named);
    const auto pieces = expand(facts, region, named.factors[at]);
    if (!pieces) break;
    sum.erase(name);
    for (Product piece : *pieces) {
      piece.coef = piece.coef * named.coef;
      piece.boxes.insert(piece.boxes.end(), named.boxes.begin(), named.boxes.end());
      piece.guards.insert(piece.guards.end(), named.guards.begin(), named.guards.end());
      for (size_t other = 0; other < named.factors.size(); ++other)
        if (other != at) piece.factors.push_back(named.factors[other]);
      sum.push_back(std::move(piece));
    }
  }
  return sum;
}

}  // namespace

bool is_sum_of(const Facts& facts, const Region& region, const Sum& claimed,
               const std::vector<Sum>& elements) {
  Sum summed;
  std::set<AtomId> of;
  for (const Sum& element : elements) summed.insert(summed.end(), element.begin(), element.end());
  for (const Product& product : summed)
    for (const Factor& factor : product.factors) of.insert(factor.atom);
  check_infinities(facts, summed);
  const Sum named = named_terms(facts, region, claimed);
  const auto written = written_out(facts, region, named, of);
  if (written && equal(facts, region, *written, summed)) return true;
  // What is summed may be parts of sums itself.
  const auto claimed_out = written_out(facts, region, named, {});
  const auto summed_out = written_out(facts, region, named_terms(facts, region, summed), {});
  return claimed_out && summed_out && equal(facts, region, *claimed_out, *summed_out);
}

bool is_extremum_of(const Facts& facts, const Region& region, Instance::Kind kind,
                    const Sum& claimed, const std::vector<Sum>& elements) {
  std::vector<Sum> written;
  const bool one_factor = claimed.size() == 1 && claimed[0].factors.size() == 1;
  if (one_factor && claimed[0].coef.is_one() && claimed[0].guards.empty() &&
      reduction(facts, claimed[0].factors[0], kind) != nullptr) {
    const auto products = written_out(facts, region, kind, claimed[0], {});
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
