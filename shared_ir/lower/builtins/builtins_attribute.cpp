// Builtins on attributes: shapes, lists, conditions; and what is asked of indices.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/constant_values.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

Value list_of(const std::vector<Int>& numbers) {
  ValueList list;
  for (Int number : numbers) list.emplace_back().data = number;
  return {std::move(list)};
}

Value shape(Call& call) { return list_of(call.builder().shape(call.tensor(0))); }

Value size(Call& call) {
  const Shape& shape = call.builder().shape(call.tensor(0));
  if (shape.empty()) call.fail("the tensor has no dimensions");
  return {shape[call.dim(1, static_cast<Int>(shape.size()))]};
}

Value count(Call& call) { return {element_count(call.builder().shape(call.tensor(0)))}; }

Value drop_last(Call& call) {
  std::vector<Int> numbers = call.integers(0);
  if (numbers.empty()) call.fail("the list is empty");
  numbers.pop_back();
  return list_of(numbers);
}

Value total(Call& call) { return {total_of(call.integers(0))}; }

Value item(Call& call) {
  const ValueList& list = call.list(0);
  Int i = call.integer(1);
  if (i < 0 || i >= static_cast<Int>(list.size())) call.fail("the list is too short");
  return list[i];
}

Value stat_shape(Call& call) {
  Shape shape = call.builder().shape(call.tensor(0)), inner = call.sizes(1);
  if (inner.size() > shape.size()) call.fail("the list is longer than the shape");
  std::fill(shape.end() - static_cast<Int>(inner.size()), shape.end(), 1);
  return list_of(shape);
}

Value unsupported(Call& call) { call.unsupported(call.text(0)); }

Value given(Call& call) { return {!call[0].is_none()}; }

// Integers are compared as such: their texts say whether they are equal at all sizes of symbols.
bool same_attribute(const Value& a, const Value& b) {
  if (const auto *x = a.get_if<Int>(), *y = b.get_if<Int>(); x && y) return *x == *y;
  const auto *xs = a.get_if<ValueList>(), *ys = b.get_if<ValueList>();
  if (xs && ys) return std::equal(xs->begin(), xs->end(), ys->begin(), ys->end(), same_attribute);
  return attribute_text(a) == attribute_text(b);
}

std::optional<std::pair<Int, Int>> two_integers(const Call& call) {
  const auto *a = call[0].get_if<Int>(), *b = call[1].get_if<Int>();
  return a && b ? std::optional(std::pair(*a, *b)) : std::nullopt;
}

Value equals(Call& call) {
  if (const auto integers = two_integers(call)) return {integers->first == integers->second};
  auto a = call.number_if(0), b = call.number_if(1);
  if (a && b) return {*a == *b};
  return {same_attribute(call[0], call[1])};
}

Value less(Call& call) {
  if (const auto integers = two_integers(call)) return {integers->first < integers->second};
  return {call.number(0) < call.number(1)};
}

Value spread(Call& call) {
  const std::vector<Int> numbers = call.integers(0);
  const Int count = call.integer(1);
  if (static_cast<Int>(numbers.size()) == count) return list_of(numbers);
  if (numbers.size() != 1 || count < 0 || count > 8) call.fail("as many numbers, or one for all");
  return list_of(std::vector<Int>(static_cast<size_t>(count), numbers[0]));
}

Value whole(Call& call) {
  const double number = call.number(0);
  if (!(std::abs(number) < 0x1p53)) call.fail("it is no integer");
  return {static_cast<Int>(number)};
}

Value rank(Call& call) { return {call.builder().rank(call.tensor(0))}; }

// Of sizes: both count.
Value quotient(Call& call) {
  const Int a = call.integer(0), b = call.integer(1);
  if (b < 1) call.fail("the divisor is no count");
  return {floor_divide(a, b)};
}

Value root(Call& call) { return {std::sqrt(call.number(0))}; }

// A constant of the program may be a tensor of its own.
Value number_of(Call& call) {
  if (auto number = call.number_if(0)) return {*number};
  const CoreOp& op = call.builder().op(call.tensor(0));
  if (op.prim != Prim::kConst) call.unsupported("a number that the program computes");
  if (op.fn == "inf") return {std::numeric_limits<double>::infinity()};
  if (op.fn == "-inf") return {-std::numeric_limits<double>::infinity()};
  if (!op.fn.empty()) call.unsupported("a number that is " + op.fn);
  if (is_integer(op.dtype) && op.constant.is_integer()) return {op.constant.numerator()};
  return {op.constant.to_double()};
}

// Of floating types, infinities are the bounds.
Value bound_of_type(Call& call, bool greatest) {
  const DType dtype = call.builder().dtype(call.tensor(0));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_floating(dtype)) return {greatest ? kInfinity : -kInfinity};
  const auto [low, high] = integer_range(dtype);
  return {greatest ? high : low};
}

Value least_of_type(Call& call) { return bound_of_type(call, false); }
Value greatest_of_type(Call& call) { return bound_of_type(call, true); }

Value assuming(Call& call) {
  call.builder().note(call.text(0));
  return call[1];
}

Value is_float(Call& call) { return {is_floating(call.builder().dtype(call.tensor(0)))}; }

Value has_dtype(Call& call) { return {call.builder().dtype(call.tensor(0)) == call.dtype(1)}; }

// As PyTorch converts a number to an integer dtype: without its fraction, modulo its range.
Value in_type(Call& call) {
  const DType dtype = call.builder().dtype(call.tensor(1));
  if (!call.has(0) || is_floating(dtype)) return call[0];
  if (const auto* integer = call[0].get_if<Int>(); integer && !is_bool(dtype))
    return {cast_integer(*integer, dtype)};
  const double value = call.number(0);
  constexpr double kBound = 0x1p53;
  if (!(std::abs(value) < kBound)) call.fail("it is no " + std::string(to_string(dtype)));
  return {static_cast<Int>(cast_value(value, dtype))};
}

// Types of fewer bits are accumulated in float32.
Value accumulation_epsilon(Call& call) {
  const DType dtype = call.builder().dtype(call.tensor(0));
  return {machine_epsilon(dtype == DType::kFloat64 ? dtype : DType::kFloat32)};
}

// What nothing may be subtracted from.
Value is_decay(Call& call) {
  const Builder& builder = call.builder();
  const CoreOp& exponential = builder.op(call.tensor(0));
  if (exponential.prim != Prim::kMap || exponential.fn != "exp") return {false};
  const CoreOp& negative = builder.op(exponential.operands[0]);
  if (negative.prim != Prim::kLinear || negative.operands.size() != 1 ||
      !(negative.coefs[0] == Rational(-1)))
    return {false};
  const CoreOp& magnitude = builder.op(negative.operands[0]);
  return {magnitude.prim == Prim::kMap && magnitude.fn == "abs" &&
          magnitude.operands[0] == call.tensor(1)};
}

Value is_infinite(Call& call) {
  const CoreOp& op = call.builder().op(call.tensor(0));
  return {op.prim == Prim::kConst && (op.fn == "inf" || op.fn == "-inf")};
}

Value ascends(Call& call) {
  const CoreId x = call.tensor(0);
  const auto values = constant_values(call.builder().program(), x);
  const Shape& shape = call.builder().shape(x);
  if (!values || shape.empty()) return {true};
  const auto columns = static_cast<size_t>(static_cast<PlainInt>(shape.back()));
  for (size_t i = 1; i < values->size(); ++i)
    if (i % columns != 0 && (*values)[i] < (*values)[i - 1]) return {false};
  return {true};
}

// Of a constant that is filled at places of an order, none of which is named twice.
Value fills_once(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0), ids = call.tensor(2);
  if (builder.rank(x) != builder.rank(ids)) call.fail("the tensors' numbers of dimensions differ");
  const Int dim = call.dim(1, builder.rank(ids));
  return {!is_bool(builder.dtype(x)) && builder.rank(ids) > 0 && builder.is_finite_constant(x) &&
          std::isfinite(call.number(3)) &&
          are_places_of_an_order(builder.program(), ids, static_cast<size_t>(dim))};
}

// What a scatter into x along `dim` assumes of its indices: those that the program gives are held
// against it. They may name a place again elsewhere than along `dim`.
Value written_once(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0), ids = call.tensor(2);
  if (!is_integer(builder.dtype(ids))) call.fail("indices must be integers");
  const Int dim = call.dim(1, builder.rank(ids));
  const Shape shape = builder.shape(ids);  // a copy: what is built moves the original
  if (builder.rank(x) != builder.rank(ids)) call.fail("the tensors' numbers of dimensions differ");
  std::vector<CoreId> places{ids};
  Shape rows;
  if (!shape.empty()) rows.push_back(builder.shape(x)[dim]);
  for (Int i = 0; i < builder.rank(ids); ++i) {
    if (i == dim) continue;
    Shape along(shape.size(), 1);
    along[i] = shape[i];
    rows.push_back(shape[i]);
    const CoreId counted = builder.iota(along[i], DType::kInt64);
    places.push_back(builder.expand(builder.reshape(counted, along), shape));
  }
  const std::optional<bool> twice = name_a_place_twice(builder.program(), places);
  if (twice.value_or(false)) call.unsupported("it writes an element twice");
  const bool several = !shape.empty() && shape[static_cast<size_t>(dim)] > 1;
  if (several && !twice &&
      !are_places_of_an_order(builder.program(), ids, static_cast<size_t>(dim)))
    builder.assume_single_write("scatter", std::move(places), std::move(rows));
  return tensor_value(ids);
}

// That none is is noted where it is taken to be so, and constants are held against it.
Value may_be_ignored(Call& call) {
  Builder& builder = call.builder();
  const Int ignored = call.integer(1);
  if (!builder.no_target_ignored() || (0 <= ignored && ignored < call.integer(2))) return {true};
  const std::string what = fmt::format("target of {} is ignore_index, {}", call.text(3), ignored);
  const auto known = constant_values(builder.program(), call.tensor(0));
  if (!known) builder.note("no " + what);
  if (known && std::ranges::count(*known, static_cast<double>(ignored)) > 0)
    call.unsupported("a " + what);
  return {false};
}

constexpr Builtin kAttributeBuiltins[] = {
    {"shape", 1, 1, shape, Effect::kMakes, "shape(x): the sizes of x"},
    {"size", 2, 2, size, Effect::kMakes, "size(x, dim): one size of x"},
    {"count", 1, 1, count, Effect::kMakes, "count(x): the number of elements of x"},
    {"rank", 1, 1, rank, Effect::kMakes, "rank(x): how many dimensions x has"},
    {"spread", 2, 2, spread, Effect::kMakes,
     "spread(list, count): so many numbers: the list, or its only one for all"},
    {"whole", 1, 1, whole, Effect::kMakes, "whole(a): the number without its fraction"},
    {"quotient", 2, 2, quotient, Effect::kMakes,
     "quotient(a, b): of integers, rounded down; b is positive"},
    {"drop_last", 1, 1, drop_last, Effect::kMakes, "drop_last(list): without its last number"},
    {"total", 1, 1, total, Effect::kMakes, "total(list): the sum of its numbers"},
    {"item", 2, 2, item, Effect::kMakes, "item(list, i): element i, counted from 0"},
    {"stat_shape", 2, 2, stat_shape, Effect::kMakes,
     "stat_shape(x, sizes): the sizes of x, the last ones (as many as the list has) 1"},
    {"number_of", 1, 1, number_of, Effect::kMakes,
     "number_of(x): the number that every element of a constant is; others are unsupported"},
    {"least_of_type", 1, 1, least_of_type, Effect::kMakes,
     "least_of_type(x): the least number of x's type, or -inf"},
    {"greatest_of_type", 1, 1, greatest_of_type, Effect::kMakes,
     "greatest_of_type(x): the greatest number of x's type, or inf"},
    {"assuming", 2, 2, assuming, Effect::kMoves,
     "assuming(text, x): x, where an assumption holds that is listed"},
    {"is_float", 1, 1, is_float, Effect::kMakes,
     "is_float(x): whether x has a floating-point type"},
    {"has_dtype", 2, 2, has_dtype, Effect::kMakes, "has_dtype(x, dtype): whether x has that type"},
    {"in_type", 2, 2, in_type, Effect::kMakes,
     "in_type(a, x): the number a, or none, as an element of x: integers have no fractions and "
     "wrap"},
    {"accumulation_epsilon", 1, 1, accumulation_epsilon, Effect::kMakes,
     "accumulation_epsilon(x): the machine epsilon of the type that sums of x are taken in"},
    {"unsupported", 1, 1, unsupported, Effect::kMakes,
     "unsupported(reason): the declaration says nothing about these arguments"},
    {"given", 1, 1, given, Effect::kMakes, "given(a): whether an optional argument is there"},
    {"equals", 2, 2, equals, Effect::kMakes, "equals(a, b): whether two attributes are equal"},
    {"less", 2, 2, less, Effect::kMakes, "less(a, b): whether one number is below another"},
    {"root", 1, 1, root, Effect::kMakes, "root(a): the square root of a number"},
    {"is_decay", 2, 2, is_decay, Effect::kMakes,
     "is_decay(y, x): whether y was made as exp(-|x|), of that very x"},
    {"is_infinite", 1, 1, is_infinite, Effect::kMakes,
     "is_infinite(x): whether x is a constant, and infinite everywhere"},
    {"ascends", 1, 1, ascends, Effect::kMakes,
     "ascends(x): whether the rows of x ascend, where they are constants; true of others"},
    {"fills_once", 4, 4, fills_once, Effect::kMakes,
     "fills_once(x, dim, ids, number): whether x is one number everywhere, and the ids of a fill "
     "along dim are places of an order, of which none is named twice"},
    {"written_once", 3, 3, written_once, Effect::kMoves,
     "written_once(x, dim, ids): the ids of a scatter into x, assumed to name no place twice; "
     "unsupported "
     "where constants show that they do"},
    {"may_be_ignored", 4, 4, may_be_ignored, Effect::kMakes,
     "may_be_ignored(target, ignore_index, classes, \"nll_loss\"): whether a target may be it; "
     "unsupported where none is taken to be and constants are"},
};

}  // namespace

std::span<const Builtin> attribute_builtins() { return kAttributeBuiltins; }

}  // namespace assay::lowering
