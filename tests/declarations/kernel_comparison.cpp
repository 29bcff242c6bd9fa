#include "tests/declarations/kernel_comparison.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "dynamic_check/interpret/boxed_call.h"
#include "shared_ir/capture/scalar_type.h"
#include "shared_ir/lower.h"
#include "tests/declarations/linear_marks.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

at::Tensor tensor_of(const Tensor& what, const ReferenceTensor& value) {
  return at::tensor(value.values, at::kDouble)
      .reshape(value.shape)
      .to(is_floating(what.dtype) ? at::kDouble : to_scalar_type(what.dtype));
}

std::vector<at::Tensor> run_kernel(const DrawnCall& call) {
  const auto value = [&](TensorId id) {
    const auto i = static_cast<size_t>(id);
    return tensor_of(call.graph.tensors[i], call.values[i]);
  };
  return run_operator(call.graph, call.kernel, value, Arithmetic::kFloat64);
}

// The graph as a capture would have recorded it; float64 results are those of float32 operands.
Graph recorded(const DrawnCall& call, const std::vector<at::Tensor>& results) {
  Graph graph = call.graph;
  graph.name = "call";
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

bool agree(double kernel, double declared, double tolerance) {
  if (std::isnan(kernel) || std::isnan(declared)) return std::isnan(kernel) && std::isnan(declared);
  if (kernel == declared) return true;
  if (std::isinf(kernel) || std::isinf(declared)) return false;
  return std::abs(kernel - declared) <= tolerance * std::max(1.0, std::abs(kernel));
}

std::string digits(double value) {
  std::ostringstream text;
  text << std::setprecision(17) << value;
  return text.str();
}

// Empty when all elements agree.
std::string difference(const at::Tensor& kernel, const ReferenceTensor& declared,
                       double tolerance) {
  if (kernel.scalar_type() == at::kFloat) tolerance = 1e-5;
  const at::Tensor flat = kernel.to(at::kDouble).contiguous();
  const double* expected = flat.const_data_ptr<double>();
  for (size_t i = 0; i < declared.values.size(); ++i)
    if (!agree(expected[i], declared.values[i], tolerance))
      return "element " + std::to_string(i) + " of " + to_string(declared.shape) + " is " +
             digits(expected[i]) + ", but " + digits(declared.values[i]) + " by the declaration";
  return {};
}

}  // namespace

Comparison compare_with_kernel(const DrawnCall& call, const OperatorTable& operators,
                               std::optional<double> tolerance) {
  std::vector<at::Tensor> results;
  try {
    results = run_kernel(call);
  } catch (const UserError& error) {
    return {Outcome::kDiffers, std::string("no kernel takes this call: ") + error.what()};
  }
  const Graph graph = recorded(call, results);
  CoreProgram program;
  try {
    program = lower(graph, {}, 0, operators);
  } catch (const UserError& error) {
    return {Outcome::kRefused, error.what()};
  }
  if (!program.opaque.empty()) return {Outcome::kRefused, program.opaque.front()};
  if (!tolerance) return {};
  const std::vector<ReferenceTensor> values = evaluate_lowered(call, program);
  if (std::string why = false_linear_mark(program, values); !why.empty())
    return {Outcome::kDiffers, why};
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorId output = graph.nodes[0].outputs[i];
    if (output == kNone) continue;
    const CoreId id = program.value_of[static_cast<size_t>(output)];
    const std::string why = difference(results[i], values[static_cast<size_t>(id)], *tolerance);
    if (!why.empty()) return {Outcome::kDiffers, "result " + std::to_string(i) + ": " + why};
  }
  return {};
}

}  // namespace assay::test
