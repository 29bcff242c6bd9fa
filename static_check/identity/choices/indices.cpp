// Indices of tables: what they may be, and which row they are.
#include <algorithm>

#include "static_check/identity/functions.h"

namespace assay::identity {

void Functions::check_index(const Number& index, const IndexRange& range, DType dtype,
                            bool assumed) {
  if (const Rational* known = algebra_.constant_of(index)) {
    if (!known->is_integer() || !known->fits(INT64_MAX) || !range.holds(known->numerator()))
      throw NotRepresented{"an index outside of its table"};
    return;
  }
  if (algebra_.chooses_constants(index)) {
    algebra_.each_choice({&index, 1}, [&](std::span<const Number> x) {
      check_index(x[0], range, dtype, assumed);
      return x[0];
    });
    return;
  }
  if (is_place_in(index, range)) return;
  const std::pair key{dtype, algebra_.key(index)};
  if (assumed) learn_range(index, range, dtype);
  const auto known = ranges_.find(key);
  if (known == ranges_.end() || !known->second.lies_in(range))
    throw NotRepresented{"an index that may lie outside of a rank's table"};
}

void Functions::learn_range(const Number& index, const IndexRange& range, DType dtype) {
  const std::pair key{dtype, algebra_.key(index)};
  const auto [entry, first] = ranges_.try_emplace(key, range);
  learned_late_ |= (first && compared_.contains(key)) || entry->second.narrow(range);
  if (entry->second.count() == 0) throw NotRepresented{"an index of a table without rows"};
  // What a decision makes an index of is one where it comes out so, and nothing elsewhere.
  if (index.decisions == nullptr) note_always(key, range);
}

void Functions::learn_values(const CoreProgram& program, const CoreOp& op,
                             std::span<const Number> made) {
  const auto id = static_cast<CoreId>(&op - program.ops.data());
  const auto few = std::ranges::lower_bound(program.few_values, id, {}, &FewValues::op);
  if (few == program.few_values.end() || few->op != id) return;
  const IndexRange range = IndexRange::between(few->low, few->high);
  for (const Number& integer : made)
    if (integer.is_finite() && !algebra_.chooses_constants(integer))
      learn_range(integer, range, op.dtype);
}

void Functions::note_always(const IndexKey& key, const IndexRange& range) {
  const auto [entry, first] = always_.try_emplace(key, range);
  if (!first) entry->second.narrow(range);
}

Number Functions::by_values(const Number& index, DType dtype) {
  if (!index.is_finite() || index.form != nullptr) return index;
  const auto known = ranges_.find({dtype, algebra_.key(index)});
  if (known == ranges_.end()) return index;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < known->second.count(); ++i) values.push_back(known->second.at(i));
  return algebra_.choice_of_values(index, values);
}

Number Functions::is_row(const Number& index, int64_t row, DType dtype) {
  if (const Rational* known = algebra_.constant_of(index))
    return algebra_.constant(*known == Rational(row) ? 1 : 0);
  if (algebra_.chooses_constants(index))
    return *algebra_.each_choice(
        {&index, 1}, [&](std::span<const Number> x) { return is_row(x[0], row, dtype); });
  return *is_row_of_known(index, row, dtype);
}

// An index is one of its range: the last where it is no other.
std::optional<Number> Functions::is_row_of_known(const Number& index, int64_t row, DType dtype) {
  if (!index.is_finite() || algebra_.constant_of(index) != nullptr) return std::nullopt;
  if (auto flag = is_place(index, row)) return flag;
  const std::pair key{dtype, algebra_.key(index)};
  const auto known = ranges_.find(key);
  if (known == ranges_.end()) {
    compared_.insert(key);
    return std::nullopt;
  }
  const IndexRange& range = known->second;
  if (!range.holds(row)) return algebra_.constant(0);
  if (Cases* cases = algebra_.cases()) {
    cases->add_decision(cases->decisions().on_one_of(key.second, range.count()));
    return algebra_.constant(range.drawn(cases->draw(key.second)) == row);
  }
  if (row != range.last()) return equal_integers(index, algebra_.constant(row), dtype);
  Number any = algebra_.constant(0);
  for (int64_t other = 0; other + 1 < range.count(); ++other)
    any = algebra_.add(any, equal_integers(index, algebra_.constant(range.at(other)), dtype));
  // Flags exclude each other, so that their sum is one.
  return algebra_.flag_of(algebra_.subtract(algebra_.constant(1), any));
}

}  // namespace assay::identity
