// The same value in other groups: x (a + b) as x a + x b, and a sum over i of x times a sum over j
// of y as a sum over j of y times the sum over i of x. Only where all that comes out is known, so
// that the ranks find what the sequential program has computed in its own groups.
#include <algorithm>
#include <array>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

// The factors under the sum that one of them is: over the dimensions of `size`, and one more for
// each label that it sums, which are appended to `size`.
std::optional<std::vector<Term>> under_the_sum(const Lifting& lifting,
                                               const std::vector<Term>& factors, size_t which,
                                               Shape& size) {
  const Term& sum = factors[which];
  const Instance& instance = lifting.instance_of(sum.atom);
  auto read = lifting.trace(sum.atom, sum.layout, 0);
  if (!read) return std::nullopt;
  Term operand = view_of(instance.operands[0].atom, std::move(*read));
  std::vector<Mode> labels;
  for (const InstanceLabel& label : instance.labels)
    if (label.tag == InstanceLabel::Tag::kReduced) labels.push_back({label.size, label.strides[0]});
  const auto widen = [&](Term& view, bool sees) {
    for (const Mode& label : labels) {
      view.layout.dims.push_back({});
      if (label.size > 1) view.layout.dims.back().push_back({label.size, sees ? label.stride : 0});
    }
  };
  widen(operand, true);
  std::vector<Term> all = factors_of(lifting, operand);
  for (size_t i = 0; i < factors.size(); ++i) {
    if (i == which) continue;
    all.push_back(factors[i]);
    widen(all.back(), false);
  }
  for (const Mode& label : labels) size.push_back(label.size);
  return all;
}

Value product(Lifting& lifting, std::span<const Term> factors, const Shape& size, DType dtype) {
  Value result = single_term(size, factors.front());
  for (const Term& factor : factors.subspan(1))
    result = multiply(lifting, result, single_term(size, factor), dtype);
  return result;
}

std::optional<Term> only_term(const Value& value) {
  if (value.tiles.size() != 1 || value.tiles[0].terms.size() != 1) return std::nullopt;
  return value.tiles[0].terms[0];
}

}  // namespace

std::optional<Term> exchanged_sum(Lifting& lifting, const Term& term, const Shape& size,
                                  std::span<const Int> dims, DType dtype) {
  if (lifting.is_sequential() || lifting.knows_only() || !term.restrictions.empty() ||
      !lifting.is_instance(term.atom, Instance::Kind::kMul))
    return std::nullopt;
  const Lifting::KnownOnly guard(lifting);
  const std::vector<Term> factors = factors_of(lifting, view_of(term.atom, term.layout));
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!lifting.is_instance(factors[i].atom, Instance::Kind::kSum) ||
        !varies(factors[i].layout, dims))
      continue;
    Shape wide = size;
    auto all = under_the_sum(lifting, factors, i, wide);
    if (!all) continue;
    const auto stay = std::stable_partition(
        all->begin(), all->end(), [&](const Term& one) { return varies(one.layout, dims); });
    if (stay == all->begin() || stay == all->end()) continue;
    try {
      const Value first =
          reduce_sum(lifting, product(lifting, {all->begin(), stay}, wide, dtype), dims, dtype);
      const Shape kept = drop_dims(wide, dims);
      for (auto factor = stay; factor != all->end(); ++factor)
        factor->layout = drop_dims(factor->layout, dims);
      const Value both =
          multiply(lifting, first, product(lifting, {stay, all->end()}, kept, dtype), dtype);
      std::vector<Int> inside;
      for (size_t d = size.size() - dims.size(); d < kept.size(); ++d)
        inside.push_back(static_cast<Int>(d));
      if (auto found = only_term(reduce_sum(lifting, both, inside, dtype))) {
        found->coef = found->coef * term.coef;
        return found;
      }
    } catch (const NotKnown&) {
    } catch (const NotLifted&) {
    }
  }
  return std::nullopt;
}

bool distributes(const Lifting& lifting, const Term& a, const Term& b, DType dtype) {
  return !lifting.is_sequential() && !lifting.knows_only() && is_floating(dtype) &&
         a.restrictions.empty() && b.restrictions.empty() &&
         (lifting.is_instance(a.atom, Instance::Kind::kCombine) ||
          lifting.is_instance(b.atom, Instance::Kind::kCombine));
}

std::optional<Term> distributed_product(Lifting& lifting, const Term& a, const Term& b,
                                        const Shape& size, DType dtype) {
  const Lifting::KnownOnly guard(lifting);
  for (const auto& [name, other] : {std::pair{&b, &a}, std::pair{&a, &b}}) {
    if (!lifting.is_instance(name->atom, Instance::Kind::kCombine)) continue;
    Tile terms;
    terms.terms = unfold_names(lifting, {*name});
    if (terms.terms.size() < 2) continue;
    try {
      Value sum = multiply(lifting, single_term(size, *other), single_tile(size, terms), dtype);
      name_sums(lifting, sum, dtype);
      if (auto found = only_term(sum)) return found;
    } catch (const NotKnown&) {
    } catch (const NotLifted&) {
    }
  }
  return std::nullopt;
}

namespace {

// The views as one with a dimension more, where they are elements of one atom at equal distances
// from the first on; nullopt where they are not.
std::optional<Term> one_view_of(std::vector<Term> views) {
  const Term& first = views.front();
  const bool alike = std::all_of(views.begin(), views.end(), [&](const Term& view) {
    return view.atom == first.atom && view.coef == first.coef && view.restrictions.empty() &&
           view.layout.dims == first.layout.dims;
  });
  if (!alike || views.size() < 2) return std::nullopt;
  std::sort(views.begin(), views.end(),
            [](const Term& a, const Term& b) { return a.layout.offset < b.layout.offset; });
  const Int step = views[1].layout.offset - views[0].layout.offset;
  for (size_t i = 1; i < views.size(); ++i)
    if (step == 0 || views[i].layout.offset - views[i - 1].layout.offset != step)
      return std::nullopt;
  Term whole = views.front();
  whole.layout.dims.push_back({Mode{static_cast<Int>(views.size()), step}});
  return whole;
}

}  // namespace

namespace {

// The sum over the last dimension of the view, where it is known.
std::optional<Term> known_sum(Lifting& lifting, const Term& view, const Shape& size, DType dtype) {
  const std::array<Int, 1> last{static_cast<Int>(size.size()) - 1};
  const Lifting::KnownOnly guard(lifting);
  try {
    return only_term(reduce_sum(lifting, single_term(size, view), last, dtype));
  } catch (const NotKnown&) {
    return std::nullopt;
  }
}

// Elements of what a part of a sum sums, as parts of that sum.
bool join_parts(Lifting& lifting, std::vector<Term>& terms, Shape size, DType dtype) {
  size.push_back(1);
  bool joined = false;
  for (const Term& part : std::vector<Term>(terms)) {
    if (part.restrictions.empty() || !lifting.is_instance(part.atom, Instance::Kind::kSum))
      continue;
    const AtomId summed = lifting.instance_of(part.atom).operands[0].atom;
    for (Term& term : terms) {
      if (term.atom != summed || !term.restrictions.empty()) continue;
      Term one = term;
      one.layout.dims.push_back({});
      const auto found = known_sum(lifting, one, size, dtype);
      if (!found || found->atom != part.atom || !(found->layout == part.layout)) continue;
      term = *found;
      joined = true;
    }
  }
  if (joined) {
    combine(terms);
    unite_parts(lifting, terms);
  }
  return joined;
}

}  // namespace

void join_known_sums(Lifting& lifting, Value& value, DType dtype) {
  if (lifting.is_sequential() || lifting.knows_only()) return;
  constexpr size_t kMostTerms = 64;
  for (size_t t = 0; t < value.tiles.size(); ++t) {
    std::vector<Term>& terms = value.tiles[t].terms;
    if (terms.size() < 2 || terms.size() > kMostTerms) continue;
    const Shape size = tile_size(value, t);
    if (join_parts(lifting, terms, size, dtype)) continue;
    for (size_t i = 0; i + 1 < terms.size(); ++i) {
      std::vector<Term> alike, others;
      for (const Term& term : terms) (term.atom == terms[i].atom ? alike : others).push_back(term);
      const auto whole = one_view_of(std::move(alike));
      if (!whole) continue;
      Shape wide = size;
      wide.push_back(whole->layout.dims.back().front().size);
      const auto sum = known_sum(lifting, *whole, wide, dtype);
      if (!sum) continue;
      others.push_back(*sum);
      terms = std::move(others);
      combine(terms);
    }
  }
}

std::optional<Term> known_extremum(Lifting& lifting, Instance::Kind kind,
                                   const std::vector<Term>& views, Shape size, DType dtype) {
  const auto whole = one_view_of(views);
  if (!whole || !whole->coef.is_one() || lifting.is_sequential() || lifting.knows_only())
    return std::nullopt;
  const std::array<Int, 1> last{static_cast<Int>(size.size())};
  size.push_back(whole->layout.dims.back().front().size);
  const Lifting::KnownOnly guard(lifting);
  try {
    return only_term(reduce_extremum(lifting, kind, single_term(size, *whole), last, dtype));
  } catch (const NotKnown&) {
    return std::nullopt;
  }
}

}  // namespace assay
