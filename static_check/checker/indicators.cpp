#include "static_check/checker/indicators.h"

#include <algorithm>
#include <tuple>

#include "static_check/checker/definitions.h"
#include "static_check/checker/reduced_labels.h"

namespace assay::checker {
namespace {

// What a product reads, at every level of its factors' definitions.
std::vector<Factor> reads_of(const Facts& facts, const Region& region, const Product& product) {
  std::vector<Factor> reads = product.factors;
  for (size_t i = 0; i < reads.size(); ++i) {
    const Instance* made = facts.definition(reads[i].atom);
    if (made == nullptr || made->kind != Instance::Kind::kMul) continue;
    const auto operands = expand(facts, region, reads[i]);
    if (!operands) continue;
    for (const Product& one : *operands)
      reads.insert(reads.end(), one.factors.begin(), one.factors.end());
  }
  for (const Guard& guard : product.guards) reads.push_back(guard.element);
  return reads;
}

// Where `atom` must be read for it to read these. A guess where an atom is read twice: the caller
// compares.
std::optional<Affine> index_of(const Facts& facts, const Region& region,
                               const std::vector<Factor>& reads, AtomId atom) {
  const auto read = std::find_if(reads.begin(), reads.end(),
                                 [&](const Factor& factor) { return factor.atom == atom; });
  if (read != reads.end()) return read->index;
  const Instance* made = facts.definition(atom);
  if (made == nullptr) return std::nullopt;
  if (made->kind != Instance::Kind::kMul && facts.pieces_of(*made) == nullptr) return std::nullopt;
  std::vector<Affine> labels(made->labels.size());
  std::vector<bool> seen(labels.size(), false);
  for (size_t i = 0; i < made->operands.size(); ++i) {
    const auto index = index_of(facts, region, reads, made->operands[i].atom);
    if (!index) return std::nullopt;
    const auto own = operand_labels(region, *made, i, *index);
    if (!own) return std::nullopt;
    for (size_t label = 0; label < labels.size(); ++label) {
      if (seen[label] || made->labels[label].strides[i] == 0) continue;
      labels[label] = (*own)[label];
      seen[label] = true;
    }
  }
  Affine result;
  for (size_t label = 0; label < labels.size(); ++label)
    result = plus(result, times(labels[label], made->labels[label].out_stride));
  return result;
}

}  // namespace

std::optional<Product> as_element(const Facts& facts, const Region& region, const Product& product,
                                  AtomId atom) {
  const auto index = index_of(facts, region, reads_of(facts, region, product), atom);
  if (!index) return std::nullopt;
  Product element{product.coef, {{atom, *index}}, product.boxes, {}};
  if (!equal(facts, region, {element}, {product})) return std::nullopt;
  return element;
}

}  // namespace assay::checker
