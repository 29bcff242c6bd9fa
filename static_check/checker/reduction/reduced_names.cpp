#include "static_check/checker/reduction/reduced_names.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/reduction/reduced_labels.h"

namespace assay::checker {

// The product as an element of a name, with its coefficient inside of the name or before it.
std::optional<Product> ReducedNames::named(const Region& inner, const Product& product,
                                           AtomId name) const {
  const Instance* made = facts_.definition(name);
  if (made == nullptr || made->kind != Instance::Kind::kCombine) return std::nullopt;
  if (auto whole = as_name(inner, *made, {product})) return whole;
  Product bare = product;
  bare.coef = 1;
  auto element = as_name(inner, *made, {bare});
  if (element) element->coef = product.coef;
  return element;
}

std::optional<Sum> ReducedNames::parts_of(const Region& inner, const Product& product) const {
  if (product.factors.size() != 1 || !product.boxes.empty()) return std::nullopt;
  const Instance* made = facts_.definition(product.factors[0].atom);
  if (made == nullptr || made->kind != Instance::Kind::kCombine) return std::nullopt;
  auto named = expand(facts_, inner, product.factors[0]);
  if (!named) return std::nullopt;
  Sum parts;
  for (Product& part : *named) {
    part.coef = part.coef * product.coef;
    part.guards.insert(part.guards.end(), product.guards.begin(), product.guards.end());
    if (normalise(facts_, inner, part)) parts.push_back(std::move(part));
  }
  return parts;
}

// A maximum is of one whole value: of a term, or of the name of a combination or concatenation.
// Where several elements of the name are that value, the maximum is of all of them.
Sum ReducedNames::as_one_term(const Region& inner, const Sum& operand) const {
  if (operand.size() == 1 && operand[0].coef.is_one() && !operand[0].factors.empty()) {
    const auto& made = facts_.reductions_of(operand[0].factors[0].atom);
    if (std::any_of(made.begin(), made.end(),
                    [&](const Instance* one) { return candidates_.contains(one); }))
      return operand;
  }
  for (const Instance* candidate : candidates_) {
    const Instance* name = facts_.definition(candidate->operands[0].atom);
    if (name == nullptr) continue;
    if (name->kind != Instance::Kind::kCat && name->kind != Instance::Kind::kCombine) continue;
    if (const Sum elements = names_of(inner, *name, operand); !elements.empty()) return elements;
  }
  return operand;
}

std::optional<Product> ReducedNames::as_name(const Region& inner, const Instance& name,
                                             const Sum& operand) const {
  const Sum elements = names_of(inner, name, operand);
  return elements.empty() ? std::nullopt : std::optional(elements.front());
}

// The elements of a name's output that the operand is: found by what the name reads of each of
// its own operands. Terms of a combination may see a part of its labels each.
Sum ReducedNames::names_of(const Region& inner, const Instance& name, const Sum& operand) const {
  Sum found;
  const auto add = [&](size_t i, const std::vector<Affine>& labels) {
    const Product named{1, {{name.output, output_index(name, i, labels)}}, {}, {}};
    const bool known = std::any_of(found.begin(), found.end(), [&](const Product& other) {
      return other.factors == named.factors;
    });
    if (!known && equal(facts_, inner, {named}, operand)) found.push_back(named);
  };
  std::vector<Affine> merged(name.labels.size());
  std::vector<bool> seen(name.labels.size(), false);
  for (const Product& product : operand) {
    if (product.factors.size() != 1) continue;
    for (size_t i = 0; i < name.operands.size(); ++i) {
      const auto index = index_in(inner, name.operands[i].atom, product.factors[0]);
      const auto labels = index ? operand_labels(inner, name, i, *index) : std::nullopt;
      if (!labels) continue;
      add(i, *labels);
      if (name.kind == Instance::Kind::kCombine && !found.empty()) return found;
      for (size_t label = 0; label < labels->size(); ++label) {
        if (seen[label] || name.labels[label].strides[i] == 0) continue;
        merged[label] = (*labels)[label];
        seen[label] = true;
      }
    }
  }
  if (name.kind != Instance::Kind::kCat) add(0, merged);
  return found;
}

// Where the atom may hold this element, itself or through names of names. To be verified.
std::optional<Affine> ReducedNames::index_in(const Region& inner, AtomId atom,
                                             const Factor& element, int depth) const {
  if (element.atom == atom) return element.index;
  const Instance* name = facts_.definition(atom);
  if (depth == 0 || name == nullptr) return std::nullopt;
  if (name->kind != Instance::Kind::kCat && name->kind != Instance::Kind::kCombine)
    return std::nullopt;
  for (size_t i = 0; i < name->operands.size(); ++i) {
    const auto index = index_in(inner, name->operands[i].atom, element, depth - 1);
    const auto labels = index ? operand_labels(inner, *name, i, *index) : std::nullopt;
    if (labels) return output_index(*name, i, *labels);
  }
  return std::nullopt;
}

}  // namespace assay::checker
