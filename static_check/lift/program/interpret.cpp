#include "static_check/lift/program/interpret.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/cast.h"
#include "shared_ir/reference/whole_numbers.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/arithmetic/parts.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

// In whose claims the checker lets an atom stand for one that lemmas show to be equal.
bool may_speak_of_equals(Prim prim) {
  return prim == Prim::kLinear || prim == Prim::kMul || prim == Prim::kMap || prim == Prim::kBlock;
}

}  // namespace

Interpreter::Interpreter(Lifting& lifting, const Graph& graph, const CoreProgram& program,
                         const std::map<std::string, Value>& inputs)
    : lifting_(lifting), graph_(graph), program_(program), inputs_(inputs) {
  result_.values.resize(program.ops.size());  // meetings point at values
}

void Interpreter::evaluate(CoreId id) {
  lifting_.check_deadline();
  const CoreOp& op = program_.ops[static_cast<size_t>(id)];
  Value& result = result_.values[static_cast<size_t>(id)];
  try {
    result = element_count(op.shape) == 0 ? single_tile(op.shape, {}) : compute(op);
    name_sums(lifting_, result, op.dtype);
    if (may_speak_of_equals(op.prim)) keep_equal_atoms(result);
  } catch (const NotLifted& why) {
    result_.unlifted.push_back({id, why.reason});
    result = unknown(op, Atom::Kind::kRandom);
  } catch (const RationalOverflow&) {
    result_.unlifted.push_back({id, "a coefficient leaves 64 bits"});
    result = unknown(op, Atom::Kind::kRandom);
  }
  ASSAY_CHECK(result.shape == op.shape, "a lifted value has another shape than its operator");
}

LiftedProgram Interpreter::take() {
  // A value has tiles: one that has none was never come to.
  const auto end = std::find_if(result_.values.begin(), result_.values.end(),
                                [](const Value& value) { return value.tiles.empty(); });
  result_.values.erase(end, result_.values.end());
  return std::move(result_);
}

void Interpreter::keep_equal_atoms(Value& value) const {
  for (Tile& tile : value.tiles) {
    bool changed = false;
    for (Term& term : tile.terms) {
      const auto* kept = term.restrictions.empty() ? lifting_.kept(term.atom) : nullptr;
      if (kept == nullptr) continue;
      term.atom = kept->first;
      term.coef = term.coef * kept->second;
      changed = true;
    }
    if (changed) combine(tile.terms);
  }
}

void Interpreter::evaluate_collective(CoreId id, Meeting& meeting, size_t member) {
  const CoreOp& op = program_.ops[static_cast<size_t>(id)];
  Value& result = result_.values[static_cast<size_t>(id)];
  try {
    std::optional<Value> known = element_count(op.shape) == 0
                                     ? single_tile(op.shape, {})
                                     : meeting.result(lifting_, member, op);
    result = known ? std::move(*known) : unknown(op, Atom::Kind::kUninit);
  } catch (const NotLifted& why) {
    result_.unlifted.push_back({id, why.reason});
    result = unknown(op, Atom::Kind::kRandom);
  } catch (const RationalOverflow&) {
    result_.unlifted.push_back({id, "a coefficient leaves 64 bits"});
    result = unknown(op, Atom::Kind::kRandom);
  }
  ASSAY_CHECK(result.shape == op.shape, "a collective's value has another shape than its operator");
}

std::vector<Value> Interpreter::operands(const CoreOp& op) const {
  std::vector<Value> values;
  values.reserve(op.operands.size());
  for (CoreId id : op.operands) values.push_back(value(id));
  return values;
}

Value Interpreter::unknown(const CoreOp& op, Atom::Kind kind) {
  Atom atom;
  atom.kind = kind;
  atom.dtype = op.dtype;
  atom.fn = op.fn;
  atom.occurrence = op.occurrence;
  for (Int size : op.shape) atom.size *= size;
  Term term;
  term.layout = row_major(op.shape);
  term.atom = lifting_.fresh(std::move(atom));
  return single_term(op.shape, std::move(term));
}

Value Interpreter::compute_source(const CoreOp& op) {
  Term term;
  switch (op.prim) {
    case Prim::kInput: {
      const Tensor& tensor = graph_.tensors[static_cast<size_t>(op.tensor)];
      const auto known = inputs_.find(tensor.name);
      return known != inputs_.end() ? known->second : unknown(op, Atom::Kind::kUninit);
    }
    case Prim::kConst:
      term.coef = op.constant;
      term.atom = lifting_.one();
      if (op.fn == "inf" || op.fn == "+inf") term.atom = lifting_.infinity(), term.coef = 1;
      if (op.fn == "-inf") term.atom = lifting_.infinity(), term.coef = -1;
      if (op.fn == "nan") term.atom = lifting_.nan(), term.coef = 1;
      term.layout = broadcast(op.shape);
      return term.coef.is_zero() ? single_tile(op.shape, {})
                                 : single_term(op.shape, std::move(term));
    case Prim::kIota:
      term.atom = lifting_.iota();
      term.layout = row_major(op.shape);
      return single_term(op.shape, std::move(term));
    case Prim::kRandom:
      return draw(op);
    default:
      return unknown(op, Atom::Kind::kUninit);
  }
}

Value Interpreter::draw(const CoreOp& op) {
  if (!lifting_.random_agrees()) return unknown(op, Atom::Kind::kRandom);
  if (!op.operands.empty()) return draws_.draw(lifting_, op.fn, operand(op, 0), op.dtype);
  if (lifting_.is_sequential()) {
    Value made = unknown(op, Atom::Kind::kRandom);
    lifting_.remember_draw(op.fn, op.occurrence, made);
    return made;
  }
  const Value* known = lifting_.drawn(op.fn, op.occurrence);
  const bool same = known != nullptr && known->shape == op.shape &&
                    lifting_.atom(known->tiles[0].terms[0].atom).dtype == op.dtype;
  return same ? *known : unknown(op, Atom::Kind::kRandom);
}

Value Interpreter::compute_arithmetic(const CoreOp& op) {
  if (op.prim == Prim::kCast && is_floating(op.dtype))
    return integer_to_float(lifting_, operand(op, 0));
  const DType source =
      op.operands.empty() ? op.dtype : program_.ops[static_cast<size_t>(op.operands[0])].dtype;
  if (op.prim == Prim::kCast && cast_keeps_whole_numbers(program_, op.operands[0], op.dtype))
    return operand(op, 0);
  if (!is_floating(op.dtype)) {
    if (auto integer = apply_integer(lifting_, op, source, operands(op)))
      return std::move(*integer);
  }
  switch (op.prim) {
    case Prim::kLinear: {
      std::vector<Value> values;
      values.reserve(op.operands.size());
      for (size_t i = 0; i < op.operands.size(); ++i) {
        values.push_back(operand(op, i));
        if (op.coefs[i].is_zero()) {
          refuse_infinite_product(lifting_, values.back(), {});
          refuse_zero_times_unwritten(lifting_, values.back());
        }
        as_terms(lifting_, values.back(), op.dtype);
        if (is_floating(op.dtype))
          name_long_coefficients(lifting_, values.back(), op.coefs[i], op.dtype);
        values.back() = scale(std::move(values.back()), op.coefs[i]);
      }
      refuse_infinite_sum(lifting_, values);
      refuse_unwritten_difference(lifting_, values);
      Value sum = sum_of(lifting_, std::move(values));
      join_known_sums(lifting_, sum, op.dtype);
      if (is_floating(op.dtype)) join_quotients(lifting_, sum, op.dtype);
      merge_tiles(sum);
      name_sums(lifting_, sum, op.dtype);
      return sum;
    }
    case Prim::kMul:
      refuse_infinite_product(lifting_, operand(op, 0), operand(op, 1));
      refuse_zero_times_unwritten(lifting_, operand(op, 0), operand(op, 1));
      refuse_unwritten_product(lifting_, operand(op, 0), operand(op, 1));
      return multiply(lifting_, operand(op, 0), operand(op, 1), op.dtype);
    case Prim::kKeep:
      return keep(lifting_, operand(op, 0), operand(op, 1), op.dtype);
    case Prim::kCast:
      if (cast_keeps_values(source, op.dtype)) return operand(op, 0);
      return apply_map(lifting_, cast_function(op.dtype), 0, operands(op), op.shape, op.dtype);
    default:
      if (op.operands.size() == 1 && is_floating(op.dtype))
        refuse_infinite_argument(lifting_, operand(op, 0));
      if (is_floating(op.dtype) && (op.fn == "maximum" || op.fn == "minimum"))
        if (auto whole =
                extremum(lifting_, op.fn == "maximum" ? Instance::Kind::kMax : Instance::Kind::kMin,
                         operands(op), op.dtype))
          return std::move(*whole);
      if (is_exponential(op.fn) && is_floating(source))
        return apply_exponential(lifting_, op.fn, operand(op, 0), op.dtype);
      return apply_map(lifting_, op.fn, op.linear, operands(op), op.shape, op.dtype);
  }
}

// What an operator makes of an operand without elements, though its own result has some.
Value Interpreter::compute_of_nothing(const CoreOp& op) {
  switch (op.prim) {
    case Prim::kCat:
      return concat(operands(op), op.ints[0]);
    case Prim::kReduceSum:
      return single_tile(op.shape, {});
    default:
      throw NotLifted{"it reads a tensor without elements"};
  }
}

Value Interpreter::compute(const CoreOp& op) {
  if (std::any_of(op.operands.begin(), op.operands.end(), [&](CoreId id) {
        return element_count(program_.ops[static_cast<size_t>(id)].shape) == 0;
      }))
    return compute_of_nothing(op);
  switch (op.prim) {
    case Prim::kInput:
    case Prim::kConst:
    case Prim::kIota:
    case Prim::kUninit:
    case Prim::kRandom:
      return compute_source(op);
    case Prim::kPermute:
      return permute(operand(op, 0), op.ints);
    case Prim::kReshape:
      return reshape_any(lifting_, operand(op, 0), op.shape, op.dtype);
    case Prim::kExpand:
      return expand(operand(op, 0), op.shape);
    case Prim::kSlice: {
      const auto d = static_cast<size_t>(op.ints[0]);
      Value result = slice(operand(op, 0), op.ints[0], op.ints[1], op.shape[d], op.ints[2]);
      merge_tiles(result);
      return result;
    }
    case Prim::kCat:
      return concat(operands(op), op.ints[0]);
    case Prim::kLinear:
    case Prim::kMul:
    case Prim::kMap:
    case Prim::kKeep:
    case Prim::kCast:
      return compute_arithmetic(op);
    case Prim::kReduceSum:
      refuse_infinite_sum(lifting_, {&operand(op, 0), 1});
      return reduce_sum(lifting_, operand(op, 0), op.ints, op.dtype);
    case Prim::kReduceMax:
      return reduce_extremum(lifting_, Instance::Kind::kMax, operand(op, 0), op.ints, op.dtype);
    case Prim::kReduceMin:
      return reduce_extremum(lifting_, Instance::Kind::kMin, operand(op, 0), op.ints, op.dtype);
    case Prim::kOneHot:
      return one_hot(lifting_, operand(op, 0), op.shape.back(), op.ints);
    case Prim::kBlock:
      return apply_block(lifting_, op.fn, op.linear, program_.specs[static_cast<size_t>(op.spec)],
                         operands(op), op.shape, op.dtype);
    case Prim::kOpaque:
      return apply_opaque(lifting_, op.fn, operands(op), op.shape, op.dtype);
    case Prim::kCollective:
      break;
  }
  throw InternalError("a collective is evaluated alone");
}

}  // namespace assay
