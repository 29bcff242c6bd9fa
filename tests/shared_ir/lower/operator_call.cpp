#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

template <typename T>
Arg arg_of(const T& value) {
  Arg arg;
  arg.value = value;
  return arg;
}

}  // namespace

OperatorCall::OperatorCall(const std::string& op) {
  graph_.name = "example";
  Node& node = graph_.nodes.emplace_back();
  node.op = op;
  node.source = {"model.py", 12, 0};
}

OperatorCall& OperatorCall::arg(const Arg& value) {
  graph_.nodes[0].args.push_back(value);
  return *this;
}

OperatorCall& OperatorCall::tensor(DType dtype, Shape shape, std::vector<double> values) {
  auto id = static_cast<TensorId>(graph_.tensors.size());
  Tensor& tensor = graph_.tensors.emplace_back();
  tensor.name = "in" + std::to_string(id);
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  graph_.inputs.push_back(id);
  values_.resize(id + 1);
  values_[id] = std::move(values);
  return arg(arg_of(TensorArg{id}));
}

OperatorCall& OperatorCall::tensor(Shape shape, std::vector<double> values) {
  return tensor(DType::kFloat32, std::move(shape), std::move(values));
}
OperatorCall& OperatorCall::ids(Shape shape, std::vector<double> values) {
  return tensor(DType::kInt64, std::move(shape), std::move(values));
}
OperatorCall& OperatorCall::mask(Shape shape, std::vector<double> values) {
  return tensor(DType::kBool, std::move(shape), std::move(values));
}

OperatorCall& OperatorCall::number(int64_t value) { return arg(arg_of(value)); }
OperatorCall& OperatorCall::number(double value) { return arg(arg_of(value)); }
OperatorCall& OperatorCall::flag(bool value) { return arg(arg_of(value)); }
OperatorCall& OperatorCall::text(const std::string& value) { return arg(arg_of(value)); }
OperatorCall& OperatorCall::none() { return arg(Arg{}); }
OperatorCall& OperatorCall::dtype(DType value) { return arg(arg_of(value)); }

OperatorCall& OperatorCall::numbers(const std::vector<int64_t>& values) {
  ArgList list;
  for (int64_t value : values) list.emplace_back().value = value;
  return arg(arg_of(list));
}

OperatorCall& OperatorCall::listed(size_t count) {
  std::vector<Arg>& args = graph_.nodes[0].args;
  ArgList list(args.end() - static_cast<int64_t>(count), args.end());
  args.resize(args.size() - count);
  return arg(arg_of(list));
}

OperatorCall& OperatorCall::as(const std::string& keyword) {
  Node& node = graph_.nodes[0];
  node.kwargs.emplace_back(keyword, node.args.back());
  node.args.pop_back();
  return *this;
}

OperatorCall& OperatorCall::gives(DType dtype, Shape shape) {
  Node& node = graph_.nodes[0];
  auto id = static_cast<TensorId>(graph_.tensors.size());
  Tensor& tensor = graph_.tensors.emplace_back();
  tensor.name = "out" + std::to_string(node.outputs.size());
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.producer = 0;
  tensor.output = static_cast<int32_t>(node.outputs.size());
  node.outputs.push_back(id);
  return *this;
}

OperatorCall& OperatorCall::gives_nothing_used() {
  graph_.nodes[0].outputs.push_back(kNone);
  graph_.nodes[0].functional = true;  // it counts the None of an operator without returns
  return *this;
}

CoreProgram OperatorCall::lower(const OperatorTable& operators, const Groups& groups) const {
  return assay::lower(graph_, groups, 0, operators);
}

std::vector<std::vector<double>> OperatorCall::run() const {
  CoreProgram program = lower();
  ReferenceSources sources;
  sources.input = [&](Rank, const CoreOp& op) {
    return ReferenceTensor{op.shape, values_[op.tensor]};
  };
  auto values = evaluate({program}, sources)[0];
  std::vector<std::vector<double>> result;
  for (TensorId output : graph_.nodes[0].outputs)
    if (output != kNone) result.push_back(values[program.value_of[output]].values);
  return result;
}

}  // namespace assay::test
