#include "dynamic_check/localize/operator_check.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dynamic_check/compare/tensor_comparison.h"
#include "dynamic_check/float8_products.h"
#include "dynamic_check/interpret/boxed_call.h"
#include "dynamic_check/interpret/collective_node.h"
#include "dynamic_check/localize/fault_kind.h"
#include "dynamic_check/tolerance/rounding.h"
#include "dynamic_check/tolerance/spread.h"
#include "dynamic_check/tolerance/statistics.h"
#include "shared_ir/capture/scalar_type.h"

namespace assay {
namespace {

constexpr int kSamples = 4;

// Elements of one operator's result round independently, so each counts as a sample of its block,
// up to a number where more of them change nothing.
int64_t effective_samples(int64_t elements) {
  return 1 + kSamples * std::clamp<int64_t>(elements, 1, 64);
}

// One operator with what was recorded of it.
class OperatorReplay {
 public:
  OperatorReplay(const Graph& graph, NodeId id, const TensorLookup& recorded,
                 const OperatorCheckOptions& options)
      : graph_(graph),
        node_(graph.nodes[static_cast<size_t>(id)]),
        id_(id),
        seed_(options.seed),
        float8_(first_factor(node_) == kNone ? std::nullopt : options.float8) {
    if (!judges()) return;
    for (TensorId input : tensor_arguments(node_)) operands_.try_emplace(input, recorded(input));
  }

  bool can_run() const {
    return judges() && std::ranges::all_of(
                           operands_, [](const auto& operand) { return operand.second.defined(); });
  }

  std::vector<at::Tensor> operands() const {
    std::vector<at::Tensor> tensors;
    for (TensorId input : tensor_arguments(node_)) tensors.push_back(operands_.at(input));
    return tensors;
  }

  // In float64; inputs perturbed by `relative` (0: not at all), keyed by `sample`.
  std::vector<at::Tensor> run(double relative, int sample) const {
    return run_operator(graph_, node_, operand(relative, sample, Arithmetic::kFloat64),
                        Arithmetic::kFloat64);
  }

  // The spread of output `index` at a precision: inputs and result rounded to it, exact in between.
  Spread spread(const at::Tensor& exact, size_t index, double relative) const {
    return spread(exact, index, relative, Arithmetic::kFloat64);
  }

  // Of what the operator rounds inside, as where a kernel cancels (gelu's 1 + erf(x) for negative
  // x). It alone would not do: in the run's own precision the errors lie on a grid, and a few
  // samples of one element can all have the same.
  Spread inner_spread(const at::Tensor& exact, size_t index, double relative) const {
    return spread(exact, index, relative, Arithmetic::kAsRecorded);
  }

  const Node& node() const { return node_; }

 private:
  bool judges() const {
    return !is_random(node_) && !is_uninitialised(node_) && !is_view_operator(node_) &&
           !collective_of(node_);
  }

  bool is_factor(TensorId input) const {
    const std::vector<TensorId> arguments = tensor_arguments(node_);
    const auto first = static_cast<size_t>(first_factor(node_));
    return input == arguments.at(first) || input == arguments.at(first + 1);
  }

  TensorLookup operand(double relative, int sample, Arithmetic arithmetic) const {
    return [=, this](TensorId input) {
      const at::Tensor& recorded = operands_.at(input);
      const at::Tensor value =
          float8_ && is_factor(input) ? through_float8(recorded, *float8_) : recorded;
      const at::Tensor operand = arithmetic == Arithmetic::kFloat64 ? widened(value) : value;
      if (relative == 0) return operand;
      return perturbed(operand, relative,
                       {seed_, fmt::format("operator {} {} {}", id_, input, sample)});
    };
  }

  Spread spread(const at::Tensor& exact, size_t index, double relative,
                Arithmetic arithmetic) const {
    Spread result(exact);
    for (int sample = 0; sample < kSamples; ++sample) {
      const std::vector<at::Tensor> outputs =
          run_operator(graph_, node_, operand(relative, sample, arithmetic), arithmetic);
      result.add(perturbed(outputs.at(index).to(at::kDouble), relative,
                           {seed_, fmt::format("result {} {} {}", id_, index, sample)}));
    }
    return result;
  }

  const Graph& graph_;
  const Node& node_;
  const NodeId id_;
  std::map<TensorId, at::Tensor> operands_;
  const uint64_t seed_;
  const std::optional<DType> float8_;
};

std::optional<OperatorFault> check_floating(const OperatorReplay& replay, size_t index,
                                            const at::Tensor& actual, const at::Tensor& exact,
                                            double coverage) {
  const double roundoff = unit_roundoff(to_dtype(actual.scalar_type()));
  if (special_mismatches(actual, exact) > 0) {
    return OperatorFault{.detail = "NaN or infinity at other places than in float64"};
  }
  const Norms error = difference_norms(actual, exact);
  // Most results are within one rounding of the exact ones: no need to measure the spread then.
  if (!find_excess(error, Spread(exact).floor(roundoff), error)) return std::nullopt;
  const double whole_factor = tolerance_factor(effective_samples(exact.numel()), coverage);
  const double block_factor =
      tolerance_factor(effective_samples(block_size(exact.numel())), coverage);
  Spread spread = replay.spread(exact, index, roundoff);
  const auto excess_over_spread = [&] {
    return find_excess(error, spread.allowed(block_factor, whole_factor, roundoff), spread.norms());
  };
  if (!excess_over_spread()) return std::nullopt;
  spread.raise_to(replay.inner_spread(exact, index, roundoff));
  const auto excess = excess_over_spread();
  if (!excess) return std::nullopt;
  OperatorFault fault;
  fault.error = relative_to(excess->error, excess->norm);
  fault.allowed = relative_to(excess->allowed, excess->norm);
  const std::optional<std::string> precision =
      explaining_precision(actual.to(at::kDouble), exact, error,
                           contraction_length(replay.node(), exact, replay.operands()),
                           to_dtype(actual.scalar_type()), [&](double relative) {
                             return replay.spread(exact, index, relative).allowed(1, 1, 0).whole;
                           });
  fault.kind = precision ? OperatorFault::Kind::kPrecision : OperatorFault::Kind::kKernel;
  fault.detail = precision ? fmt::format("right inputs, and an error as of {}", *precision)
                           : "wrong on right inputs, by more than a lower precision explains";
  return fault;
}

}  // namespace

std::optional<OperatorFault> check_operator(const Graph& graph, Rank rank, NodeId id,
                                            const TensorLookup& recorded,
                                            const OperatorCheckOptions& options) {
  const OperatorReplay replay(graph, id, recorded, options);
  if (!replay.can_run()) return std::nullopt;
  const std::vector<at::Tensor> exact = replay.run(0, 0);
  const std::vector<TensorId>& outputs = replay.node().outputs;
  for (size_t i = 0; i < outputs.size() && i < exact.size(); ++i) {
    if (outputs[i] == kNone || !exact[i].defined()) continue;
    const at::Tensor actual = recorded(outputs[i]);
    if (!actual.defined()) continue;
    std::optional<OperatorFault> fault;
    if (actual.sizes() != exact[i].sizes()) {
      fault = OperatorFault{.detail = "the shape is not what the operator gives"};
    } else if (actual.is_floating_point() && exact[i].is_floating_point()) {
      fault = check_floating(replay, i, actual, exact[i], options.coverage);
    } else if (actual.ne(exact[i]).any().item<bool>()) {
      fault =
          OperatorFault{.error = 1, .detail = "integers or booleans differ from the operator's"};
    }
    if (!fault) continue;
    fault->rank = rank;
    fault->node = id;
    fault->output = outputs[i];
    return fault;
  }
  return std::nullopt;
}

}  // namespace assay
