// Core operators over the algebra, as JointRun and clean expressions ask for
// them.
#pragma once

#include "shared_ir/reference/tensor.h"
#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/joint.h"

namespace assay::checker::identity {

class Evaluation {
 public:
  using Number = identity::Number;
  using Tensor = reference::TensorOf<Number>;

  // Of the sequential program, as rank 0, or of the ranks' programs.
  Evaluation(Algebra& algebra, const Joint& joint, bool sequential)
      : algebra_(algebra), joint_(joint), sequential_(sequential) {}

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
  void reduce(const CoreOp& op, const Tensor& x, Tensor& out);
  Number constant(const CoreOp& op);
  Number literal(double value, Type type);
  void linear(const CoreOp& op, const std::vector<const Tensor*>& operands, Tensor& out);
  void check_index(const Number& index, const Table& table);
  Number one_hot(const Number& index, PlainInt of_class, Type type);
  void blocks(const CoreProgram& program, const CoreOp& op,
              const std::vector<const Tensor*>& operands, Tensor& out);

  Algebra& algebra_;
  const Joint& joint_;
  const bool sequential_;
};

}  // namespace assay::checker::identity
