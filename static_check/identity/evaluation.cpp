#include "static_check/identity/evaluation.h"

#include <algorithm>

#include "shared_ir/cast.h"
#include "shared_ir/reference/clean_run.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/joint_run.h"
#include "shared_ir/reference/operation.h"
#include "shared_ir/reference/whole_numbers.h"
#include "static_check/identity/cuts/evaluated_cuts.h"
#include "static_check/identity/cuts/positive.h"
#include "static_check/identity/cuts/total_functions.h"
#include "static_check/identity/magnitudes.h"

namespace assay::identity {
// The algebra of JointRun and of clean expressions, over the programs of one side.
class Side {
 public:
  using Number = identity::Number;

  Side(Evaluation& evaluation, const std::vector<const LiftedProgram*>& lifted,
       const std::vector<CoreProgram>& programs, bool of_specification)
      : evaluation_(evaluation),
        algebra_(evaluation.algebra_),
        functions_(evaluation.functions_),
        lifted_(lifted),
        programs_(programs),
        of_specification_(of_specification),
        in_range_(stay_in_range(programs)) {}

  Tensor value(Rank rank, const CoreProgram& program, const CoreOp& op,
               const std::vector<const Tensor*>& operands) {
    evaluation_.problem_.lifting.check_deadline();
    Tensor out{op.shape, std::vector<Number>(static_cast<size_t>(reference::count_of(op.shape)))};
    stays_in_range_ = in_range_[static_cast<size_t>(rank)][&op - program.ops.data()];
    compute(rank, program, op, operands, out);
    functions_.learn_values(program, op, out.values);
    if (evaluation_.by_indices_ && is_whole(op.dtype))
      for (Number& number : out.values) number = functions_.by_values(number, op.dtype);
    return out;
  }

  bool is_wanted(Rank rank, CoreId id) const {
    const Cone* cone = evaluation_.scope_.cone;
    return cone == nullptr || cone->holds(of_specification_ ? kNone : rank, id);
  }

  // Of what is cut, and of no collective that is run.
  const Tensor* given(Rank rank, CoreId id) {
    const Shape& shape = programs_[static_cast<size_t>(rank)].ops[static_cast<size_t>(id)].shape;
    auto value = of_specification_
                     ? free_value(algebra_, evaluation_.scope_, id, shape)
                     : cut_value(evaluation_.scope_, rank, id, shape, evaluation_.sequential_);
    if (!value) return nullptr;
    given_ = std::move(*value);
    return &given_;
  }

  // What is added to an infinity is lost: then the sum is no sum of terms.
  Number add(const Number& a, const Number& b) {
    if (a.decisions == nullptr && a.below == nullptr && algebra_.is_zero(a)) return b;
    const Dependence both = sum(a.depends(), b.depends());
    return beside_decisions(algebra_.add(a, b),
                            a.is_finite() && b.is_finite() ? both : function_of(both));
  }
  Number multiply(const Number& a, const Number& b) {
    return beside_decisions(algebra_.multiply(a, b), product(a.depends(), b.depends()));
  }
  Number extremum(const Number& a, const Number& b, DType dtype, bool greatest) {
    return decided(functions_.extremum(std::vector{a, b}, dtype, greatest),
                   sum(a.depends(), b.depends()));
  }
  Number maximum(const Number& a, const Number& b, DType t) { return extremum(a, b, t, true); }
  Number minimum(const Number& a, const Number& b, DType t) { return extremum(a, b, t, false); }
  Number share(const Number& a, int64_t parts) { return scaled(a, 1, parts); }
  Number zero() { return algebra_.constant(0); }
  Number scaled(const Number& a, int64_t numerator, int64_t denominator) {
    return beside_decisions(algebra_.scaled(a, Rational(numerator, denominator)), a.depends());
  }

 private:
  void compute(Rank rank, const CoreProgram& program, const CoreOp& op,
               const std::vector<const Tensor*>& operands, Tensor& out) {
    std::vector<Number>& values = out.values;
    const auto each = [&](const auto& function) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = function(i);
    };
    const std::vector<bool>& fits = in_range_[static_cast<size_t>(rank)];
    const DType from = op.operands.empty() ? op.dtype : program.ops[op.operands[0]].dtype;
    switch (op.prim) {
      case Prim::kInput:
      case Prim::kRandom: {
        const Value& value = lifted_[static_cast<size_t>(rank)]->values[&op - program.ops.data()];
        out = evaluation_.input(value, op.dtype);
        return;
      }
      case Prim::kConst: {
        const Number constant = op.fn.ends_with("inf") ? Algebra::infinity(op.fn == "-inf")
                                : op.fn == "nan"       ? Algebra::undefined()
                                                       : functions_.literal(op.constant);
        note_defined(op.fn.empty());
        return each([&](size_t) { return constant; });
      }
      case Prim::kIota:
        return each([&](size_t i) { return algebra_.constant(static_cast<int64_t>(i)); });
      case Prim::kUninit:
        note_defined(false);
        return each([](size_t) { return Algebra::undefined(); });
      case Prim::kPermute:
        return reference::permute(op, *operands[0], out);
      case Prim::kReshape:
        values = operands[0]->values;
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
        return each([&](size_t i) {
          return wrapped(multiply(operands[0]->values[i], operands[1]->values[i]), op);
        });
      case Prim::kMap: {
        std::vector<Number> at(operands.size());
        std::vector<DType> types;
        for (const CoreId operand : op.operands) types.push_back(program.ops[operand].dtype);
        const ElementFunction function(op.fn, types, op.dtype);
        if (evaluation_.scope_.within) note_defined(is_defined(op));
        return each([&](size_t i) {
          for (size_t k = 0; k < operands.size(); ++k)
            at[k] = fitting(operands[k]->values[i], fits[op.operands[k]]);
          Number result = functions_.map(function, at);
          if (algebra_.constant_of(result)) result = wrapped(std::move(result), op);
          if (op.fn == "reciprocal" && at[0].is_finite())
            return beside_decisions(std::move(result),
                                    inverse(at[0].depends(), algebra_.key(at[0])));
          return decided(std::move(result), product_of(at));
        });
      }
      case Prim::kKeep:
        return each([&](size_t i) {
          const Number &flag = operands[0]->values[i], &kept = operands[1]->values[i];
          const Dependence on = algebra_.is_zero(flag) ? unrooted(kept.depends()) : kept.depends();
          return beside_decisions(algebra_.keep(flag, kept), product(flag.depends(), on));
        });
      case Prim::kCast: {
        const bool whole = cast_keeps_whole_numbers(program, op.operands[0], op.dtype);
        return each([&](size_t i) {
          const Number x = fitting(operands[0]->values[i], fits[op.operands[0]]);
          Number cast = whole ? functions_.as_integer(x) : functions_.cast(x, from, op.dtype);
          const bool real = (is_floating(from) || x.in_range) && is_floating(op.dtype);
          return whole || is_bool(from) || real ? beside_decisions(std::move(cast), x.depends())
                                                : decided(std::move(cast), x.depends());
        });
      }
      case Prim::kReduceSum: {
        for (Number& value : values) value = algebra_.constant(0);
        reference::for_each_reduced(
            operands[0]->shape, op.ints, out.shape, [&](size_t to, size_t at) {
              values[to] = wrapped(add(values[to], operands[0]->values[at]), op);
            });
        return;
      }
      case Prim::kReduceMax:
      case Prim::kReduceMin:
        return extrema(op, *operands[0], out);
      case Prim::kOneHot: {
        const auto classes = static_cast<size_t>(op.shape.back());
        const IndexRange range(op.shape.back(), op.ints);
        for (const Number& index : operands[0]->values)
          functions_.check_index(index, range, from, of_specification_);
        return each([&](size_t i) {
          const Number& index = operands[0]->values[i / classes];
          return decided(functions_.is_row(index, static_cast<int64_t>(i % classes), from),
                         index.depends());
        });
      }
      case Prim::kBlock:
        note_defined(is_total_of_blocks(op.fn));
        reference::for_each_block(program.specs[op.spec], operands, out,
                                  [&](const std::vector<Tensor>& blocks, Tensor& result) {
                                    block(op.fn, blocks, from, op.dtype, result);
                                  });
        for (Number& value : values) value = wrapped(value, op);
        return;
      case Prim::kOpaque:
        note_defined(operands.empty());
        return opaque(program, op, operands, out);
      case Prim::kCollective:
        throw InternalError("a collective is no operator of one rank");
    }
  }

  // Whether what the specification computes is a number for all inputs.
  void note_defined(bool defined) { evaluation_.is_total_ &= defined || !of_specification_; }
  bool is_defined(const CoreOp& map) {
    if (is_total(map.fn) || !of_specification_) return true;
    if (!is_defined_for_positive(map.fn)) return false;
    if (evaluation_.scope_.where_defined) return true;
    if (positive_.empty()) positive_ = always_positive(programs_[0]);
    return positive_[static_cast<size_t>(map.operands[0])];
  }

  // What was decided for the number, the last that was made, belongs to it.
  Number beside_decisions(Number number, const Dependence& on) {
    Cases* cases = algebra_.cases();
    if (cases == nullptr) return number;
    return depending(std::move(number), product(on, cases->take_decisions()));
  }
  // A function of what depends on these, and of what was decided for it.
  Number decided(Number number, const Dependence& on) {
    return beside_decisions(std::move(number), function_of(on));
  }
  // Of a function of several, of which one term may hold all.
  static Dependence product_of(const std::vector<Number>& numbers) {
    Dependence all;
    for (const Number& number : numbers) all = product(all, number.depends());
    return all;
  }

  void block(const std::string& fn, const std::vector<Tensor>& blocks, DType from, DType to,
             Tensor& result) {
    functions_.block(fn, blocks, from, to, result);
    if (algebra_.cases() == nullptr) return;
    Dependence all;
    for (const Tensor& operand : blocks)
      for (const Number& number : operand.values) all = sum(all, number.depends());
    all = product(function_of(all), algebra_.cases()->take_decisions());
    for (Number& number : result.values) number = depending(number, all);
  }

  // Constants of an integer type are what it stores; other integers are equal modulo its range.
  // Whether one has wrapped is a function of all of it.
  Number wrapped(Number number, const CoreOp& op) {
    if (!is_whole(op.dtype)) return number;
    if (stays_in_range_) {
      number.in_range = true;
      return number;
    }
    number = depending(std::move(number), function_of(number.depends()));
    if (has(number, Form::Kind::kChoice) && algebra_.chooses_constants(number)) {
      Number stored = *algebra_.each_choice(
          {&number, 1}, [&](std::span<const Number> chosen) { return wrapped(chosen[0], op); });
      stored.in_range = true;
      return depending(std::move(stored), number.depends());
    }
    const Rational* known = algebra_.constant_of(number);
    if (known == nullptr) return number;
    if (!known->is_integer() || !known->fits(INT64_MAX)) throw NotRepresented{"a long integer"};
    const int64_t integer = known->numerator(), stored = cast_integer(integer, op.dtype);
    return stored == integer ? number : depending(algebra_.constant(stored), number.depends());
  }

  void linear(const CoreOp& op, const std::vector<const Tensor*>& operands, Tensor& out) {
    std::vector<Number> factors;
    for (const Rational& coefficient : op.coefs)
      factors.push_back(is_floating(op.dtype) ? functions_.literal(coefficient)
                                              : algebra_.constant(coefficient));
    for (size_t i = 0; i < out.values.size(); ++i) {
      Number total = algebra_.constant(0);
      for (size_t k = 0; k < operands.size(); ++k) {
        const Number& x = operands[k]->values[i];
        total = add(total, op.coefs[k].is_one() ? x : multiply(factors[k], x));
      }
      out.values[i] = wrapped(std::move(total), op);
    }
  }

  void extrema(const CoreOp& op, const Tensor& x, Tensor& out) {
    std::vector<std::vector<Number>> rows(out.values.size());
    reference::for_each_reduced(x.shape, op.ints, out.shape,
                                [&](size_t to, size_t at) { rows[to].push_back(x.values[at]); });
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].empty()) throw NotRepresented{"an extremum of nothing"};
      Dependence all;
      for (const Number& number : rows[i]) all = sum(all, number.depends());
      out.values[i] =
          decided(functions_.extremum(rows[i], op.dtype, op.prim == Prim::kReduceMax), all);
    }
  }

  // A function of all operands as wholes; what lowering writes down is what it says.
  void opaque(const CoreProgram& program, const CoreOp& op,
              const std::vector<const Tensor*>& operands, Tensor& out) {
    const auto fn = reference::parse_function_name(op.fn);
    if (operands.empty() && fn.name == "literal") {
      const ReferenceTensor written = reference::run_operation({}, op, {});
      for (size_t i = 0; i < out.values.size(); ++i)
        out.values[i] = is_floating(op.dtype)
                            ? functions_.number(written.values[i])
                            : algebra_.constant(static_cast<int64_t>(written.values[i]));
      return;
    }
    if (operands.empty() && fn.name == "constant") {
      std::ranges::fill(out.values, functions_.number(fn.number(0)));
      return;
    }
    if (operands.empty()) throw NotRepresented{"an operator of nothing that is not declared"};
    std::vector<uint64_t> keys;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Tensor* operand = operands[k];
      keys.push_back(static_cast<uint64_t>(program.ops[op.operands[k]].dtype));
      keys.push_back(operand->shape.size());
      for (const int64_t size : operand->shape) keys.push_back(static_cast<uint64_t>(size));
      for (const Number& number : operand->values) keys.push_back(algebra_.key(number));
    }
    Dependence all;
    for (const Tensor* operand : operands)
      for (const Number& number : operand->values) all = sum(all, number.depends());
    keys.push_back(0);
    for (size_t i = 0; i < out.values.size(); ++i) {
      keys.back() = i;
      Number number =
          is_bool(op.dtype) ? algebra_.random_flag(op.fn, keys) : algebra_.random(op.fn, keys);
      out.values[i] = decided(std::move(number), all);
    }
  }

  Evaluation& evaluation_;
  Algebra& algebra_;
  Functions& functions_;
  const std::vector<const LiftedProgram*> lifted_;
  const std::vector<CoreProgram>& programs_;
  const bool of_specification_;
  std::vector<std::vector<bool>> in_range_;  // by program, by operator: integers that do not wrap
  bool stays_in_range_ = false;              // the operator that is computed
  Tensor given_;                             // the last
  std::vector<bool> positive_;               // by operator, once asked for
};

Evaluation::Evaluation(const Problem& problem, uint64_t seed, bool factored, Scope scope)
    : problem_(problem), algebra_(seed, nullptr, false, factored), scope_(scope) {
  represented_elements(problem, scope, false);
  run();
  if (functions_.take_learned_late()) run();  // with all of them known from the first operator on
}

Evaluation::Evaluation(const Problem& problem, uint64_t seed, Cases& cases, bool decide_sets,
                       const IndexRanges& ranges, Scope scope, bool specification_alone)
    : problem_(problem),
      algebra_(seed, &cases, decide_sets),
      scope_(scope),
      index_ranges_(&ranges) {
  specification_alone ? run_sequential() : run();
}

void Evaluation::run_sequential() {
  const std::vector<CoreProgram> whole{problem_.sequential_program};
  Side one(*this, {&problem_.sequential}, whole, true);
  sequential_ = reference::JointRun(whole, one).run();
}

void Evaluation::run() {
  run_sequential();
  std::vector<const LiftedProgram*> lifted;
  for (const LiftedProgram& rank : problem_.ranks.ranks) lifted.push_back(&rank);
  Side all(*this, lifted, problem_.rank_programs, false);
  ranks_ = reference::JointRun(problem_.rank_programs, all).run();
}

namespace {

const Tensor& value_of(const Graph& graph, const CoreProgram& program,
                       const std::vector<Tensor>& values, const std::string& name) {
  const CoreId id = program.value_of[static_cast<size_t>(graph.find(name))];
  if (id == kNone) throw NotRepresented{"a tensor without a value"};
  return values[static_cast<size_t>(id)];
}

}  // namespace

Tensor Evaluation::of_specification(const CleanExpr& expr) {
  const std::vector<CoreProgram> none;
  Side numbers(*this, {}, none, true);
  return reference::evaluate(numbers, expr, [&](const std::string& name, Rank) -> const Tensor& {
    return value_of(problem_.refinement.sequential, problem_.sequential_program, sequential_[0],
                    name);
  });
}

Tensor Evaluation::of_ranks(const CleanExpr& expr) {
  const std::vector<CoreProgram> none;
  Side numbers(*this, {}, none, false);
  return reference::evaluate(
      numbers, expr, [&](const std::string& name, Rank rank) -> const Tensor& {
        const auto r = static_cast<size_t>(rank);
        return value_of(problem_.rank_graph(rank), problem_.rank_programs[r], ranks_[r], name);
      });
}

}  // namespace assay::identity
