// Inputs of both programs as numbers of the identity test.
#include <algorithm>

#include "shared_ir/reference/index.h"
#include "static_check/algebra/each_element.h"
#include "static_check/identity/evaluation.h"

namespace assay::identity {

IndexRanges Evaluation::ranges() const {
  IndexRanges ranges;
  for (const auto& [index, range] : functions_.ranges()) {
    const auto input = integers_.find(index.second);
    if (input == integers_.end()) continue;
    const auto [entry, first] = ranges.try_emplace(input->second, range);
    if (!first) entry->second.narrow(range);
  }
  return ranges;
}

Tensor Evaluation::input(const Value& value, DType dtype) {
  Tensor made{value.shape,
              std::vector<Number>(static_cast<size_t>(reference::count_of(value.shape)))};
  for_each_element(value, [&](const Tile& tile, const std::vector<int64_t>& at, size_t place) {
    Number sum = algebra_.constant(0);
    for (const Term& term : tile.terms) sum = algebra_.add(sum, element(term, at, dtype));
    for (const PiecewiseAffine& map : tile.integer) {
      if (map.pieces.size() != 1 || map.pieces[0].a != 1 || map.pieces[0].b != 0)
        throw NotRepresented{"an input that is computed of integers"};
      Term view;
      view.atom = map.atom;
      view.layout = map.layout;
      sum = element(view, at, dtype);
    }
    made.values[place] = std::move(sum);
  });
  return made;
}

// An element of an input by cases.
Number Evaluation::drawn_element(const std::pair<uint64_t, uint64_t>& place, DType dtype) {
  Cases& cases = *algebra_.cases();
  const uint64_t keys[] = {place.first, place.second};
  Number number = algebra_.random("input", keys);
  const uint64_t key = number.residue.value;
  const auto assigned = [&](uint64_t count) {
    Assignments* all = cases.assignments();
    return all == nullptr ? std::nullopt : all->value(place, count);
  };
  if (is_bool(dtype)) {
    if (const auto value = assigned(2)) return algebra_.constant(static_cast<int64_t>(*value));
    number = algebra_.constant(static_cast<int64_t>(cases.draw(key, 2)));
    return depending(number, cases.decisions().on(key, 1));
  }
  if (!is_floating(dtype)) {
    integers_[key] = place;
    const auto range = index_ranges_->find(place);
    if (range == index_ranges_->end()) return number;
    const IndexRange& values = range->second;
    if (const auto value = assigned(static_cast<uint64_t>(values.count())))
      return algebra_.constant(values.at(static_cast<int64_t>(*value)));
    number = algebra_.constant(values.drawn(cases.draw(key)));
    return depending(number, cases.decisions().on_one_of(key, values.count()));
  }
  if (const Ties::Tie* tie = cases.tie(place, key)) {
    Number sum = algebra_.constant(tie->offset);
    for (const auto& [input, coefficient] : tie->sum)
      sum = algebra_.add(sum, algebra_.scaled(drawn_element(input, dtype), coefficient));
    return sum;
  }
  cases.learn_input(place, key);
  return number;
}

// An element of an input, or of a part of it: the sum over all values of the labels that it hides.
Number Evaluation::element(const Term& term, const std::vector<int64_t>& at, DType dtype) {
  if (term.atom == problem_.lifting.one()) return algebra_.constant(term.coef);
  const Atom& atom = problem_.lifting.atom(term.atom);
  const bool drawn = atom.kind == Atom::Kind::kInstance &&
                     problem_.lifting.instance_of(term.atom).kind == Instance::Kind::kDraw;
  if (atom.kind == Atom::Kind::kUninit) return Algebra::undefined();
  if (atom.kind != Atom::Kind::kInput && atom.kind != Atom::Kind::kRandom && !drawn)
    throw NotRepresented{"an input that is made of others"};
  const auto address = static_cast<uint64_t>(address_at(term.layout, at));
  const auto id = static_cast<uint64_t>(term.atom);
  if (atom.hidden.empty()) {
    if (!term.restrictions.empty()) throw NotRepresented{"a part of an input"};
    const uint64_t keys[] = {id, address};
    Number number = algebra_.cases() != nullptr ? drawn_element({id, address}, dtype)
                    : is_bool(dtype)            ? algebra_.random_flag("input", keys)
                                                : algebra_.random("input", keys);
    number.in_range = !is_floating(dtype);
    return term.coef.is_one() ? number : algebra_.scaled(number, term.coef);
  }
  if (atom.hidden.size() != 1 || term.restrictions.size() > 1 || is_bool(dtype))
    throw NotRepresented{"a part of an input"};
  const int64_t size = problem_.lifting.label(atom.hidden[0]).size;
  Number sum = algebra_.constant(0);
  for (int64_t part = 0; part < size; ++part) {
    if (!term.restrictions.empty()) {
      const Restriction& box = term.restrictions[0];
      if (box.kind != Restriction::Kind::kBox || box.stride != 1 || box.radix != size)
        throw NotRepresented{"a part of an input"};
      if (std::ranges::none_of(box.intervals, [&](const Interval& interval) {
            return interval.lo <= part && part < interval.hi;
          }))
        continue;
    }
    const uint64_t keys[] = {id, address, static_cast<uint64_t>(part)};
    sum = algebra_.add(sum, algebra_.random("part of an input", keys));
  }
  return algebra_.scaled(sum, term.coef);
}

}  // namespace assay::identity
