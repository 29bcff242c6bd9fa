// Builtins that make tensors from attributes alone: constants, counting, random and unwritten
// memory. A dtype of none is the recorded one, which says what the program's default was.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/sizes.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

CoreId constant(Call& call, size_t number, DType dtype, const Shape& shape) {
  if (const auto* integer = call[number].get_if<Int>(); integer && !is_bool(dtype)) {
    const Rational value(*integer);
    if (!is_floating(dtype) || is_in_range(value.to_double(), dtype))
      return call.builder().constant(value, dtype, shape);
  }
  double value = call.number(number);
  if (is_bool(dtype)) value = value != 0;
  // As PyTorch converts numbers: without the fraction, and not beyond the type's range.
  if (is_integer(dtype)) value = std::trunc(value);
  if (is_integer(dtype) && !(std::abs(value) <= 0x1p63))
    call.fail(fmt::format("{} is no {}", value, to_string(dtype)));
  if (is_floating(dtype) && std::isfinite(value) && !std::isfinite(nearest_number(value, dtype)))
    call.fail(fmt::format("{} is no {}", value, to_string(dtype)));
  return call.builder().stored_constant(value, dtype, shape);
}

Value full(Call& call) {
  return tensor_value(constant(call, 1, call.dtype_or_recorded(2), call.sizes(0)));
}

Value full_like(Call& call) {
  CoreId x = call.tensor(0);
  DType dtype = call.has(2) ? call.dtype(2) : call.builder().dtype(x);
  return tensor_value(constant(call, 1, dtype, Shape(call.builder().shape(x))));
}

// Nested lists of numbers in row-major order. False where doubles do not hold them.
bool flatten(const Value& value, std::vector<double>& numbers, Call& call) {
  bool exact = true;
  if (const ValueList* list = value.get_if<ValueList>()) {
    for (const Value& element : *list) exact = flatten(element, numbers, call) && exact;
  } else if (const Int* integer = value.get_if<Int>()) {
    numbers.push_back(static_cast<double>(*integer));
    exact = std::abs(numbers.back()) < kExactIntegers;
  } else if (const double* real = value.get_if<double>()) {
    numbers.push_back(*real);
  } else if (const bool* flag = value.get_if<bool>()) {
    numbers.push_back(*flag ? 1 : 0);
  } else {
    call.fail("a constant is made of numbers");
  }
  return exact;
}

// Equal neighbours as one constant each, joined: what is cut out of such a table is a constant
// again. nullopt for nothing, and for more runs than a table of offsets or flags has.
std::optional<CoreId> constant_runs(Builder& builder, const std::vector<double>& numbers,
                                    DType dtype) {
  constexpr size_t kMostRuns = 64;
  std::vector<size_t> starts;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (i == 0 || numbers[i] != numbers[i - 1]) starts.push_back(i);
  if (starts.empty() || starts.size() > kMostRuns) return std::nullopt;
  std::vector<CoreId> runs;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : numbers.size();
    runs.push_back(
        builder.stored_constant(numbers[starts[i]], dtype, {static_cast<Int>(end - starts[i])}));
  }
  return builder.cat(runs, 0);
}

Value literal(Call& call) {
  const Tensor* recorded = call.context().recorded;
  if (!recorded) call.unsupported("needs a recorded type");
  std::vector<double> numbers;
  const bool exact = flatten(call[0], numbers, call);
  Builder& builder = call.builder();
  auto count = element_count(recorded->shape);
  if (static_cast<Int>(numbers.size()) != count)
    call.fail(fmt::format("{} numbers given for {} elements", numbers.size(), count));
  if (!exact) {  // a number that is known, or what is equal to itself alone
    if (const Int* integer = call[0].get_if<Int>())
      return tensor_value(builder.constant(Rational(*integer), recorded->dtype, recorded->shape));
    return tensor_value(builder.undeclared("large_integers(" + attribute_text(call[0]) + ")", {},
                                           recorded->dtype, recorded->shape));
  }
  if (auto runs = constant_runs(builder, numbers, recorded->dtype))
    return tensor_value(builder.reshape(*runs, recorded->shape));
  return tensor_value(builder.opaque("literal(" + attribute_text(call[0]) + ")", {},
                                     recorded->dtype, recorded->shape));
}

// Numbers of an arange of int64 from a whole number to a whole number by whole steps, and of any
// type by 1: sizes may be over symbols, which doubles are not, and large numbers are no doubles.
std::optional<Int> whole_count(const Call& call, DType dtype) {
  const auto integer = [&](size_t i, Int absent) -> std::optional<Int> {
    if (!call.has(i)) return absent;
    const auto* given = call[i].get_if<Int>();
    return given ? std::optional(*given) : std::nullopt;
  };
  const auto start = integer(0, 0), end = integer(1, 0), step = integer(2, 1);
  if (!start || !end || !step || *step == 0) return std::nullopt;
  if (*step != 1 && dtype != DType::kInt64) return std::nullopt;
  const Int distance = *step > 0 ? plus(*end, times(*start, -1)) : plus(*start, times(*end, -1));
  if (distance < 0) return std::nullopt;
  if (*step == 1 || distance == 0) return distance;
  return (distance - 1) / (*step > 0 ? *step : times(*step, -1)) + 1;
}

// start + step * i. Floating numbers that are integers are counted as such: what their type does
// not hold is rounded.
CoreId counted(Builder& builder, DType dtype, Int count, const Rational& start,
               const Rational& step) {
  CoreId result = builder.iota(count, is_floating(dtype) ? DType::kInt64 : dtype);
  if (!start.is_integer() || !step.is_integer()) result = builder.cast(result, dtype);
  const DType computed = builder.dtype(result);
  result = builder.scale(result, step);
  if (!start.is_zero())
    result = builder.linear({result, builder.constant(start, computed, {count})}, {1, 1});
  return builder.cast(result, dtype);
}

Value arange(Call& call) {
  DType dtype = call.dtype_or_recorded(3);
  Builder& builder = call.builder();
  if (const auto count = whole_count(call, dtype))
    return tensor_value(counted(builder, dtype, *count,
                                call.has(0) ? call.coefficient(0) : Rational(0),
                                call.has(2) ? call.coefficient(2) : Rational(1)));
  double start = call.has(0) ? call.number(0) : 0, end = call.number(1);
  double step = call.has(2) ? call.number(2) : 1;
  if (dtype == DType::kInt64) {  // without fractions from the first, as PyTorch counts
    start = std::trunc(start);
    end = std::trunc(end);
    step = std::trunc(step);
  }
  if (step == 0) call.fail("the step is 0");
  const double steps_to_end = std::ceil((end - start) / step);
  if (steps_to_end < 0) call.fail("the end lies before the start");
  constexpr double kMostSteps = 0x1p60;
  if (!(steps_to_end <= kMostSteps)) throw SizeOverflow{};
  const auto count = static_cast<Int>(steps_to_end);
  if (!is_floating(dtype)) {  // shorter integers: as many as there are in real numbers
    start = std::trunc(start);
    step = std::trunc(step);
  }
  return tensor_value(
      counted(builder, dtype, count, call.coefficient_of(start), call.coefficient_of(step)));
}

// Rows and columns of the elements of a matrix on and below its diagonal, or on and above it, row
// after row.
Value triangle(Call& call) {
  constexpr Int kMostTriangleRows = 4096;
  Builder& builder = call.builder();
  const Int rows = call.integer(0), columns = call.integer(1), diagonal = call.integer(2);
  const bool upper = call.flag(3);
  const DType dtype = call.dtype_or_recorded(4);
  if (rows < 0 || columns < 0) call.fail("a matrix of negative size");
  if (rows > kMostTriangleRows) call.unsupported("more rows than 4096");
  std::vector<CoreId> pieces[2];
  Int total = 0;
  for (Int row = 0; row < rows; ++row) {
    const Int bound = std::clamp<Int>(row + diagonal + (upper ? 0 : 1), 0, columns);
    const Int first = upper ? bound : 0, count = upper ? columns - bound : bound;
    if (count == 0) continue;
    total += count;
    pieces[0].push_back(builder.constant(Rational(row), dtype, {count}));
    const CoreId start = builder.constant(Rational(first), dtype, {count});
    pieces[1].push_back(builder.linear({builder.iota(count, dtype), start}, {1, 1}));
  }
  if (total == 0) return tensor_value(builder.constant(Rational(0), dtype, {2, 0}));
  std::vector<CoreId> both;
  for (const std::vector<CoreId>& of : pieces)
    both.push_back(builder.reshape(builder.cat(of, 0), {1, total}));
  return tensor_value(builder.cat(both, 0));
}

Value uninit(Call& call) {
  return tensor_value(call.builder().uninit(call.dtype_or_recorded(1), call.sizes(0)));
}

Value random(Call& call) {
  return tensor_value(
      call.builder().random(call.text(0), call.dtype_or_recorded(2), call.sizes(1)));
}

// Memory that nothing has written has no elements to draw for.
Value random_like(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(1);
  if (builder.op(x).prim == Prim::kUninit || builder.op(x).prim == Prim::kConst) {
    const Shape shape = builder.shape(x);
    return tensor_value(builder.random(call.text(0), call.dtype_or_recorded(2), shape));
  }
  return tensor_value(
      call.builder().random_like(call.text(0), call.tensor(1), call.dtype_or_recorded(2)));
}

constexpr Builtin kSourceBuiltins[] = {
    {"full", 3, 3, full, Effect::kMakes, "full(sizes, number, dtype): every element is the number"},
    {"full_like", 3, 3, full_like, Effect::kMakes,
     "full_like(x, number, dtype): the same in the shape (and, for none, the dtype) of x"},
    {"literal", 1, 1, literal, Effect::kMakes,
     "literal(numbers): a constant tensor of the recorded shape and dtype"},
    {"arange", 4, 4, arange, Effect::kMakes,
     "arange(start, end, step, dtype): start, start + step, ... below end"},
    {"triangle", 5, 5, triangle, Effect::kMakes,
     "triangle(rows, columns, diagonal, upper, dtype): [2, count], places on and below (upper: "
     "above) a diagonal"},
    {"uninit", 2, 2, uninit, Effect::kMakes, "uninit(sizes, dtype): memory never written"},
    {"random", 3, 3, random, Effect::kMakes,
     "random(fn, sizes, dtype): a fresh sample of the distribution fn"},
    {"random_like", 3, 3, random_like, Effect::kMakes,
     "random_like(fn, x, dtype): a fresh sample of the distribution fn for each element of x"},
};

}  // namespace

std::span<const Builtin> source_builtins() { return kSourceBuiltins; }

}  // namespace assay::lowering
