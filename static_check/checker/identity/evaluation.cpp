#include "static_check/checker/identity/evaluation.h"

#include <algorithm>
#include <cmath>

#include "shared_ir/cast.h"
#include "shared_ir/reference/movement.h"
#include "shared_ir/reference/operation.h"
#include "static_check/checker/identity/cuts/defined.h"
#include "static_check/checker/identity/cuts/part_at.h"
#include "static_check/checker/identity/functions.h"
#include "static_check/checker/identity/sources.h"
#include "static_check/checker/integers/whole_numbers.h"

namespace assay::checker::identity {

bool Evaluation::is_wanted(Rank rank, CoreId id) const {
  return scope_.cone == nullptr || scope_.cone->holds({sequential_ ? kNone : rank, id});
}

bool Evaluation::calls(Rank rank, CoreId id) const {
  return scope_.cone != nullptr && scope_.cone->calls({rank, id});
}

const Evaluation::Tensor* Evaluation::given(Rank rank, CoreId id) {
  if (scope_.cuts == nullptr) return nullptr;
  if (sequential_) {
    if (!scope_.cuts->is_any(id) || calls(kNone, id)) return nullptr;
    given_ = any_numbers(id);
    return &given_;
  }
  const Cuts::Place* place = scope_.cuts->find({rank, id});
  if (place == nullptr || calls(rank, id)) return nullptr;
  const Shape& shape = joint_.program(rank).ops.at(static_cast<size_t>(id)).shape;
  given_ = part_at(sequential_values_->at(static_cast<size_t>(place->sequential)), *place, shape);
  return &given_;
}

Evaluation::Tensor Evaluation::value(Rank rank, const CoreProgram& program, const CoreOp& op,
                                     const std::vector<const Tensor*>& operands) {
  Tensor out{op.shape, {}};
  if (op.prim == Prim::kInput || op.prim == Prim::kRandom) {
    const std::vector<Value>& claims = joint_.values(sequential_ ? kNone : rank);
    const auto id = static_cast<size_t>(&op - program.ops.data());
    out.values = claimed_elements(algebra_, joint_.certificate.universe, op, claims.at(id));
    return out;
  }
  out.values.resize(static_cast<size_t>(reference::count_of(op.shape)));
  evaluate(program, op, operands, out);
  const Type type = type_of(op.dtype);
  for (Number& x : out.values) x = algebra_.typed(x, type);
  learn_values(program, op, out);
  return out;
}

bool Evaluation::is_defined(const CoreOp& map) {
  if (positive_.empty()) positive_ = always_positive(joint_.sequential);
  const bool positive =
      map.operands.size() == 1 && positive_.at(static_cast<size_t>(map.operands[0]));
  return map_is_defined(map.fn, positive || scope_.where_defined);
}

// Of which no more is known than that they are positive, if they are.
Evaluation::Tensor Evaluation::any_numbers(CoreId id) {
  if (positive_numbers_.empty()) {
    positive_numbers_ = numbers_of(joint_.sequential).of_numbers;
    const std::vector<bool> positive = always_positive(joint_.sequential);
    for (size_t i = 0; i < positive.size(); ++i)
      positive_numbers_[i] = positive_numbers_[i] && positive[i];
  }
  const CoreOp& op = joint_.sequential.ops.at(static_cast<size_t>(id));
  if (type_of(op.dtype) != kReal) throw Rejection{"any numbers are real"};
  const bool positive = positive_numbers_.at(static_cast<size_t>(id));
  Tensor tensor{op.shape, {}};
  for (PlainInt i = 0; i < reference::count_of(op.shape); ++i) {
    const uint64_t keys[] = {static_cast<uint64_t>(id), static_cast<uint64_t>(i)};
    Number x = algebra_.variable(algebra_.random("any number", keys), kReal);
    x.positive = x.nonnegative = positive;
    tensor.values.push_back(x);
  }
  return tensor;
}

void Evaluation::evaluate(const CoreProgram& program, const CoreOp& op,
                          const std::vector<const Tensor*>& operands, Tensor& out) {
  const Type type = type_of(op.dtype);
  const auto each = [&](auto function) {
    for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = function(i);
  };
  total_ = total_ && is_always_defined(op);
  switch (op.prim) {
    case Prim::kConst:
      std::fill(out.values.begin(), out.values.end(), constant(op));
      return;
    case Prim::kIota:
      return each(
          [&](size_t i) { return algebra_.exact(Rational(static_cast<PlainInt>(i)), type); });
    case Prim::kUninit:
      return;  // undefined
    case Prim::kPermute:
      return reference::permute(op, *operands[0], out);
    case Prim::kReshape:
      out.values = operands[0]->values;
      return;
    case Prim::kExpand:
      return reference::expand(*operands[0], out);
    case Prim::kSlice:
      return reference::slice(op, *operands[0], out);
    case Prim::kCat:
      return reference::cat(op.ints[0], operands, out);
    case Prim::kLinear:
      return linear(op, operands, out);
    case Prim::kMul:
      return each(
          [&](size_t i) { return multiply(operands[0]->values[i], operands[1]->values[i]); });
    case Prim::kMap: {
      if (sequential_ && scope_.within && total_) total_ = is_defined(op);
      const Use use{op.fn, reference::parse_function_name(op.fn), type};
      std::vector<Number> at(operands.size());
      return each([&](size_t i) {
        for (size_t k = 0; k < at.size(); ++k) at[k] = operands[k]->values[i];
        return map(algebra_, use, at);
      });
    }
    case Prim::kKeep:
      return each(
          [&](size_t i) { return algebra_.keep(operands[0]->values[i], operands[1]->values[i]); });
    case Prim::kCast:
      if (is_float8(op.dtype)) throw Rejection{"a cast to float8"};
      if (keeps_whole_numbers(program, op))
        return each([&](size_t i) { return algebra_.as_integer(operands[0]->values[i], type); });
      return each([&](size_t i) { return algebra_.cast(operands[0]->values[i], type); });
    case Prim::kReduceSum:
    case Prim::kReduceMax:
    case Prim::kReduceMin:
      return reduce(op, *operands[0], out);
    case Prim::kOneHot: {
      const auto classes = static_cast<size_t>(op.shape.back());
      for (const Number& index : operands[0]->values)
        check_index(index, Table(static_cast<PlainInt>(classes), op.ints));
      return each([&](size_t i) {
        return one_hot(operands[0]->values[i / classes], static_cast<PlainInt>(i % classes), type);
      });
    }
    case Prim::kBlock:
    case Prim::kOpaque:
      return blocks(program, op, operands, out);
    case Prim::kInput:
    case Prim::kRandom:
    case Prim::kCollective:
      throw InternalError("this operator needs more than its operands");
  }
}

Number Evaluation::constant(const CoreOp& op) {
  if (op.fn == "inf" || op.fn == "-inf") return Algebra::infinity(op.fn == "-inf");
  if (!op.fn.empty()) return Algebra::undefined();
  return algebra_.constant(op.constant, type_of(op.dtype));
}

Number Evaluation::literal(double value, Type type) {
  total_ = total_ && std::isfinite(value);
  if (std::isnan(value)) return Algebra::undefined();
  if (std::isinf(value)) return Algebra::infinity(value < 0);
  if (type == kReal) return algebra_.constant(value);
  return algebra_.constant(Rational(static_cast<PlainInt>(value)), type);
}

void Evaluation::linear(const CoreOp& op, const std::vector<const Tensor*>& operands, Tensor& out) {
  const Type type = type_of(op.dtype);
  if (type == kFlag) throw Rejection{"a sum of flags"};
  std::vector<Number> coefs;
  for (const Rational& coef : op.coefs) coefs.push_back(algebra_.constant(coef, type));
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<Number> terms;
    for (size_t k = 0; k < operands.size(); ++k)
      terms.push_back(coefs[k].is_constant()
                          ? algebra_.scaled(operands[k]->values[i], algebra_.rational(coefs[k]))
                          : algebra_.multiply(operands[k]->values[i], coefs[k]));
    out.values[i] = algebra_.sum(std::move(terms));
  }
}

void Evaluation::reduce(const CoreOp& op, const Tensor& x, Tensor& out) {
  const Type type = type_of(op.dtype);
  if (type == kFlag && op.prim == Prim::kReduceSum) throw Rejection{"a sum of flags"};
  std::vector<std::vector<Number>> groups(out.values.size());
  reference::for_each_reduced(x.shape, op.ints, out.shape, [&](size_t to, size_t from) {
    groups[to].push_back(x.values[from]);
  });
  for (size_t i = 0; i < groups.size(); ++i) {
    if (op.prim == Prim::kReduceSum) {
      out.values[i] = algebra_.sum(std::move(groups[i]));
    } else if (groups[i].empty()) {
      if (type != kReal) throw Rejection{"the extremum of nothing"};
      out.values[i] = Algebra::infinity(op.prim == Prim::kReduceMax);
    } else {
      out.values[i] =
          op.prim == Prim::kReduceMax ? algebra_.maximum(groups[i]) : algebra_.minimum(groups[i]);
    }
  }
}

// That the sequential program's indices lie in their tables is an assumption. A rank's must be one
// of those, in a table that is as large at least, or known.
void Evaluation::check_index(const Number& index, const Table& table) {
  if (index.is_constant()) {
    const Rational& known = algebra_.rational(index);
    if (!known.is_integer() || !table.contains(static_cast<PlainInt>(known.numerator())))
      throw Rejection{"an index outside of its table"};
  } else if (algebra_.selects_constants({&index, 1})) {
    algebra_.member_by_member({&index, 1}, index.type, [&](std::span<const Number> x) {
      check_index(x[0], table);
      return std::optional(x[0]);
    });
  } else if (const auto lies = algebra_.place_lies_in(index, table)) {
    if (!*lies) throw Rejection{"an index outside of its table"};
  } else if (sequential_) {
    algebra_.learn_table(index, table);
  } else if (!algebra_.lies_in_table(index, table)) {
    throw Rejection{"an index that may lie outside of a rank's table"};
  }
}

// What lowering says of the operator that made them.
void Evaluation::learn_values(const CoreProgram& program, const CoreOp& op, const Tensor& made) {
  const auto id = static_cast<CoreId>(&op - program.ops.data());
  const auto few = std::ranges::lower_bound(program.few_values, id, {}, &FewValues::op);
  if (few == program.few_values.end() || few->op != id) return;
  const Table table = Table::between(few->low, few->high);
  for (const Number& x : made.values)
    if (!algebra_.selects_constants({&x, 1})) algebra_.learn_table(x, table);
}

Number Evaluation::one_hot(const Number& index, PlainInt of_class, Type type) {
  const Number number = algebra_.exact(Rational(of_class), index.type);
  // A class beyond the index's type is no index.
  if (!number.is_constant()) return algebra_.exact(Rational(0), type);
  return algebra_.cast(algebra_.equal(index, number), type);
}

void Evaluation::blocks(const CoreProgram& program, const CoreOp& op,
                        const std::vector<const Tensor*>& operands, Tensor& out) {
  const Use use{op.fn, {}, type_of(op.dtype)};
  if (op.prim == Prim::kOpaque) {
    // What lowering makes of a number that is no short fraction.
    const reference::FunctionName fn = reference::parse_function_name(op.fn);
    if (fn.name == "constant" && operands.empty() && use.type == kReal) {
      std::fill(out.values.begin(), out.values.end(), algebra_.constant(fn.number(0)));
      return;
    }
    if (fn.name == "literal" && operands.empty()) {
      const ReferenceTensor written = reference::run_operation({}, op, {});
      for (size_t i = 0; i < out.values.size(); ++i)
        out.values[i] = literal(written.values[i], use.type);
      return;
    }
    std::vector<NumberBlock> wholes;
    for (const Tensor* operand : operands) wholes.push_back(*operand);
    return unknown_block(algebra_, use, wholes, out);
  }
  const Use named{op.fn, reference::parse_function_name(op.fn), type_of(op.dtype)};
  reference::for_each_block(program.specs[static_cast<size_t>(op.spec)], operands, out,
                            [&](const std::vector<NumberBlock>& whole, NumberBlock& result) {
                              block(algebra_, named, whole, result);
                              for (Number& x : result.values) x = algebra_.typed(x, named.type);
                            });
}

Number Evaluation::add(const Number& a, const Number& b) {
  if (a.type == kFlag || b.type == kFlag) throw Rejection{"a sum of flags"};
  return algebra_.add(a, b);
}

Number Evaluation::multiply(const Number& a, const Number& b) { return algebra_.multiply(a, b); }

Number Evaluation::maximum(const Number& a, const Number& b, DType dtype) {
  return algebra_.typed(algebra_.maximum({a, b}), type_of(dtype));
}

Number Evaluation::minimum(const Number& a, const Number& b, DType dtype) {
  return algebra_.typed(algebra_.minimum({a, b}), type_of(dtype));
}

Number Evaluation::share(const Number& a, int64_t parts) {
  if (a.type != kReal) throw Rejection{"the mean of integers"};
  return algebra_.scaled(a, Rational(1, parts));
}

Number Evaluation::scaled(const Number& a, int64_t numerator, int64_t denominator) {
  if (a.type == kFlag) throw Rejection{"a multiple of flags"};
  return algebra_.scaled(a, Rational(numerator, denominator));
}

}  // namespace assay::checker::identity
