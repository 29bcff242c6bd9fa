#include "tests/declarations/kernel_comparison.h"

#include <algorithm>
#include <cmath>

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/kernels/declared_value.h"
#include "dynamic_check/kernels/hlo_operators.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/lower/lower.h"
#include "tests/declarations/division_trap.h"
#include "tests/declarations/elements.h"
#include "tests/declarations/linear_marks.h"
#include "tests/declarations/open_elements.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

// Runs `node` of the graph, or one in its place, on the call's arguments.
std::vector<at::Tensor> run(const DrawnCall& call, const Graph& graph, const Node& node) {
  const auto value = [&](TensorId id) {
    const auto i = static_cast<size_t>(id);
    const at::Tensor exact = tensor_of(call.graph.tensors[i], call.values[i]);
    return call.in_float32 && exact.is_floating_point() ? exact.to(at::kFloat) : exact;
  };
  const Arithmetic arithmetic = call.in_float32 ? Arithmetic::kAsRecorded : Arithmetic::kFloat64;
  return run_operator(graph, node, value, arithmetic);
}

// The graph as a capture would have recorded it; float64 results are those of float32 operands.
Graph recorded(const DrawnCall& call, const std::vector<at::Tensor>& results) {
  Graph graph = call.graph;
  graph.name = "call";
  graph.functional = true;  // what a kernel writes is among its results
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined()) {
      graph.nodes[0].outputs.push_back(kNone);
      continue;
    }
    const DType dtype = to_dtype(results[i].scalar_type());
    graph.nodes[0].outputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.push_back({"out" + std::to_string(i),
                             dtype == DType::kFloat64 ? DType::kFloat32 : dtype,
                             results[i].sizes().vec(), 0, static_cast<int32_t>(i)});
  }
  return graph;
}

std::vector<ReferenceTensor> evaluate_lowered(const DrawnCall& call, const CoreProgram& program) {
  ReferenceSources sources;
  sources.input = [&](Rank, const CoreOp& op) {
    return call.values[static_cast<size_t>(op.tensor)];
  };
  sources.random = [](Rank, const CoreOp& op) {
    return ReferenceTensor{op.shape,
                           std::vector<double>(static_cast<size_t>(element_count(op.shape)), 1.0)};
  };
  return evaluate({program}, sources)[0];
}

// Where the interpreter has a kernel of its own for an operator that PyTorch does not have, it
// gives what PyTorch's gives. Empty when it does, or has none.
std::string interpreted_differently(const DrawnCall& call, const Graph& graph,
                                    const std::vector<at::Tensor>& results) {
  const Node& node = graph.nodes[0];
  if (node.op == call.kernel.op || !find_hlo_operator(node.op)) return {};
  std::vector<at::Tensor> own;
  try {
    own = run(call, graph, node);
  } catch (const UserError& error) {
    return error.what();
  }
  if (own.size() != results.size()) return "the interpreter's kernel gives other results";
  for (size_t i = 0; i < results.size(); ++i) {
    if (own[i].scalar_type() != results[i].scalar_type() || own[i].sizes() != results[i].sizes())
      return "the interpreter's kernel gives another type";
    const std::string why = difference(results[i], values_of(own[i]), 1e-9);
    if (!why.empty()) return "by the interpreter's kernel, not the declaration: " + why;
  }
  return {};
}

// What the dynamic layer gives for a declaration is what the reference evaluator gives, though sums
// of products are contracted there. Empty when it does, or when it cannot run the program.
std::string contracted_differently(const DrawnCall& call, const CoreProgram& program,
                                   const std::vector<ReferenceTensor>& values) {
  if (!has_value(program)) return {};
  std::vector<CoreId> all;
  for (size_t id = 0; id < program.ops.size(); ++id) {
    const Prim prim = program.ops[id].prim;
    if (prim != Prim::kMul && prim != Prim::kExpand) all.push_back(static_cast<CoreId>(id));
  }
  const auto input = [&](TensorId id) {
    const auto i = static_cast<size_t>(id);
    return tensor_of(call.graph.tensors[i], call.values[i]);
  };
  const std::vector<at::Tensor> found = evaluate_declared(program, all, input, {});
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string why = difference(found[i], values[static_cast<size_t>(all[i])], 1e-9);
    if (!why.empty()) return "evaluated as a declaration of the user's: " + why;
  }
  return {};
}

// Whether a change of the operands that is small beside the tolerance changes this value by more,
// but by little, as a difference of two almost equal numbers does; at a tie a value jumps. Kernels
// round inside to no less.
bool is_ill_conditioned(const DrawnCall& call, const CoreProgram& program, CoreId id,
                        const ReferenceTensor& value, double tolerance) {
  double most = 0;
  for (const double noise : {tolerance / 10, -tolerance / 10}) {
    DrawnCall changed = call;
    for (size_t i = 0; i < changed.values.size(); ++i)
      if (is_floating(call.graph.tensors[i].dtype))
        for (double& x : changed.values[i].values) x *= 1 + noise;
    const std::vector<ReferenceTensor> values = evaluate_lowered(changed, program);
    const ReferenceTensor& near = values[static_cast<size_t>(id)];
    for (size_t e = 0; e < value.values.size(); ++e)
      most = std::max(most, std::abs(near.values[e] - value.values[e]) /
                                std::max(1.0, std::abs(value.values[e])));
  }
  return most > tolerance / 2 && most < 1000 * tolerance;
}

// What the kernel gave beside what the declarations make of the recorded call.
Comparison compare_recorded(const DrawnCall& call, const Graph& graph,
                            const std::vector<at::Tensor>& results, const OperatorTable& operators,
                            std::optional<double> tolerance) {
  CoreProgram program;
  try {
    program = lower(graph, {}, 0, operators);
  } catch (const UserError& error) {
    return {Outcome::kRefused, error.what()};
  }
  if (!program.opaque.empty()) return {Outcome::kRefused, program.opaque.front()};
  if (!tolerance) return {};
  if (std::string why = interpreted_differently(call, graph, results); !why.empty())
    return {Outcome::kDiffers, why};
  const std::vector<ReferenceTensor> values = evaluate_lowered(call, program);
  if (std::string why = contracted_differently(call, program, values); !why.empty())
    return {Outcome::kDiffers, why};
  if (std::string why = false_linear_mark(program, values); !why.empty())
    return {Outcome::kDiffers, why};
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorId output = graph.nodes[0].outputs[i];
    if (output == kNone) continue;
    const CoreId id = program.value_of[static_cast<size_t>(output)];
    const ReferenceTensor declared =
        without_open_elements(call, program, results, i, values[static_cast<size_t>(id)]);
    const std::string why = difference(results[i], declared, *tolerance);
    if (why.empty()) continue;
    if (is_ill_conditioned(call, program, id, values[static_cast<size_t>(id)], *tolerance))
      return {Outcome::kRefused, "rounding decides: not compared"};
    return {Outcome::kDiffers, "result " + std::to_string(i) + ": " + why};
  }
  return {};
}

// The call whose result `index` alone is used.
Graph used_alone(Graph graph, size_t index) {
  std::vector<TensorId>& outputs = graph.nodes[0].outputs;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (i != index) outputs[i] = kNone;
  return graph;
}

}  // namespace

Comparison compare_with_kernel(const DrawnCall& call, const OperatorTable& operators,
                               std::optional<double> tolerance) {
  std::vector<at::Tensor> results;
  try {
    if (traps([&] { results = run(call, call.graph, call.kernel); }))
      return {Outcome::kRejected, "the kernel divides an integer by zero"};
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& error) {  // kernels throw more than PyTorch's own errors
    return {Outcome::kRejected, std::string("no kernel takes this call: ") + error.what()};
  }
  const Graph graph = recorded(call, results);
  const Comparison whole = compare_recorded(call, graph, results, operators, tolerance);
  if (whole.outcome != Outcome::kRefused || results.size() < 2) return whole;
  // A program may use one of the results.
  for (size_t i = 0; i < results.size(); ++i) {
    if (graph.nodes[0].outputs[i] == kNone) continue;
    Comparison alone = compare_recorded(call, used_alone(graph, i), results, operators, tolerance);
    if (alone.outcome == Outcome::kDiffers) return {Outcome::kDiffers, "alone, " + alone.why};
  }
  return whole;
}

}  // namespace assay::test
