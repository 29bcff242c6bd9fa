#include "tests/identities/pair_program.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dynamic_check/kernels/boxed_call.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay::test {
namespace {

using Kind = PairFormula::Kind;

constexpr char kGroup[] = "tp";

// One side: the specification, or one rank.
class Side {
 public:
  Side(GraphBuilder& graph, const PairProgram& program, const IdentityTable& table, int rank)
      : graph_(graph), program_(program), table_(table), rank_(rank) {}

  void input(const PairInput& of) {
    Shape shape = of.shape;
    if (of.sharded && rank_ >= 0) shape[static_cast<size_t>(*of.sharded)] /= program_.ranks;
    tensors_[of.name] = graph_.input(of.name, shape, of.dtype);
    note(tensors_[of.name]);
  }

  TensorRef step(const std::string& name, const PairFormula& formula) {
    const PairFormula of_rank = folded(substituted(formula, [&](const std::string& of) {
      return of == "rank" ? number_of(rank_) : named(of);
    }));
    return tensors_[name] = of(of_rank);
  }

  TensorRef tensor(const std::string& name) const { return tensors_.at(name); }
  TensorType type(TensorRef of) const {
    const Tensor& tensor = graph_.graph().tensors[static_cast<size_t>(of.id)];
    return {tensor.shape, tensor.dtype};
  }

 private:
  // An example of a tensor, from which operators tell what they make.
  void note(TensorRef of) {
    const auto [shape, dtype] = type(of);
    examples_.resize(graph_.graph().tensors.size());
    examples_[static_cast<size_t>(of.id)] =
        at::full(shape, is_floating(dtype) ? 0.5 : 0.0, to_scalar_type(dtype));
  }

  Argument value(const PairFormula& formula) {
    switch (formula.kind) {
      case Kind::kNumber:
        if (formula.whole) return static_cast<int64_t>(formula.number);
        return formula.number;
      case Kind::kText:
        return formula.name.c_str();
      case Kind::kName:
        if (formula.name == "none") return NoArg{};
        if (formula.name == "float32") return DType::kFloat32;
        if (formula.name == "true" || formula.name == "false") return formula.name == "true";
        if (!tensors_.contains(formula.name)) throw UserError({}, "no operand " + formula.name);
        return tensors_.at(formula.name);
      case Kind::kList: {
        std::vector<Argument> list;
        for (const PairFormula& operand : formula.operands) list.push_back(value(operand));
        return list;
      }
      case Kind::kCall:
        return call(formula);
    }
    return NoArg{};
  }

  TensorRef of(const PairFormula& formula) {
    const Argument made = value(formula);
    const auto* tensor = std::get_if<TensorArg>(&made.arg.value);
    if (tensor == nullptr) throw UserError({}, to_string(formula) + " is no tensor");
    return {tensor->id};
  }

  int64_t integer(const PairFormula& formula) {
    const Argument made = value(formula);
    const auto* number = std::get_if<int64_t>(&made.arg.value);
    if (number == nullptr) throw UserError({}, to_string(formula) + " is no integer");
    return *number;
  }

  TensorRef call(const PairFormula& formula) {
    const std::vector<PairFormula>& of_call = formula.operands;
    if (formula.name == "part") return part(of(of_call.at(0)), integer(of_call.at(1)));
    if (formula.name == "all_reduce")
      return collective("all_reduce", of(of_call.at(0)), {of_call.at(1).name.c_str(), kGroup},
                        [](int64_t n) { return n; });
    if (formula.name == "all_gather") {
      const int64_t dim = integer(of_call.at(1));
      const TensorRef gathered =
          collective("all_gather_into_tensor", front(of(of_call.at(0)), dim),
                     {program_.ranks, kGroup}, [&](int64_t n) { return n * program_.ranks; });
      return front(gathered, dim);
    }
    if (formula.name == "reduce_scatter")
      return collective("reduce_scatter_tensor", of(of_call.at(0)), {"sum", program_.ranks, kGroup},
                        [&](int64_t n) { return n / program_.ranks; });
    return operation(formula);
  }

  TensorRef front(TensorRef x, int64_t dim) {
    if (dim == 0) return x;
    return run("aten.transpose.int", {x, 0, dim}, {});
  }

  TensorRef part(TensorRef x, int64_t dim) {
    const int64_t size = graph_.shape(x).at(static_cast<size_t>(dim)) / program_.ranks;
    return run("aten.slice.Tensor", {x, dim, rank_ * size, (rank_ + 1) * size}, {});
  }

  template <class Size>
  TensorRef collective(const std::string& name, TensorRef x, std::vector<Argument> arguments,
                       const Size& size) {
    auto [shape, dtype] = type(x);
    if (!shape.empty()) shape[0] = size(shape[0]);
    arguments.insert(arguments.begin(), x);
    const TensorRef made = graph_.call(fresh(), "_c10d_functional." + name + ".default",
                                       std::move(arguments), shape, dtype);
    note(made);
    const TensorRef waited =
        graph_.call(fresh(), "_c10d_functional.wait_tensor.default", {made}, shape, dtype);
    note(waited);
    return waited;
  }

  static bool is_number(const Argument& argument) {
    return std::holds_alternative<int64_t>(argument.arg.value) ||
           std::holds_alternative<double>(argument.arg.value);
  }

  TensorRef operation(const PairFormula& formula) {
    std::vector<Argument> arguments;
    std::vector<std::pair<std::string, Argument>> keywords;
    for (const PairFormula& operand : formula.operands) {
      if (operand.keyword.empty())
        arguments.push_back(value(operand));
      else
        keywords.emplace_back(operand.keyword, value(operand));
    }
    const std::string& name = formula.name;
    const bool two = arguments.size() == 2;
    if (two && is_number(arguments[0])) {
      if (name == "add" || name == "mul") std::swap(arguments[0], arguments[1]);
      if (name == "sub") {
        std::swap(arguments[0], arguments[1]);
        return run("aten.rsub.Scalar", std::move(arguments), keywords);
      }
      if (name == "div")
        return run("aten.mul.Scalar",
                   {run("aten.reciprocal.default", {arguments[1]}, {}), arguments[0]}, keywords);
      if (name == "pow") return run("aten.pow.Scalar", std::move(arguments), keywords);
    }
    const bool by_number = two && is_number(arguments[1]);
    if (name == "pow")
      return run(by_number ? "aten.pow.Tensor_Scalar" : "aten.pow.Tensor_Tensor",
                 std::move(arguments), keywords);
    const auto found = table_.operators.find(name);
    if (found == table_.operators.end()) throw UserError({}, "no operator " + name);
    std::string op = found->second;
    const size_t space = op.find(' ');
    const size_t output =
        space == std::string::npos ? 0 : static_cast<size_t>(std::stoi(op.substr(space + 1)));
    op = op.substr(0, space);
    if (op.find('.') == op.rfind('.')) op += by_number ? ".Scalar" : ".Tensor";
    return run(op, std::move(arguments), keywords, output);
  }

  TensorRef run(const std::string& op, std::vector<Argument> arguments,
                const std::vector<std::pair<std::string, Argument>>& keywords, size_t output = 0) {
    Node node;
    node.op = op;
    for (const Argument& argument : arguments) node.args.push_back(argument.arg);
    for (const auto& [name, argument] : keywords) node.kwargs.emplace_back(name, argument.arg);
    const auto made = run_operator(
        graph_.graph(), node, [&](TensorId id) { return examples_.at(static_cast<size_t>(id)); },
        Arithmetic::kAsRecorded);
    std::vector<TensorType> types;
    for (const at::Tensor& tensor : made)
      types.push_back({tensor.sizes().vec(), to_dtype(tensor.scalar_type())});
    std::vector<TensorRef> results =
        types.size() == 1 ? std::vector{graph_.call(fresh(), op, std::move(arguments),
                                                    types[0].shape, types[0].dtype)}
                          : graph_.call_many(fresh(), op, std::move(arguments), types);
    for (const auto& [name, argument] : keywords) graph_.keyword(name, argument);
    for (const TensorRef result : results) note(result);
    return results.at(output);
  }

  std::string fresh() { return fmt::format("n{}", names_++); }

  GraphBuilder& graph_;
  const PairProgram& program_;
  const IdentityTable& table_;
  const int rank_;  // -1: the specification
  std::map<std::string, TensorRef> tensors_;
  std::vector<at::Tensor> examples_;  // by id
  int names_ = 0;
};

}  // namespace

std::string to_string(const PairProgram& program) {
  std::string text = fmt::format("{} ranks\n", program.ranks);
  for (const PairInput& input : program.inputs)
    text += fmt::format("  {}: {}{}{}\n", input.name, assay::to_string(input.dtype),
                        assay::to_string(input.shape),
                        input.sharded ? fmt::format(" sharded along {}", *input.sharded) : "");
  for (const PairStep& step : program.steps) {
    text += fmt::format("  {} = {}\n", step.name, to_string(step.left));
    const std::string right = to_string(step.right);
    if (right != to_string(step.left))
      text += fmt::format("    on ranks {}{}\n", right,
                          step.identity.empty() ? "" : "   # " + step.identity);
  }
  for (const std::string& output : program.outputs) text += "  -> " + output + '\n';
  return text;
}

std::map<std::string, TensorType> types_of(const PairProgram& program, const IdentityTable& table) {
  const at::NoGradGuard no_grad;
  GraphBuilder graph("sequential");
  Side side(graph, program, table, -1);
  std::map<std::string, TensorType> types;
  for (const PairInput& input : program.inputs) side.input(input);
  for (const PairStep& step : program.steps)
    types[step.name] = side.type(side.step(step.name, step.left));
  return types;
}

Case case_of(const PairProgram& program, const IdentityTable& table) {
  const at::NoGradGuard no_grad;
  CaseBuilder builder(program.ranks);
  const auto build = [&](GraphBuilder& graph, int rank) {
    Side side(graph, program, table, rank);
    for (const PairInput& input : program.inputs) side.input(input);
    for (const PairStep& step : program.steps)
      side.step(step.name, rank < 0 ? step.left : step.right);
    for (const std::string& output : program.outputs) graph.output(output, side.tensor(output));
  };
  build(builder.sequential(), -1);
  for (int rank = 0; rank < program.ranks; ++rank) build(builder.rank(rank), rank);
  for (const PairInput& input : program.inputs) {
    if (input.sharded)
      builder.shard(input.name, static_cast<int>(*input.sharded));
    else
      builder.replicate(input.name);
  }
  for (const std::string& output : program.outputs) {
    std::vector<std::string> replicas;
    for (int rank = 0; rank < program.ranks; ++rank)
      replicas.push_back(fmt::format("{}@{}", output, rank));
    builder.expect(output, replicas);
  }
  return builder.build();
}

}  // namespace assay::test
