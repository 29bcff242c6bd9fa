// One captured operator call in a graph of its own, lowered and evaluated: what tests of
// declarations are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {

class OperatorCall {
 public:
  explicit OperatorCall(const std::string& op);

  // A positional tensor argument with its value; a new graph input.
  OperatorCall& tensor(DType dtype, Shape shape, std::vector<double> values);
  OperatorCall& tensor(Shape shape, std::vector<double> values);  // float32
  OperatorCall& ids(Shape shape, std::vector<double> values);     // int64
  OperatorCall& mask(Shape shape, std::vector<double> values);    // bool

  // Other positional arguments.
  OperatorCall& number(int64_t value);
  OperatorCall& number(int value) { return number(int64_t{value}); }
  OperatorCall& number(double value);
  OperatorCall& flag(bool value);
  OperatorCall& text(const std::string& value);
  OperatorCall& none();
  OperatorCall& dtype(DType value);
  OperatorCall& numbers(const std::vector<int64_t>& values);
  // Moves the last `count` arguments into one list argument.
  OperatorCall& listed(size_t count);
  // The last argument becomes one by keyword.
  OperatorCall& as(const std::string& keyword);

  // The recorded shape and dtype of the next output.
  OperatorCall& gives(DType dtype, Shape shape);
  OperatorCall& gives(Shape shape) { return gives(DType::kFloat32, std::move(shape)); }
  OperatorCall& gives_nothing_used();

  CoreProgram lower(const OperatorTable& operators = OperatorTable::builtin(),
                    const Groups& groups = {}) const;

  // The values of the outputs that are used.
  std::vector<std::vector<double>> run() const;
  // The value of the first.
  std::vector<double> value() const { return run().at(0); }

 private:
  OperatorCall& arg(const Arg& value);

  Graph graph_;
  std::vector<std::vector<double>> values_;  // per TensorId of an input
};

}  // namespace assay::test
