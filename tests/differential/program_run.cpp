#include "tests/differential/program_run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dynamic_check/kernels/boxed_call.h"
#include "shared_ir/lower/lower.h"
#include "tests/declarations/division_trap.h"
#include "tests/declarations/elements.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

constexpr double kNoise = 1e-9, kFade = -0.9;
constexpr double kResidue = 1e-12;  // of rounding, where the exact value may be 0
const double kGreatestExponent = std::log(std::numeric_limits<double>::max());

// Whether tiny changes change the output much: signs of 0, remainders of what is almost a multiple,
// and questions whether what only rounding has left is 0 do.
bool is_unstable(const DrawnProgram& program, TensorId output, const at::Tensor& truth,
                 double tolerance) {
  const auto changes = [&](Noise noise) {
    try {
      const at::Tensor changed = run_whole(program, noise)[index(output)];
      return changed.sizes() != truth.sizes() ||
             !difference(truth, values_of(changed), tolerance / 2).empty();
    } catch (const std::exception&) {  // a division by an integer that has become 0
      return true;
    }
  };
  return changes({kNoise}) || changes({-kNoise}) || changes({kNoise, Noise::Zeros::kKept}) ||
         changes({-kNoise, Noise::Zeros::kKept}) || changes({0, Noise::Zeros::kMade});
}

// Whether the declaration takes an exponential that float64 does not hold, or holds as 0: proofs
// are of real numbers, and PyTorch's kernels shift by a maximum where a declaration does not. Or
// makes an integer of what is no number, which may be any.
bool leaves_float64(const CoreProgram& core, const std::vector<ReferenceTensor>& values) {
  return std::ranges::any_of(core.ops, [&](const CoreOp& op) {
    const bool exponential = op.prim == Prim::kMap && op.fn == "exp";
    const bool conversion = op.prim == Prim::kCast && is_integer(op.dtype);
    if (!exponential && !conversion) return false;
    return std::ranges::any_of(values[index(op.operands[0])].values, [&](double x) {
      return exponential ? std::isfinite(x) && std::abs(x) > kGreatestExponent : !std::isfinite(x);
    });
  });
}

}  // namespace

at::Tensor placed(const Tensor& what, const ReferenceTensor& value) {
  const at::Tensor packed = tensor_of(what, value);
  if (!what.strides) return packed;
  return at::empty_strided(what.shape, *what.strides, packed.options()).copy_(packed);
}

// PyTorch 2.11 leaves its memory for a median along a dimension without elements, and for these
// paddings into a tensor of another layout.
bool leaves_its_memory(const Node& node, const std::vector<at::Tensor>& live) {
  if (node.op == "aten.replication_pad2d.out" || node.op == "aten.reflection_pad2d.out")
    return true;
  if (node.op.find("median") == std::string::npos) return false;
  return std::ranges::any_of(operands_of(node),
                             [&](TensorId id) { return live[index(id)].numel() == 0; });
}

std::vector<at::Tensor> run_next(const Graph& graph, const Node& node,
                                 const std::vector<at::Tensor>& live) {
  if (leaves_its_memory(node, live)) throw std::runtime_error("the kernel leaves its memory");
  std::vector<at::Tensor> results;
  const auto value = [&](TensorId id) { return live[index(id)]; };
  if (traps([&] { results = run_operator(graph, node, value, Arithmetic::kFloat64); }))
    throw std::runtime_error("the kernel divides an integer by zero");
  return results;
}

void add_noise(at::Tensor& tensor, Noise& noise) {
  if (noise.zeros == Noise::Zeros::kMade) {
    tensor.mul_(tensor.abs() > kResidue);
    return;
  }
  if (noise.size == 0) return;
  const at::Tensor change = at::cos(at::arange(tensor.numel(), at::kDouble))
                                .mul_(noise.size *= kFade)
                                .reshape(tensor.sizes());
  tensor.add_(noise.zeros == Noise::Zeros::kKept ? change * tensor : change);
}

std::vector<at::Tensor> run_whole(const DrawnProgram& program, Noise noise) {
  const Graph& graph = program.graph;
  std::vector<at::Tensor> live(graph.tensors.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor& input = graph.tensors[index(graph.inputs[i])];
    ReferenceTensor value = program.values[i];
    for (double& element : value.values)
      if (is_floating(input.dtype)) element += noise.size *= kFade;
    live[index(graph.inputs[i])] = placed(input, value);
  }
  for (const Node& node : graph.nodes) {
    const std::vector<at::Tensor> results = run_next(graph, node, live);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      at::Tensor& made = live[index(node.outputs[i])] = results.at(i);
      if (made.is_floating_point() && made.is_non_overlapping_and_dense()) add_noise(made, noise);
      if (made.sizes() != at::IntArrayRef(graph.tensors[index(node.outputs[i])].shape))
        throw std::runtime_error("the program makes other shapes");
    }
  }
  return live;
}

Comparison compare_with_pytorch(const DrawnProgram& program, const OperatorTable& operators,
                                double tolerance) {
  const Graph& graph = program.graph;
  std::vector<at::Tensor> live;
  try {
    live = run_whole(program, {});
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& error) {
    return {Outcome::kRejected, error.what()};
  }
  CoreProgram core;
  try {
    core = lower(graph, {}, 0, operators);
  } catch (const UserError& error) {
    return {Outcome::kRefused, error.what()};
  }
  if (!core.opaque.empty()) return {Outcome::kRefused, core.opaque.front()};
  ReferenceSources sources;
  sources.input = [&](Rank, const CoreOp& op) {
    const auto place = std::ranges::find(graph.inputs, op.tensor);
    return program.values[index(place - graph.inputs.begin())];
  };
  const std::vector<ReferenceTensor> values = evaluate({core}, sources)[0];
  if (leaves_float64(core, values))
    return {Outcome::kRejected, "float64 does not hold what is computed"};
  for (const TensorId output : graph.outputs) {
    const CoreId id = core.value_of[index(output)];
    const ReferenceTensor& value = values[index(id)];
    const at::Tensor& truth = live[index(output)];
    const std::string& name = graph.tensors[index(output)].name;
    if (truth.sizes() != at::IntArrayRef(value.shape))
      return {Outcome::kDiffers, name + " has another shape at the end"};
    if (const std::string why = difference(truth, value, tolerance); !why.empty())
      return is_unstable(program, output, truth, tolerance)
                 ? Comparison{Outcome::kRejected, name + " is not continuous here"}
                 : Comparison{Outcome::kDiffers, name + ": " + why};
  }
  return {};
}

}  // namespace assay::test
