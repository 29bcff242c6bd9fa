#include "shared_ir/lower/build/builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/collective.h"
#include "shared_ir/lower/build/operands_fit.h"
#include "shared_ir/lower/build/typed_function.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
CoreOp& Builder::append(Prim prim, DType dtype, Shape shape, std::vector<CoreId> operands) {
  constexpr size_t kMostOfANode = size_t{1} << 16;
  if (origin_ != kNone && program_.ops.size() - first_ >= kMostOfANode) throw SizeOverflow{};
  element_count(shape);
  CoreOp& op = program_.ops.emplace_back();
  op.prim = prim;
  op.dtype = dtype;
  op.shape = std::move(shape);
  op.operands = std::move(operands);
  op.origin = origin_;
  return op;
}

CoreId Builder::input(TensorId tensor, DType dtype, const Shape& shape) {
  append(Prim::kInput, dtype, shape, {}).tensor = tensor;
  return last();
}

CoreId Builder::stored_constant(double value, DType dtype, const Shape& shape) {
  if (!is_floating(dtype) || !std::isfinite(value)) return constant(value, dtype, shape);
  if (!is_in_range(value, dtype)) return constant(nearest_number(value, dtype), dtype, shape);
  const CoreId result = constant(value, dtype, shape);
  if (op(result).prim == Prim::kConst) note_rounded(op(result).constant, dtype, true);
  return result;
}

CoreId Builder::constant(const Rational& value, DType dtype, const Shape& shape) {
  note_rounded(value, dtype);
  append(Prim::kConst, dtype, shape, {}).constant =
      is_integer(dtype) && value.is_integer() ? Rational(cast_integer(value.numerator(), dtype))
                                              : value;
  return last();
}

CoreId Builder::constant(double value, DType dtype, const Shape& shape) {
  if (!std::isfinite(value)) {
    append(Prim::kConst, dtype, shape, {}).fn = std::isnan(value) ? "nan"
                                                : value > 0       ? "inf"
                                                                  : "-inf";
    return last();
  }
  RationalFromDouble exact = rational(value);
  return exact.exact ? constant(exact.value, dtype, shape) : opaque_number(value, dtype, shape);
}

CoreId Builder::opaque_number(double value, DType dtype, const Shape& shape) {
  CoreId scalar = opaque(fmt::format("constant({})", value), {}, dtype, {});
  return expand(reshape(scalar, Shape(shape.size(), 1)), shape);
}

RationalFromDouble Builder::rational(double value) {
  RationalFromDouble result = rational_from_double(value);
  if (result.exact && result.rounded)
    note(fmt::format("the constant {} is taken as {}", value, to_string(result.value)));
  return result;
}

CoreId Builder::iota(Int size, DType dtype) {
  const Int most = integer_range(dtype).second;
  const bool may_exceed = is_number(size) ? exceeds(size, most) : byte_size(dtype) < 4;
  if (dtype != DType::kInt64 && may_exceed) return cast(iota(size, DType::kInt64), dtype);
  append(Prim::kIota, dtype, {size}, {});
  return last();
}

CoreId Builder::uninit(DType dtype, const Shape& shape) {
  append(Prim::kUninit, dtype, shape, {});
  return last();
}

CoreId Builder::random(const std::string& fn, DType dtype, const Shape& shape) {
  CoreOp& op = append(Prim::kRandom, dtype, shape, {});
  op.fn = fn;
  op.occurrence = random_calls_[fn]++;
  return last();
}

CoreId Builder::random_like(const std::string& fn, CoreId x, DType dtype) {
  random(fn, dtype, Shape(shape(x)));
  program_.ops.back().operands = {x};
  return last();
}

CoreId Builder::same_constant(CoreId x, DType dtype, Shape shape) {
  CoreOp copy = op(x);
  CoreOp& result = append(Prim::kConst, dtype, std::move(shape), {});
  result.constant = copy.constant;
  result.fn = copy.fn;
  return last();
}

CoreId Builder::permute(CoreId x, const std::vector<Int>& dims) {
  const Shape& from = shape(x);
  require(dims.size() == from.size(), "permute needs every dimension");
  if (std::is_sorted(dims.begin(), dims.end())) return x;
  Shape to(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) to[i] = from[dims[i]];
  if (op(x).prim == Prim::kConst) return same_constant(x, dtype(x), to);
  append(Prim::kPermute, dtype(x), std::move(to), {x}).ints = dims;
  return last();
}

CoreId Builder::reshape(CoreId x, const Shape& to) {
  if (shape(x) == to) return x;
  require(element_count(shape(x)) == element_count(to), "reshape keeps the number of elements");
  if (op(x).prim == Prim::kConst) return same_constant(x, dtype(x), to);
  append(Prim::kReshape, dtype(x), to, {x});
  return last();
}

CoreId Builder::expand(CoreId x, const Shape& to) {
  const Shape& from = shape(x);
  if (from == to) return x;
  require(from.size() == to.size(), "expand keeps the number of dimensions");
  for (size_t i = 0; i < to.size(); ++i)
    require(from[i] == to[i] || from[i] == 1, "expand repeats size 1 only");
  if (op(x).prim == Prim::kConst) return same_constant(x, dtype(x), to);
  append(Prim::kExpand, dtype(x), to, {x});
  return last();
}

CoreId Builder::constant_piece(CoreId x, Int dim, Int start, Int step, Int count) const {
  if (op(x).prim != Prim::kCat || op(x).ints[0] != dim || count == 0) return kNone;
  for (const CoreId piece : op(x).operands) {
    const Int size = shape(piece)[static_cast<size_t>(dim)];
    if (start < size)
      return op(piece).prim == Prim::kConst && start + (count - 1) * step < size ? piece : kNone;
    start -= size;
  }
  return kNone;
}

CoreId Builder::slice(CoreId x, Int dim, Int start, Int step, Int count) {
  Shape to = shape(x);
  require(dim >= 0 && dim < rank(x) && step >= 1 && start >= 0 && count >= 0, "slice attributes");
  require(count == 0 || start + (count - 1) * step < to[dim], "slice stays inside");
  if (start == 0 && step == 1 && count == to[dim]) return x;
  to[dim] = count;
  if (op(x).prim == Prim::kConst) return same_constant(x, dtype(x), to);
  if (const CoreId piece = constant_piece(x, dim, start, step, count); piece != kNone)
    return same_constant(piece, dtype(x), to);
  append(Prim::kSlice, dtype(x), std::move(to), {x}).ints = {dim, start, step};
  return last();
}

CoreId Builder::cat(const std::vector<CoreId>& pieces, Int dim) {
  require(!pieces.empty(), "cat needs a piece");
  if (pieces.size() == 1) return pieces[0];
  Shape to = shape(pieces[0]);
  to[dim] = 0;
  for (CoreId piece : pieces) {
    Shape other = shape(piece);
    require(other.size() == to.size() && dtype(piece) == dtype(pieces[0]), "cat pieces agree");
    to[dim] = plus(to[dim], std::exchange(other[dim], to[dim]));
    for (size_t i = 0; i < to.size(); ++i)
      require(static_cast<Int>(i) == dim || other[i] == to[i],
              "cat pieces agree off the dimension");
  }
  append(Prim::kCat, dtype(pieces[0]), std::move(to), pieces).ints = {dim};
  return last();
}

CoreId Builder::linear(const std::vector<CoreId>& operands, const std::vector<Rational>& coefs) {
  const CoreId sum = plain_linear(operands, coefs);
  const bool made = op(sum).prim == Prim::kLinear && sum == last();
  return made && is_integer(dtype(sum)) ? joined_sum(sum) : sum;
}

CoreId Builder::plain_linear(const std::vector<CoreId>& operands,
                             const std::vector<Rational>& coefs) {
  require(!operands.empty() && operands.size() == coefs.size(),
          "linear needs a coefficient per operand");
  bool constants = true;
  for (CoreId operand : operands) {
    require(shape(operand) == shape(operands[0]) && dtype(operand) == dtype(operands[0]),
            "linear operands agree");
    constants = constants && is_finite_constant(operand);
  }
  if (operands.size() == 1 && coefs[0].is_one()) return operands[0];
  if (constants) {
    Rational sum;
    for (size_t i = 0; i < operands.size(); ++i) sum = sum + coefs[i] * op(operands[i]).constant;
    return constant(sum, dtype(operands[0]), shape(operands[0]));
  }
  append(Prim::kLinear, dtype(operands[0]), shape(operands[0]), operands).coefs = coefs;
  return last();
}

CoreId Builder::mul(CoreId a, CoreId b) {
  require(shape(a) == shape(b) && dtype(a) == dtype(b), "mul operands agree");
  if (is_finite_constant(a)) return scale(b, op(a).constant);
  if (is_finite_constant(b)) return scale(a, op(b).constant);
  for (const auto& [sign, size] : {std::pair(a, b), std::pair(b, a)})
    if (const CoreId x = rounded_towards_zero(sign, size); x != kNone)
      return map("trunc", {x}, dtype(x), 0);
  append(Prim::kMul, dtype(a), shape(a), {a, b});
  return last();
}

CoreId Builder::map(const std::string& fn, const std::vector<CoreId>& operands, DType dtype,
                    uint32_t linear_in) {
  require(!operands.empty(), "map needs an operand");
  for (CoreId operand : operands)
    require(shape(operand) == shape(operands[0]), "map operands agree");
  if (const CoreId normal = normal_map(fn, operands, dtype); normal != kNone) return normal;
  const DType of = this->dtype(operands[0]);
  CoreOp& op = append(Prim::kMap, dtype, shape(operands[0]), wrapped(operands, linear_in));
  op.fn = typed_function(fn, of, dtype);
  op.linear = linear_in;
  return last();
}

CoreId Builder::keep(CoreId mask, CoreId x) {
  require(dtype(mask) == DType::kBool && shape(mask) == shape(x),
          "keep needs a mask of the same shape");
  if (is_bool(dtype(x))) {
    if (!is_finite_constant(x)) return map("and", {mask, x}, DType::kBool, 0);
    return op(x).constant.is_zero() ? x : mask;
  }
  if (const CoreId kept = kept_constant(mask, x); kept != kNone) return kept;
  append(Prim::kKeep, dtype(x), shape(x), {mask, x});
  return last();
}

CoreId Builder::reduce(Prim prim, CoreId x, const std::vector<Int>& dims) {
  if (dims.empty()) return x;
  require(std::adjacent_find(dims.begin(), dims.end(), std::greater_equal<>()) == dims.end(),
          "reduced dims ascend");
  Shape to;
  for (Int i = 0; i < rank(x); ++i)
    if (!std::binary_search(dims.begin(), dims.end(), i)) to.push_back(shape(x)[i]);
  if (prim != Prim::kReduceSum) x = wrapped(x);
  append(prim, dtype(x), std::move(to), {x}).ints = dims;
  return last();
}

CoreId Builder::one_hot(CoreId ids, Int classes, DType dtype, std::optional<Int> beside) {
  ids = unwrapped(ids);
  Shape to = shape(ids);
  to.push_back(classes);
  CoreOp& made = append(Prim::kOneHot, dtype, std::move(to), {ids});
  if (beside) made.ints = {*beside};
  return last();
}

CoreId Builder::block(const std::string& fn, BlockSpec spec, const std::vector<CoreId>& operands,
                      DType dtype, const Shape& shape, uint32_t linear_in) {
  require(spec.operands.size() == operands.size() && spec.output.size() == shape.size(),
          "block fits its spec");
  const DType of = operands.empty() ? dtype : this->dtype(operands[0]);
  CoreOp& op = append(Prim::kBlock, dtype, shape, wrapped(operands, linear_in));
  op.fn = typed_function(fn, of, dtype);
  op.linear = linear_in;
  op.spec = static_cast<int32_t>(program_.specs.size());
  program_.specs.push_back(std::move(spec));
  return last();
}

CoreId Builder::collective(Collective what, CoreId x, const Shape& shape) {
  const bool adds_up = is_reduction(what.kind) && what.reduce != Collective::Reduce::kMax &&
                       what.reduce != Collective::Reduce::kMin;
  if (!adds_up) x = wrapped(x);
  append(Prim::kCollective, dtype(x), shape, {x}).collective =
      static_cast<int32_t>(program_.collectives.size());
  program_.collectives.push_back(std::move(what));
  return last();
}

void Builder::wait(CoreId x) {
  if (op(x).prim == Prim::kCollective) wait_for(static_cast<size_t>(op(x).collective));
}

void Builder::wait_for(size_t collective) {
  Collective& what = program_.collectives[collective];
  if (what.awaited_before == kNone) what.awaited_before = static_cast<CoreId>(program_.ops.size());
}

CoreId Builder::opaque(const std::string& fn, const std::vector<CoreId>& operands, DType dtype,
                       const Shape& shape) {
  append(Prim::kOpaque, dtype, shape, operands).fn = fn;
  return last();
}

CoreId Builder::undeclared(const std::string& fn, const std::vector<CoreId>& operands, DType dtype,
                           const Shape& shape) {
  std::string types;
  for (const CoreId operand : operands) types += std::string(to_string(this->dtype(operand))) + ",";
  return opaque(fmt::format("{}@{}->{}", fn, types, to_string(dtype)), operands, dtype, shape);
}

void Builder::note(const std::string& text) {
  if (notes_.insert(text).second) program_.notes.push_back(text);
}

void Builder::assume_single_write(const std::string& name, std::vector<CoreId> indices,
                                  Shape rows) {
  note(name + " writes no element twice");
  program_.single_writes.push_back({origin_, std::move(indices), std::move(rows)});
}

void Builder::note_opaque(const std::string& operator_name) {
  auto& names = program_.opaque;
  if (std::find(names.begin(), names.end(), operator_name) == names.end())
    names.push_back(operator_name);
}

CoreProgram Builder::finish(std::vector<CoreId> value_of) {
  if (bounds_.takes_sizes_as_small()) note(kSmallSizesNote);
  for (const CoreId id : value_of)
    program_.may_wrap.push_back(id != kNone && is_integer(dtype(id)) &&
                                !bounds_.fits(program_, id));
  program_.value_of = std::move(value_of);
  find_few_values();
  return std::move(program_);
}

// Of functions of integers, and of indices. Sums of others are known by their terms.
void Builder::find_few_values() {
  std::vector<bool> asked(program_.ops.size());
  for (size_t id = 0; id < asked.size(); ++id) {
    const CoreOp& made = program_.ops[id];
    if (made.prim == Prim::kOneHot) asked[static_cast<size_t>(made.operands[0])] = true;
    asked[id] = made.prim == Prim::kMap ||
                (made.prim == Prim::kLinear && integer_ranges_.contains(static_cast<CoreId>(id)));
  }
  for (size_t id = 0; id < asked.size(); ++id) {
    const CoreOp& made = program_.ops[id];
    if (!asked[id] || !is_integer(made.dtype)) continue;
    if (const auto few = bounds_.few_values(program_, static_cast<CoreId>(id)))
      program_.few_values.push_back(*few);
  }
}

}  // namespace assay::lowering
