#include "dynamic_check/localize/operator_check.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "dynamic_check/judge/judge.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/localize/fault_kind.h"
#include "dynamic_check/localize/quick_product_check.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/run/run.h"
#include "dynamic_check/tolerance/tolerance.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

constexpr int kSamples = 4;
constexpr int kManySamples = 16;

// Elements of one operator's result round independently, so each counts as a sample of its block,
// up to a number where more of them change nothing. That is too many where one element of a block
// is larger than all others, or they depend on each other, as a softmax's do: what would be a fault
// gets kManySamples, each of which counts once.
int64_t effective_samples(int64_t elements) {
  return 1 + kSamples * std::clamp<int64_t>(elements, 1, 64);
}

// While it lives, kernels that this thread calls run on one thread: sums in one chain, which rounds
// most. A rank may have had fewer threads than this process has. Only one lives at a time: what MKL
// is told holds for all threads.
class OneKernelThread {
 public:
  OneKernelThread() : alone_(mutex()) { at::set_num_threads(1); }
  ~OneKernelThread() { at::set_num_threads(all_); }
  OneKernelThread(const OneKernelThread&) = delete;
  OneKernelThread& operator=(const OneKernelThread&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  const std::lock_guard<std::mutex> alone_;
  const int all_ = at::get_num_threads();
};

// One operator with what was recorded of it.
class OperatorAlone {
 public:
  OperatorAlone(const Graph& graph, NodeId id, const TensorLookup& recorded,
                const OperatorCheckOptions& options)
      : graph_(graph),
        node_(graph.nodes[static_cast<size_t>(id)]),
        id_(id),
        seed_(options.seed),
        declared_(options.declared && options.declared->declares(node_) ? options.declared
                                                                        : nullptr),
        float8_(first_factor(node_) == kNone ? std::nullopt : options.float8) {
    why_not_ = why_not_judged();
    if (!why_not_.empty()) return;
    for (TensorId input : tensor_arguments(node_)) operands_.try_emplace(input, recorded(input));
    for (const TensorId output : node_.outputs)
      if (output != kNone && recorded(output).defined()) device_ = recorded(output).device();
    const bool all = std::ranges::all_of(
        operands_, [](const auto& operand) { return operand.second.defined(); });
    if (!all) why_not_ = "its inputs were not recorded";
  }

  // Why the operator cannot be run alone; empty where it can.
  const std::string& why_not() const { return why_not_; }

  // What an output that is no floating tensor is held against, and one that is.
  JudgedBy judge(bool floating) const {
    return declared_  ? JudgedBy::kDeclaration
           : floating ? JudgedBy::kExactReference
                      : JudgedBy::kItself;
  }

  std::vector<at::Tensor> operands() const {
    std::vector<at::Tensor> tensors;
    for (TensorId input : tensor_arguments(node_)) tensors.push_back(operands_.at(input));
    return tensors;
  }

  // In float64; inputs perturbed by `relative` (0: not at all), keyed by `sample`.
  std::vector<at::Tensor> run(double relative, int sample) const {
    return there(run_operator(graph_, node_, operand(relative, sample, Arithmetic::kFloat64),
                              Arithmetic::kFloat64, declared_));
  }

  // Adds a sample of the spread of output `index` at a precision: inputs and result rounded to it,
  // exact in between.
  void add_sample(Spread& spread, size_t index, double relative) const {
    add_sample(spread, index, relative, Arithmetic::kFloat64);
  }

  // Of what the operator rounds inside, as where a kernel cancels (gelu's 1 + erf(x) for negative
  // x). It alone would not do: in the run's own precision the errors lie on a grid, and a few
  // samples of one element can all have the same.
  void add_inner_sample(Spread& spread, size_t index, double relative) const {
    if (declared_) return add_declared_sample(spread, index, relative);
    const OneKernelThread noisiest;
    add_sample(spread, index, relative, Arithmetic::kAsRecorded);
  }

  // The operator only moves or selects, and does so again.
  bool is_exact_again(const std::vector<at::Tensor>& outputs) const {
    if (!rounds_nothing(graph_, node_)) return false;
    const std::vector<at::Tensor> again = run_as_recorded();
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].defined() && !has(again, i, outputs[i])) return false;
    return true;
  }

  // The operator gives this output again in the recorded types, as where it compares with a number
  // that these round.
  bool gives_again(size_t index, const at::Tensor& output) const {
    return !declared_ && has(run_as_recorded(), index, output);
  }

  // The operator is a product that is right beyond doubt.
  bool is_right_product(const std::vector<at::Tensor>& outputs, double coverage) const {
    const auto product = product_of(node_);
    if (!product || product->scaled || outputs.empty() || !outputs[0].defined()) return false;
    std::vector<at::Tensor> factors;
    for (const TensorId input : tensor_arguments(node_))
      factors.push_back(operand(0, 0, Arithmetic::kAsRecorded)(input));
    const at::Tensor& result = outputs[0];
    if (!result.is_cpu()) return false;  // thin products are the host's
    for (const at::Tensor& factor : factors)
      if (factor.scalar_type() != result.scalar_type()) return false;
    const int64_t elements = result.numel();
    return product_is_right(
        *product, factors, result,
        {.roundoff = unit_roundoff(to_dtype(result.scalar_type())),
         .block_factor = tolerance_factor(effective_samples(block_size(elements)), coverage),
         .whole_factor = tolerance_factor(effective_samples(elements), coverage),
         .seed = seed_ + static_cast<uint64_t>(id_)});
  }

  // Terms of the longest sum that the operator is known to make.
  int64_t sum_length() const {
    return declared_ ? declared_->longest_sum(graph_, node_) : contraction_length(graph_, node_);
  }

  const Node& node() const { return node_; }

 private:
  std::string why_not_judged() const {
    if (is_random(node_)) return "it draws random numbers";
    if (is_uninitialised(node_)) return "it gives memory that nothing has written";
    if (collective_of(node_)) return "it is a collective";
    if (declared_ && declared_->communicates(node_)) return "it communicates by itself";
    return "";
  }

  std::vector<at::Tensor> run_as_recorded() const {
    return there(run_operator(graph_, node_, operand(0, 0, Arithmetic::kAsRecorded),
                              Arithmetic::kAsRecorded));
  }

  // On the device of the recorded outputs: what an operator makes of numbers alone is on the CPU,
  // and what a declaration gives.
  std::vector<at::Tensor> there(std::vector<at::Tensor> outputs) const {
    for (at::Tensor& output : outputs)
      if (output.defined()) output = output.to(device_);
    return outputs;
  }

  static bool has(const std::vector<at::Tensor>& outputs, size_t index, const at::Tensor& output) {
    return index < outputs.size() && outputs[index].scalar_type() == output.scalar_type() &&
           at::equal(outputs[index], output);
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

  void add_sample(Spread& spread, size_t index, double relative, Arithmetic arithmetic) const {
    const auto sample = static_cast<int>(spread.samples());
    const std::vector<at::Tensor> outputs = there(
        run_operator(graph_, node_, operand(relative, sample, arithmetic), arithmetic, declared_));
    spread.add(perturbed(outputs.at(index).to(at::kDouble), relative,
                         {seed_, fmt::format("result {} {} {}", id_, index, sample)}));
  }

  // The kernel under test would vouch for itself: a wrong one is as wrong on perturbed inputs. What
  // is sampled is a kernel that adds in float32 at least, and may round every result of an
  // element-wise operator to its own type.
  void add_declared_sample(Spread& spread, size_t index, double relative) const {
    const auto sample = static_cast<int>(spread.samples());
    const InnerRounding rounding{relative, std::min(relative, unit_roundoff(DType::kFloat32)),
                                 seed_, fmt::format("inside {} {}", id_, sample)};
    const std::vector<at::Tensor> outputs = there(
        declared_->run(graph_, node_, operand(relative, sample, Arithmetic::kFloat64), rounding));
    spread.add(outputs.at(index));
  }

  const Graph& graph_;
  const Node& node_;
  const NodeId id_;
  std::map<TensorId, at::Tensor> operands_;
  at::Device device_ = at::kCPU;
  const uint64_t seed_;
  std::string why_not_;
  const DeclaredOperators* const declared_;  // null: the user does not declare the operator
  const std::optional<DType> float8_;
};

// The root mean square of kSamples samples at a precision.
double whole_spread(const OperatorAlone& alone, size_t index, const at::Tensor& exact,
                    double relative) {
  Spread spread(exact);
  while (spread.samples() < kSamples) alone.add_sample(spread, index, relative);
  return spread.allowed(1, 1, 0).whole;
}

// One output of the operator against its spread.
class FloatingCheck {
 public:
  FloatingCheck(const OperatorAlone& alone, size_t index, const Spread& none, const Norms& error,
                double roundoff, double coverage)
      : alone_(alone),
        index_(index),
        none_(none),
        error_(error),
        roundoff_(roundoff),
        block_factor_(
            tolerance_factor(effective_samples(block_size(none.exact().numel())), coverage)),
        whole_factor_(tolerance_factor(effective_samples(none.exact().numel()), coverage)),
        many_factor_(tolerance_factor(1 + kManySamples, coverage)) {}

  // nullopt when the output is within its tolerance.
  std::optional<Excess> excess() const {
    Spread outer = none_;
    if (add_until_plain(outer, &OperatorAlone::add_sample)) return std::nullopt;
    if (!excess_over(outer, 1)) return std::nullopt;
    Spread inner = none_;
    if (add_until_plain(inner, &OperatorAlone::add_inner_sample)) return std::nullopt;
    Spread few = outer;
    few.raise_to(inner);
    const auto excess = excess_over(few, 1);
    if (!excess || excess->error > kBeyondDoubt * excess->allowed) return excess;
    while (outer.samples() < kManySamples) alone_.add_sample(outer, index_, roundoff_);
    while (inner.samples() < kManySamples) alone_.add_inner_sample(inner, index_, roundoff_);
    outer.raise_to(inner);
    return find_excess(error_, outer.allowed(many_factor_, many_factor_, roundoff_), outer.norms());
  }

 private:
  // A few samples are enough where the error is far below what they allow, as it nearly always is,
  static constexpr double kPlain = 0.5;
  // and where it is so far beyond that more of them would not allow it.
  static constexpr double kBeyondDoubt = 8;

  bool add_until_plain(Spread& spread,
                       void (OperatorAlone::*add)(Spread&, size_t, double) const) const {
    while (spread.samples() < kSamples) {
      (alone_.*add)(spread, index_, roundoff_);
      if (!excess_over(spread, kPlain)) return true;
    }
    return false;
  }

  std::optional<Excess> excess_over(const Spread& spread, double share) const {
    return find_excess(
        error_, spread.allowed(share * block_factor_, share * whole_factor_, share * roundoff_),
        spread.norms());
  }

  const OperatorAlone& alone_;
  const size_t index_;
  const Spread& none_;  // without samples
  const Norms& error_;
  const double roundoff_, block_factor_, whole_factor_, many_factor_;
};

std::optional<OperatorFault> check_floating(const OperatorAlone& alone, size_t index,
                                            const at::Tensor& actual, const at::Tensor& exact,
                                            double coverage) {
  const double roundoff = unit_roundoff(to_dtype(actual.scalar_type()));
  const Norms error = difference_norms(actual, exact);
  // What is beyond the type's range is infinite there.
  if (!error.finite && special_mismatches(actual, exact) > 0 &&
      special_mismatches(actual, exact.to(actual.scalar_type())) > 0) {
    return OperatorFault{.detail = "NaN or infinity at other places than in float64"};
  }
  const Spread none(exact);
  // Most results are within one rounding of the exact ones: no need to measure the spread then.
  if (!find_excess(error, none.floor(roundoff), error)) return std::nullopt;
  const auto excess = FloatingCheck(alone, index, none, error, roundoff, coverage).excess();
  if (!excess) return std::nullopt;
  OperatorFault fault;
  fault.error = relative_to(excess->error, excess->norm);
  fault.allowed = relative_to(excess->allowed, excess->norm);
  const std::optional<std::string> precision = explaining_precision(
      actual.to(at::kDouble), exact, error, alone.sum_length(), to_dtype(actual.scalar_type()),
      [&](double relative) { return whole_spread(alone, index, exact, relative); });
  fault.kind = precision ? OperatorFault::Kind::kPrecision : OperatorFault::Kind::kKernel;
  fault.detail = precision ? fmt::format("right inputs, and an error as of {}", *precision)
                           : "wrong on right inputs, by more than a lower precision explains";
  return fault;
}

}  // namespace

Judgement check_operator(const Graph& graph, Rank rank, NodeId id, const TensorLookup& recorded,
                         const OperatorCheckOptions& options) {
  if (is_view_operator(graph.nodes[static_cast<size_t>(id)])) return {.by = JudgedBy::kView};
  const OperatorAlone alone(graph, id, recorded, options);
  if (!alone.why_not().empty()) return {.why_not = alone.why_not()};
  const std::vector<TensorId>& outputs = alone.node().outputs;
  std::vector<at::Tensor> actuals;
  for (const TensorId output : outputs)
    actuals.push_back(output == kNone ? at::Tensor() : recorded(output));
  if (std::ranges::none_of(actuals, [](const at::Tensor& actual) { return actual.defined(); }))
    return {.why_not = "its results were not recorded"};
  if (alone.is_exact_again(actuals)) return {.by = JudgedBy::kItself};
  if (alone.is_right_product(actuals, options.coverage)) return {.by = JudgedBy::kOtherKernel};
  const std::vector<at::Tensor> exact = alone.run(0, 0);
  Judgement judgement{.why_not = "its results were not recorded"};
  for (size_t i = 0; i < outputs.size() && i < exact.size(); ++i) {
    if (outputs[i] == kNone || !exact[i].defined()) continue;
    const at::Tensor& actual = actuals[i];
    if (!actual.defined()) continue;
    const bool floating = actual.is_floating_point() && exact[i].is_floating_point();
    // Of several outputs, the weaker judge counts.
    judgement.by = std::max(judgement.by, alone.judge(floating));
    judgement.why_not.clear();
    std::optional<OperatorFault>& fault = judgement.fault;
    if (actual.sizes() != exact[i].sizes()) {
      fault = OperatorFault{.detail = "the shape is not what the operator gives"};
    } else if (floating) {
      fault = check_floating(alone, i, actual, exact[i], options.coverage);
    } else if (actual.ne(exact[i]).any().item<bool>() && !alone.gives_again(i, actual)) {
      fault =
          OperatorFault{.error = 1, .detail = "integers or booleans differ from the operator's"};
    }
    if (!fault) continue;
    fault->rank = rank;
    fault->node = id;
    fault->output = outputs[i];
    return judgement;
  }
  return judgement;
}

}  // namespace assay
