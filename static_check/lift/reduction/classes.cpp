// Sums over the classes of one-hots: of all that is multiplied by one, what the index selects.
#include <algorithm>
#include <iterator>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

struct ClassSum {
  size_t one_hot;  // among the factors
  Int dim;
  Restriction among;  // the integer is one of the classes that are summed
};

// What stands along a dimension, class by class.
std::optional<ClassSum> class_sum(const Lifting& lifting, const Term& term,
                                  const std::vector<Term>& factors, size_t one_hot, Int dim) {
  const Term& view = factors[one_hot];
  const Atom& atom = lifting.atom(view.atom);
  if (atom.kind != Atom::Kind::kOneHot) return std::nullopt;
  const Int along[] = {dim};
  const bool guarded = std::ranges::any_of(term.restrictions, [&](const Restriction& r) {
    return r.kind == Restriction::Kind::kGuard && varies(r.where, along);
  });
  const Int ids_size = lifting.atom(atom.ids).size;
  const Modes& modes = view.layout.dims[static_cast<size_t>(dim)];
  if (guarded || modes.size() != 1 || modes[0].stride != ids_size) return std::nullopt;
  Layout first = view.layout;  // of the classes
  first.dims[static_cast<size_t>(dim)] = {{modes[0].size, 0}};
  const auto split = split_one_hot(first, ids_size);
  if (!split || split->classes.hi != split->classes.lo + 1) return std::nullopt;
  ClassSum found{one_hot, dim, {}};
  found.among.kind = Restriction::Kind::kGuard;
  found.among.atom = atom.ids;
  found.among.where = drop_dims(split->ids, along);
  found.among.intervals = {{split->classes.lo, split->classes.lo + modes[0].size}};
  return found;
}

// The factors that vary along the dimension, as indices.
std::vector<size_t> moving(const std::vector<Term>& factors, Int dim) {
  const Int along[] = {dim};
  std::vector<size_t> found;
  for (size_t i = 0; i < factors.size(); ++i)
    if (varies(factors[i].layout, along)) found.push_back(i);
  return found;
}

// The dimension along which one one-hot alone moves, from class to class.
std::optional<ClassSum> class_sum(const Lifting& lifting, const Term& term,
                                  const std::vector<Term>& factors, std::span<const Int> dims) {
  for (const Int dim : dims) {
    const std::vector<size_t> moves = moving(factors, dim);
    if (moves.size() != 1) continue;
    if (auto found = class_sum(lifting, term, factors, moves[0], dim)) return found;
  }
  return std::nullopt;
}

// What a computed index selects, such as the place of a maximum, is known by the name.
bool selects_by_input(const Lifting& lifting, const Term& view) {
  const Atom& one_hot = lifting.atom(view.atom);
  return one_hot.kind == Atom::Kind::kOneHot &&
         lifting.atom(one_hot.ids).kind == Atom::Kind::kInput;
}

// The terms of a name that moves along the classes beside the one-hot, where some do not.
struct Selected {
  size_t name;  // among the factors
  std::vector<Term> terms;
};

std::optional<Selected> selected_name(const Lifting& lifting, const Term& term,
                                      const std::vector<Term>& factors, std::span<const Int> dims) {
  for (const Int dim : dims) {
    const std::vector<size_t> moves = moving(factors, dim);
    if (moves.size() != 2) continue;
    for (const auto& [one_hot, name] :
         {std::pair(moves[0], moves[1]), std::pair(moves[1], moves[0])}) {
      if (!lifting.is_instance(factors[name].atom, Instance::Kind::kCombine) ||
          !selects_by_input(lifting, factors[one_hot]) ||
          !class_sum(lifting, term, factors, one_hot, dim))
        continue;
      Selected found{name, unfold_names(lifting, {factors[name]})};
      const Int along[] = {dim};
      if (std::ranges::any_of(found.terms,
                              [&](const Term& one) { return !varies(one.layout, along); }))
        return found;
    }
  }
  return std::nullopt;
}

// Their product, times what the term has beside its view.
std::vector<Term> products_of(Lifting& lifting, std::span<const Term> factors, const Term& beside,
                              const Shape& size, DType dtype) {
  const Value product = product_of(lifting, factors, size, dtype);
  std::vector<Term> products;
  for (Term part : product.tiles.at(0).terms) {
    part.coef = part.coef * beside.coef;
    part.restrictions.insert(part.restrictions.end(), beside.restrictions.begin(),
                             beside.restrictions.end());
    if (normalize(part.restrictions) && absorb_guards(lifting, part))
      products.push_back(std::move(part));
  }
  return products;
}

void append(std::vector<Term>& terms, std::vector<Term> more) {
  std::ranges::move(more, std::back_inserter(terms));
}

// What an index selects of a sum is the sum of what it selects of each term.
std::optional<std::vector<Term>> sum_of_selected(Lifting& lifting, const Term& term,
                                                 std::vector<Term> factors, const Shape& size,
                                                 std::span<const Int> dims, DType dtype) {
  const auto selected = selected_name(lifting, term, factors, dims);
  if (!selected) return std::nullopt;
  std::vector<Term> result;
  for (const Term& one : selected->terms) {
    factors[selected->name] = one;
    for (Term& part : products_of(lifting, factors, term, size, dtype))
      append(result, sum_term(lifting, std::move(part), size, dims, dtype));
  }
  return result;
}

}  // namespace

std::optional<std::vector<Term>> sum_over_classes(Lifting& lifting, const Term& term,
                                                  const Shape& size, std::span<const Int> dims,
                                                  DType dtype) {
  if (lifting.knows_only()) return std::nullopt;
  std::vector<Term> factors = factors_of(lifting, view_of(term.atom, term.layout));
  const auto found = class_sum(lifting, term, factors, dims);
  if (!found) return sum_of_selected(lifting, term, std::move(factors), size, dims, dtype);
  factors.erase(factors.begin() + static_cast<ptrdiff_t>(found->one_hot));
  const Int along[] = {found->dim};
  const Shape kept = drop_dims(size, along);
  for (Term& factor : factors) factor.layout = drop_dims(factor.layout, along);
  Term beside = term;
  drop_dims(beside.restrictions, along);
  beside.restrictions.push_back(found->among);
  std::vector<Term> parts = products_of(lifting, factors, beside, kept, dtype);
  drop_guards_of_indices(lifting, parts);

  std::vector<Int> others;
  for (const Int dim : dims)
    if (dim != found->dim) others.push_back(dim > found->dim ? dim - 1 : dim);
  if (others.empty()) return parts;
  std::vector<Term> result;
  for (Term& part : parts) append(result, sum_term(lifting, std::move(part), kept, others, dtype));
  return result;
}

std::optional<std::vector<Term>> sum_of_one_class(Lifting& lifting, const Term& term,
                                                  const Shape& size, std::span<const Int> dims,
                                                  DType dtype) {
  if (lifting.knows_only()) return std::nullopt;
  std::vector<Term> factors = factors_of(lifting, view_of(term.atom, term.layout));
  const auto one_hot = std::ranges::find_if(
      factors, [&](const Term& factor) { return selects_by_input(lifting, factor); });
  const auto name = std::ranges::find_if(factors, [&](const Term& factor) {
    return lifting.is_instance(factor.atom, Instance::Kind::kCombine);
  });
  if (one_hot == factors.end() || name == factors.end()) return std::nullopt;
  const AtomId ids = lifting.atom(one_hot->atom).ids;
  const auto view = split_one_hot(one_hot->layout, lifting.atom(ids).size);
  const std::vector<Term> terms = unfold_names(lifting, {*name});
  if (!view || view->classes.hi != view->classes.lo + 1 || terms.size() < 2) return std::nullopt;
  Term guarded = term;  // where the integer is the class
  Restriction& is_class = guarded.restrictions.emplace_back();
  is_class.kind = Restriction::Kind::kGuard;
  is_class.atom = ids;
  is_class.where = view->ids;
  is_class.intervals = {view->classes};

  std::vector<Term> result;
  bool is_part = false;
  for (const Term& one : terms) {
    *name = one;
    std::vector<Term> others = factors;
    others.erase(others.begin() + (one_hot - factors.begin()));
    for (const Term& part : products_of(lifting, factors, term, size, dtype)) {
      if (auto known = part_of_known_sum(lifting, part, size, dims, dtype)) {
        append(result, std::move(*known));
        is_part = true;
        continue;
      }
      for (Term& selected : products_of(lifting, others, guarded, size, dtype)) {
        selected.layout = drop_dims(selected.layout, dims);
        drop_dims(selected.restrictions, dims);
        result.push_back(std::move(selected));
      }
    }
  }
  // Else the name stays: others know it so.
  return is_part ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace assay
