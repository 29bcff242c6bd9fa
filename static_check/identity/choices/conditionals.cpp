// Numbers that a flag chooses: functions of them are chosen by it of what they are of both. A flag
// is an order of the values 0 and 1, of which it is one.
#include <algorithm>
#include <set>

#include "static_check/identity/algebra.h"

namespace assay::identity {
namespace {

// What a number may be by its flags.
constexpr size_t kMostBranches = 6;

size_t branches_of(const Number& number) {
  if (number.mixed) return kMostBranches + 1;
  if (has(number, Form::Kind::kKept)) return 1 + branches_of(number.form->kept());
  if (has(number, Form::Kind::kFlag)) return 2;
  if (!has(number, Form::Kind::kChoice) || !number.form->order->of_flag) return 1;
  size_t count = 0;
  for (const Number& part : number.form->parts) count += branches_of(part);
  return count;
}

}  // namespace

bool is_conditional(const Number& number) {
  return has(number, Form::Kind::kKept) ||
         (has(number, Form::Kind::kChoice) && number.form->order->of_flag);
}

bool branch_little(std::span<const Number> numbers) {
  size_t count = 1;
  for (const Number& number : numbers) count *= branches_of(number);
  return count <= kMostBranches;
}

// Of a flag and its negation one, which both have.
OrderPointer Algebra::order_of_flag(const Number& flag) {
  const Number other = negation(flag);
  const bool turned = other.residue.value < flag.residue.value;
  const Number &of = turned ? other : flag, &otherwise = turned ? flag : other;
  auto& [known, flags] = flag_orders_[of.residue.value];
  if (known == nullptr) {
    const Residue zero, one{1, 1};
    Order order{{{zero}, {one}}};
    order.index = of.residue;
    order.of_flag = true;
    order.greatest = {zero, one};
    order.flags = {otherwise.residue, of.residue};
    known = std::make_shared<const Order>(std::move(order));
    flags = {otherwise, of};
  }
  return known;
}

// The value of the flag, or of one under it, for each of the two that the order's flag may have.
std::optional<std::vector<Number>> Algebra::by_flag(const Number& number, const Order& order) {
  const bool is_kept = has(number, Form::Kind::kKept);
  if (!order.of_flag || (!is_kept && !has(number, Form::Kind::kFlag))) return std::nullopt;
  const Residue& flag = is_kept ? number.form->flag().residue : number.residue;
  const Number value = is_kept ? number.form->kept() : constant(1);
  if (flag.value == order.index->value) return std::vector{constant(0), value};
  if (kValues.add(flag.value, order.index->value) == 1) return std::vector{value, constant(0)};
  return std::nullopt;
}

Number Algebra::chosen_by_flag(const OrderPointer& order, std::vector<Number> values) {
  for (Number& value : values) {
    if (!value.is_finite()) throw NotRepresented{"an infinity that is chosen"};
    value = settled(value);
  }
  const Number &unmet = values[0], &met = values[1];
  if (unmet.residue.value == met.residue.value) return met;
  const std::vector<Number>& flags = flag_orders_.at(order->index->value).second;
  if (is_zero(unmet)) return keep(flags[1], met);
  if (is_zero(met)) return keep(flags[0], unmet);
  const Residue sum = order->flags[0] * unmet.residue + order->flags[1] * met.residue;
  const Sign sign = std::min(unmet.sign, met.sign);
  Form form{Form::Kind::kChoice};
  form.order = order;
  form.parts = std::move(values);
  Number chosen = with(sum, std::move(form));
  chosen.in_range = chosen.form->parts[0].in_range && chosen.form->parts[1].in_range;
  return signed_as(std::move(chosen), sign);
}

std::optional<Number> Algebra::each_branch(std::span<const Number> of, const EachChoice& function) {
  const auto first = std::ranges::find_if(of, is_conditional);
  if (cases_ != nullptr || first == of.end() || !branch_little(of)) return std::nullopt;
  const OrderPointer order =
      has(*first, Form::Kind::kKept) ? order_of_flag(first->form->flag()) : first->form->order;
  std::vector<std::vector<Number>> arguments(2);
  for (const Number& number : of) {
    const bool same = has(number, Form::Kind::kChoice) && number.form->order == order;
    const auto values = same ? std::optional(number.form->parts) : by_flag(number, *order);
    for (size_t i = 0; i < 2; ++i) arguments[i].push_back(values ? (*values)[i] : number);
  }
  std::vector<Number> results;
  try {
    for (const auto& branch : arguments) {
      auto result = function(branch);
      if (!result || !result->is_finite()) return std::nullopt;
      results.push_back(std::move(*result));
    }
  } catch (const NotRepresented&) {
    return std::nullopt;
  }
  return chosen_by_flag(order, std::move(results));
}

}  // namespace assay::identity
