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
  std::vector<std::pair<size_t, Affine>> rest;  // operands, and where they are read
  for (size_t i = 0; i < made->operands.size(); ++i) {
    const auto index = index_of(facts, region, reads, made->operands[i].atom);
    if (!index) return std::nullopt;
    rest.emplace_back(i, *index);
  }
  // One operand may need what another says of the labels that both see.
  KnownLabels known(made->labels.size());
  while (!rest.empty()) {
    const size_t before = rest.size();
    std::erase_if(rest, [&](const auto& operand) {
      const auto labels = operand_labels(region, *made, operand.first, operand.second, known);
      for (size_t label = 0; labels && label < labels->size(); ++label)
        if (made->labels[label].strides[operand.first] != 0) known[label] = (*labels)[label];
      return labels.has_value();
    });
    if (rest.size() == before) return std::nullopt;
  }
  Affine result;
  for (size_t label = 0; label < known.size(); ++label)
    if (known[label]) result = plus(result, times(*known[label], made->labels[label].out_stride));
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
