#include "static_check/egraph/egraph.h"

#include <algorithm>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

constexpr size_t kMostDims = 64;

// How a symbol without its operands is told from others of its kind.
std::string text_of(const Formula& formula) {
  if (formula.kind == Formula::Kind::kNumber) return to_string(formula.number);
  return formula.kind == Formula::Kind::kSize ? std::string() : formula.name;
}

TermFacts facts_of_number(const Rational& number) {
  TermFacts facts;
  facts.number = number;
  facts.positive = number.is_positive();
  facts.nonnegative = !number.is_negative();
  facts.nonzero = !number.is_zero();
  return facts;
}

}  // namespace

size_t EGraph::KeyHash::operator()(const Key& key) const {
  size_t hash = 0;
  for (const int32_t part : key)
    hash = (hash ^ static_cast<size_t>(part)) * 0x9E3779B97F4A7C15U + (hash >> 29);
  return hash;
}

DimId EGraph::dim(const std::string& name, Int size) {
  if (const DimId known = find_dim(name); known != kNone) return known;
  ASSAY_CHECK(dims_.size() < kMostDims, "too many dimensions");
  dims_.push_back({name, size});
  return static_cast<DimId>(dims_.size()) - 1;
}

DimId EGraph::find_dim(const std::string& name) const {
  for (size_t i = 0; i < dims_.size(); ++i)
    if (dims_[i].name == name) return static_cast<DimId>(i);
  return kNone;
}

void EGraph::declare(const std::string& variable, const TermFacts& facts) {
  declared_[variable] = facts;
}

SymbolId EGraph::find_symbol(const Formula& formula) const {
  const auto known = symbol_ids_.find({formula.kind, text_of(formula)});
  return known == symbol_ids_.end() ? kNone : known->second;
}

SymbolId EGraph::symbol(const Formula& formula) {
  const auto [known, added] = symbol_ids_.emplace(std::pair{formula.kind, text_of(formula)},
                                                  static_cast<SymbolId>(symbols_.size()));
  if (added) {
    Formula alone = formula;
    alone.operands.clear();
    alone.dim.clear();
    symbols_.push_back(std::move(alone));
  }
  return known->second;
}

std::span<const TermId> EGraph::operands(TermId id) const {
  const Term& made = term(id);
  return std::span(operand_list_)
      .subspan(static_cast<size_t>(made.first), static_cast<size_t>(made.count));
}

TermId EGraph::add(const Formula& formula) {
  std::vector<TermId> operands;
  for (const Formula& operand : formula.operands) operands.push_back(add(operand));
  DimId dim = kNone;
  if (!formula.dim.empty()) {
    dim = find_dim(formula.dim);
    ASSAY_CHECK(dim != kNone, "a dimension that nobody declared: " + formula.dim);
  }
  return add(symbol(formula), dim, operands);
}

TermId EGraph::add(SymbolId symbol, DimId dim, std::span<const TermId> operands) {
  Key exact{symbol, dim};
  exact.insert(exact.end(), operands.begin(), operands.end());
  if (const auto known = exact_.find(exact); known != exact_.end()) return known->second;
  const auto id = static_cast<TermId>(terms_.size());
  terms_.push_back({symbol, dim, static_cast<int32_t>(operand_list_.size()),
                    static_cast<int32_t>(operands.size())});
  operand_list_.insert(operand_list_.end(), exact.begin() + 2, exact.end());
  up_.push_back(id);
  classes_.push_back({{id}, {}});
  proofs_.emplace_back();
  exact_.emplace(std::move(exact), id);
  facts_.push_back(derive(terms_.back()));
  const auto [same_class, added] = by_class_.emplace(class_key(terms_.back()), id);
  if (!added) {
    unite(id, same_class->second, {});
    return id;
  }
  for (const TermId operand : this->operands(id))
    classes_[static_cast<size_t>(find(operand))].parents.push_back(id);
  note_number(id);
  return id;
}

Formula EGraph::formula(TermId id) const {
  const Term& made = term(id);
  Formula result = symbols_[static_cast<size_t>(made.symbol)];
  if (made.dim != kNone) result.dim = dim_name(made.dim);
  for (const TermId operand : operands(id)) result.operands.push_back(formula(operand));
  return result;
}

ClassId EGraph::find(TermId term) const {
  TermId root = term;
  while (up_[static_cast<size_t>(root)] != root) root = up_[static_cast<size_t>(root)];
  while (up_[static_cast<size_t>(term)] != root)
    term = std::exchange(up_[static_cast<size_t>(term)], root);
  return root;
}

EGraph::Key EGraph::class_key(const Term& made) const {
  Key key{made.symbol, made.dim};
  for (int32_t i = 0; i < made.count; ++i)
    key.push_back(find(operand_list_[static_cast<size_t>(made.first + i)]));
  return key;
}

TermFacts EGraph::derive(const Term& made) const {
  const Formula& symbol = symbols_[static_cast<size_t>(made.symbol)];
  switch (symbol.kind) {
    case Formula::Kind::kNumber:
      return facts_of_number(symbol.number);
    case Formula::Kind::kSize:
      return facts_of_number(dim_size(made.dim));
    case Formula::Kind::kVariable: {
      const auto known = declared_.find(symbol.name);
      if (known != declared_.end()) return known->second;
      TermFacts unknown;
      unknown.dims = ~uint64_t{0};
      return unknown;
    }
    case Formula::Kind::kCall:
      break;
  }
  std::vector<TermFacts> operands;
  for (int32_t i = 0; i < made.count; ++i)
    operands.push_back(facts(operand_list_[static_cast<size_t>(made.first + i)]));
  return facts_of_call(symbol.name, made.dim, operands);
}

TermFacts EGraph::facts_of_call(std::string_view name, DimId dim,
                                std::span<const TermFacts> operands) const {
  TermFacts result;
  for (const TermFacts& operand : operands) result.dims |= operand.dims;
  const TermFacts& x = operands[0];
  const auto all = [&](bool TermFacts::*fact) {
    return std::all_of(operands.begin(), operands.end(),
                       [&](const TermFacts& one) { return one.*fact; });
  };
  const bool binary = operands.size() == 2;
  if (name == "add") {
    result.nonnegative = all(&TermFacts::nonnegative);
    result.positive = result.nonnegative && (x.positive || operands[1].positive);
  } else if (name == "mul") {
    result.positive = all(&TermFacts::positive);
    result.nonnegative = all(&TermFacts::nonnegative);
    result.nonzero = all(&TermFacts::nonzero);
  } else if (name == "reciprocal") {
    result.positive = x.positive;
    result.nonzero = x.nonzero;
  } else if (name == "exp" || name == "softmax" || name == "sigmoid") {
    result.positive = true;
  } else if (name == "sqrt" || name == "rsqrt") {
    result.positive = x.positive;
  } else if (name == "sum" || name == "max") {
    result.positive = x.positive;
    result.nonnegative = x.nonnegative;
  } else if (name == "maximum") {
    result.positive = x.positive || operands[1].positive;
    result.nonnegative = x.nonnegative || operands[1].nonnegative;
  } else if (name == "keep") {
    result.nonnegative = operands[1].nonnegative;
  }
  if (name == "sum" || name == "max") result.dims &= ~(uint64_t{1} << dim);
  if (name == "softmax" || name == "log_softmax") result.dims |= uint64_t{1} << dim;
  const bool numbers = x.number && (!binary || operands[1].number);
  try {
    if (numbers && name == "add") result.number = *x.number + *operands[1].number;
    if (numbers && name == "mul") result.number = *x.number * *operands[1].number;
    if (numbers && name == "reciprocal" && !x.number->is_zero())
      result.number = Rational(1) / *x.number;
  } catch (const RationalOverflow&) {
    result.number.reset();
  }
  if (result.number) {
    const std::optional<Rational> number = result.number;
    result = facts_of_number(*number);
  }
  result.nonnegative |= result.positive;
  result.nonzero |= result.positive;
  return result;
}

// A term of numbers alone equals its value.
void EGraph::note_number(TermId id) {
  const std::optional<Rational> number = facts(id).number;
  if (!number || (term(id).count == 0 && term(id).dim == kNone)) return;
  Reason reason;
  reason.kind = Reason::Kind::kArithmetic;
  unite(id, add(make_number(*number)), std::move(reason));
}

void EGraph::reroot(TermId term) {
  Proof carried;
  TermId at = term;
  while (at != kNone) {
    Proof& here = proofs_[static_cast<size_t>(at)];
    const TermId next = here.next;
    const Proof reversed{at, here.reason, !here.forward};
    here = carried;
    carried = reversed;
    at = next;
  }
}

bool EGraph::unite(TermId a, TermId b, Reason reason) {
  ClassId from = find(a), to = find(b);
  if (from == to) return false;
  reroot(a);
  proofs_[static_cast<size_t>(a)] = {b, static_cast<int32_t>(reasons_.size()), true};
  reasons_.push_back(std::move(reason));
  const auto weight = [&](ClassId id) {
    const Class& one = classes_[static_cast<size_t>(id)];
    return one.parents.size() + one.members.size();
  };
  if (weight(from) > weight(to)) std::swap(from, to);
  up_[static_cast<size_t>(from)] = to;
  Class& kept = classes_[static_cast<size_t>(to)];
  Class& gone = classes_[static_cast<size_t>(from)];
  kept.members.insert(kept.members.end(), gone.members.begin(), gone.members.end());
  kept.parents.insert(kept.parents.end(), gone.parents.begin(), gone.parents.end());
  gone = {};
  changed_.push_back(to);
  return true;
}

void EGraph::rebuild() {
  while (!changed_.empty()) {
    const ClassId id = find(changed_.back());
    changed_.pop_back();
    std::vector<TermId> parents = std::move(classes_[static_cast<size_t>(id)].parents);
    classes_[static_cast<size_t>(id)].parents.clear();
    std::vector<TermId> kept;
    for (const TermId parent : parents) {
      const auto [same_class, added] = by_class_.emplace(class_key(term(parent)), parent);
      if (!added && same_class->second != parent) {
        unite(parent, same_class->second, {});
        continue;
      }
      kept.push_back(parent);
    }
    Class& now = classes_[static_cast<size_t>(find(id))];
    now.parents.insert(now.parents.end(), kept.begin(), kept.end());
    std::sort(now.parents.begin(), now.parents.end());
    now.parents.erase(std::unique(now.parents.begin(), now.parents.end()), now.parents.end());
    // Members that are the same call of the same classes are one way to make the class.
    std::erase_if(now.members, [&](TermId member) {
      return by_class_.emplace(class_key(term(member)), member).first->second != member;
    });
  }
}

std::vector<EGraph::Link> EGraph::links(TermId a, TermId b) const {
  const auto to_root = [&](TermId term) {
    std::vector<TermId> path{term};
    while (proofs_[static_cast<size_t>(path.back())].next != kNone)
      path.push_back(proofs_[static_cast<size_t>(path.back())].next);
    return path;
  };
  std::vector<TermId> up = to_root(a), down = to_root(b);
  ASSAY_CHECK(up.back() == down.back(), "terms that are not known to be equal");
  while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
    up.pop_back();
    down.pop_back();
  }
  std::vector<Link> result;
  const auto proof = [&](TermId term) -> const Proof& {
    return proofs_[static_cast<size_t>(term)];
  };
  for (size_t i = 0; i + 1 < up.size(); ++i)
    result.push_back({up[i], up[i + 1], &reasons_[static_cast<size_t>(proof(up[i]).reason)],
                      proof(up[i]).forward});
  for (size_t i = down.size() - 1; i-- > 0;)
    result.push_back({down[i + 1], down[i], &reasons_[static_cast<size_t>(proof(down[i]).reason)],
                      !proof(down[i]).forward});
  return result;
}

}  // namespace assay
