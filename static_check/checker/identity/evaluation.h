// Core operators over the algebra, as JointRun and clean expressions ask for
// them.
#pragma once

#include "shared_ir/reference/tensor.h"
#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/cuts/cuts.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class Evaluation {
 public:
  using Number = identity::Number;
  using Tensor = reference::TensorOf<Number>;

  // Of the sequential program, as rank 0, or of the ranks' programs, which take what is cut from
  // `sequential_values`. All must outlive this.
  Evaluation(Algebra& algebra, const Joint& joint, const Scope& scope,
             const std::vector<Tensor>* sequential_values)
      : algebra_(algebra),
        joint_(joint),
        scope_(scope),
        sequential_values_(sequential_values),
        sequential_(sequential_values == nullptr) {}

  bool is_wanted(Rank rank, CoreId id) const;
  bool calls(Rank rank, CoreId id) const;
  const Tensor* given(Rank rank, CoreId id);
  // Whether everything evaluated so far is a number for all inputs.
  bool is_total() const { return total_; }

  Tensor value(Rank rank, const CoreProgram& program, const CoreOp& op,
               const std::vector<const Tensor*>& operands);

  Number add(const Number& a, const Number& b);
  Number multiply(const Number& a, const Number& b);
  Number maximum(const Number& a, const Number& b, DType dtype);
  Number minimum(const Number& a, const Number& b, DType dtype);
  Number share(const Number& a, int64_t parts);
  Number zero() { return algebra_.exact(Rational(0), kUntyped); }
  Number scaled(const Number& a, int64_t numerator, int64_t denominator);

 private:
  void evaluate(const CoreProgram& program, const CoreOp& op,
                const std::vector<const Tensor*>& operands, Tensor& out);
  bool is_defined(const CoreOp& map);
  Tensor any_numbers(CoreId id);
  void reduce(const CoreOp& op, const Tensor& x, Tensor& out);
  Number constant(const CoreOp& op);
  Number literal(double value, Type type);
  void linear(const CoreOp& op, const std::vector<const Tensor*>& operands, Tensor& out);
  void learn_values(const CoreProgram& program, const CoreOp& op, const Tensor& made);
  void check_index(const Number& index, const Table& table);
  Number one_hot(const Number& index, PlainInt of_class, Type type);
  void blocks(const CoreProgram& program, const CoreOp& op,
              const std::vector<const Tensor*>& operands, Tensor& out);

  Algebra& algebra_;
  const Joint& joint_;
  const Scope& scope_;
  const std::vector<Tensor>* const sequential_values_;
  const bool sequential_;
  bool total_ = true;
  Tensor given_;  // the last
  // Of the sequential program, by operator; once asked for.
  std::vector<bool> positive_;
  std::vector<bool> positive_numbers_;  // and nothing before it is infinite
};

}  // namespace assay::checker::identity
