// The order of an order: programs sort the places of a sorted row to find where each of its
// elements went.
#include <algorithm>

#include "static_check/identity/functions.h"

namespace assay::identity {
namespace {

constexpr size_t kMostInverted = 64;

bool same_parts(const Form& a, const Form& b) {
  return std::ranges::equal(a.parts, b.parts, [](const Number& x, const Number& y) {
    return x.residue.value == y.residue.value;
  });
}

}  // namespace

// Whether the row has at each place the number of the element that stands there, of as many
// elements as there are places.
bool Functions::is_order(const std::vector<Number>& row) const {
  const size_t count = row.size();
  if (count < 2 || count > kMostInverted || !has(row[0], Form::Kind::kChoice)) return false;
  const Form& first = *row[0].form;
  if (first.order->sets.size() != count || first.order->count() != count) return false;
  for (size_t place = 0; place < count; ++place) {
    if (!has(row[place], Form::Kind::kChoice)) return false;
    const Order& order = *row[place].form->order;
    if (order.index || order.place != place || order.sets != first.order->sets ||
        !same_parts(*row[place].form, first))
      return false;
  }
  std::vector<bool> seen(count, false);
  for (const Number& part : first.parts) {
    const Rational* number = algebra_.constant_of(part);
    if (number == nullptr || !number->is_integer() || number->is_negative() ||
        !number->fits(static_cast<int64_t>(count) - 1))
      return false;
    seen[static_cast<size_t>(number->numerator())] = true;
  }
  return std::ranges::find(seen, false) == seen.end();
}

bool Functions::inverse_order(const reference::FunctionName& fn,
                              const reference::TensorOf<Number>& of, DType from,
                              reference::TensorOf<Number>& result) {
  const bool values = fn.name == "sort";
  if ((!values && fn.name != "argsort") || fn.text(0) != "false" || !is_whole(from) ||
      algebra_.cases() != nullptr || !is_order(of.values))
    return false;
  for (size_t i = 0; i < of.values.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    if (values) {
      result.values[i] = algebra_.constant(number);
      continue;
    }
    std::vector<Number> stands;
    Residue place;
    for (const Number& standing : of.values) {
      const auto at = static_cast<int64_t>(stands.size());
      stands.push_back(is_row(standing, number, from));
      place = place + stands.back().residue * residue_of(at);
    }
    result.values[i] = Number{place};
    result.values[i].in_range = true;
    stands_at_.insert_or_assign(place.value, std::move(stands));
  }
  return true;
}

bool Functions::is_place_in(const Number& index, const IndexRange& range) const {
  if (stands_at_.empty() || !index.is_finite()) return false;
  const auto found = stands_at_.find(index.residue.value);
  if (found == stands_at_.end()) return false;
  for (size_t place = 0; place < found->second.size(); ++place)
    if (!range.holds(static_cast<int64_t>(place)))
      throw NotRepresented{"an index outside of its table"};
  return true;
}

std::optional<Number> Functions::is_place(const Number& index, int64_t place) {
  if (stands_at_.empty() || !index.is_finite()) return std::nullopt;
  const auto found = stands_at_.find(index.residue.value);
  if (found == stands_at_.end()) return std::nullopt;
  const std::vector<Number>& flags = found->second;
  return place >= 0 && place < static_cast<int64_t>(flags.size())
             ? flags[static_cast<size_t>(place)]
             : algebra_.constant(0);
}

}  // namespace assay::identity
