#include "static_check/checker/reduction/indicators.h"

#include <algorithm>
#include <numeric>

#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/reduction/reduced_labels.h"

namespace assay::checker {
namespace {

// What a product reads, at every level of its factors' definitions.
Factors reads_of(const Facts& facts, const Region& region, const Product& product) {
  Factors reads = product.factors;
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

constexpr size_t kMostGuesses = 16;

using Reads = std::vector<Affine>;  // where each operand is read

// Where the instance's output is read when its operands are read there; nullopt when it never is.
std::optional<Affine> index_by_operands(const Region& region, const Instance& made,
                                        const Reads& indices) {
  std::vector<size_t> rest(indices.size());
  std::iota(rest.begin(), rest.end(), size_t{0});
  // One operand may need what another says of the labels that both see.
  KnownLabels known(made.labels.size());
  while (!rest.empty()) {
    const size_t before = rest.size();
    std::erase_if(rest, [&](size_t operand) {
      const auto labels = operand_labels(region, made, operand, indices[operand], known);
      for (size_t label = 0; labels && label < labels->size(); ++label)
        if (made.labels[label].strides[operand] != 0) known[label] = (*labels)[label];
      return labels.has_value();
    });
    if (rest.size() == before) return std::nullopt;
  }
  Affine result;
  for (size_t label = 0; label < known.size(); ++label)
    if (known[label]) result = plus(result, times(*known[label], made.labels[label].out_stride));
  return result;
}

// Where `atom` may be read for it to read these: guesses, of which there are several where an atom
// is read more than once. The caller compares. `cut`: what a guess asks for that is affine on parts
// of the region alone, as wrong ones may.
std::vector<Affine> indices_of(const Facts& facts, const Region& region, const Factors& reads,
                               AtomId atom, std::optional<Split>& cut) {
  std::vector<Affine> found;
  const auto add = [&](const Affine& index) {
    if (found.size() < kMostGuesses && std::find(found.begin(), found.end(), index) == found.end())
      found.push_back(index);
  };
  for (const Factor& read : reads)
    if (read.atom == atom) add(read.index);
  if (!found.empty()) return found;
  const Instance* made = facts.definition(atom);
  if (made == nullptr) return {};
  if (made->kind != Instance::Kind::kMul && facts.pieces_of(*made) == nullptr) return {};
  std::vector<Reads> choices{{}};
  for (const Instance::Operand& operand : made->operands) {
    std::vector<Reads> longer;
    for (const Affine& index : indices_of(facts, region, reads, operand.atom, cut))
      for (const Reads& choice : choices) {
        if (longer.size() == kMostGuesses) break;
        longer.push_back(choice);
        longer.back().push_back(index);
      }
    choices = std::move(longer);
  }
  for (const Reads& choice : choices) {
    try {
      if (const auto index = index_by_operands(region, *made, choice)) add(*index);
    } catch (const Split& split) {
      cut = split;
    }
  }
  return found;
}

// The guess that `is_it` accepts; nullopt where there is none.
template <class Accept>
std::optional<Affine> index_of(const Facts& facts, const Region& region, const Factors& reads,
                               AtomId atom, Accept&& is_it) {
  std::optional<Split> cut;
  for (const Affine& index : indices_of(facts, region, reads, atom, cut))
    if (is_it(index)) return index;
  if (cut) throw Split{*cut};
  return std::nullopt;
}

}  // namespace

std::optional<Product> as_element(const Facts& facts, const Region& region, const Product& product,
                                  AtomId atom) {
  const auto element = [&](const Affine& index) {
    return Product{product.coef, {{atom, index}}, product.boxes, {}};
  };
  const auto index =
      index_of(facts, region, reads_of(facts, region, product), atom,
               [&](const Affine& at) { return equal(facts, region, {element(at)}, {product}); });
  return index ? std::optional(element(*index)) : std::nullopt;
}

std::optional<Product> as_element(const Facts& facts, const Region& region, const Sum& sum,
                                  AtomId atom) {
  Factors reads;
  for (const Product& product : sum) {
    const Factors of_one = reads_of(facts, region, product);
    reads.insert(reads.end(), of_one.begin(), of_one.end());
  }
  const auto element = [&](const Affine& index) { return Product{1, {{atom, index}}, {}, {}}; };
  const auto index = index_of(facts, region, reads, atom, [&](const Affine& at) {
    return equal(facts, region, {element(at)}, sum);
  });
  return index ? std::optional(element(*index)) : std::nullopt;
}

}  // namespace assay::checker
