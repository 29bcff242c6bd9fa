// What the sequential side allows, and by which runs.
#include "dynamic_check/judge/references.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include "dynamic_check/inputs/run_inputs.h"
#include "shared_ir/capture/capture.h"
#include "tests/dynamic/support/mlp.h"

namespace assay {
namespace {

constexpr int64_t kTokens = 4096, kHidden = 16;

// The gradient of a norm's weight: each element is a sum over all tokens.
void weight_gradient(ProgramContext& p) {
  const at::Tensor x = p.input("x"), weight = p.input("weight");
  const auto [normalized, mean, scale] = at::native_layer_norm(x, kHidden, weight, {}, 1e-5);
  p.output("y", std::get<1>(at::native_layer_norm_backward(
                    p.input("slope"), x, kHidden, mean, scale, weight, {}, {false, true, false})));
}

test::Mlp make_long_sums() {
  const std::vector<Shape> shapes = {{kTokens, kHidden}, {kHidden}, {kTokens, kHidden}};
  const std::vector<std::string> names = {"x", "weight", "slope"};
  test::Mlp result;
  result.programs.sequential = result.programs.distributed = weight_gradient;
  std::vector<CaptureInput> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    inputs.push_back({names[i], shapes[i]});
    result.programs.inputs.push_back({.name = names[i], .shape = shapes[i]});
    result.refinement.inputs.push_back(test::relation(names[i], {names[i] + "@0"}));
  }
  result.refinement.name = "long sums";
  result.refinement.sequential = capture("sequential", inputs, 0, Mesh(), weight_gradient);
  result.refinement.ranks = {result.refinement.sequential};
  result.refinement.outputs = {"y"};
  result.relations = {test::relation("y", {"y@0"})};
  return result;
}

class KernelThreads {
 public:
  explicit KernelThreads(int count) { at::set_num_threads(count); }
  ~KernelThreads() { at::set_num_threads(before_); }
  KernelThreads(const KernelThreads&) = delete;
  KernelThreads& operator=(const KernelThreads&) = delete;

 private:
  const int before_ = at::get_num_threads();
};

double allowed_of(const References& references) {
  return references.tensors.back().spread->allowed(1, 1, 0).whole;
}

// On many threads, the sequential program's sums are many short chains.
TEST(References, OfWhatDeviatesAllowWhatOneThreadRounds) {
  const test::Mlp sums = make_long_sums();
  const DynamicOptions options{.seed = 1, .samples = 4};
  Targets targets = make_targets(sums.refinement, sums.relations);
  std::erase_if(targets.list, [](const Target& target) { return target.name != "y"; });
  const RunInputs inputs =
      make_run_inputs(sums.refinement, sums.programs.inputs, {}, options.precision, options.seed);
  const auto references = [&] {
    return make_references(sums.refinement, targets, sums.programs, inputs, options);
  };
  const KernelThreads one(1);
  const double on_one = allowed_of(references());
  const KernelThreads many(64);
  References on_many = references();
  EXPECT_LT(allowed_of(on_many), on_one / 2) << "the threads make no difference";
  add_exact_samples(on_many, sums.refinement, targets, sums.programs, inputs, options);
  EXPECT_GT(allowed_of(on_many), on_one / 2);
}

// That a further run fails makes tolerances smaller, and is said.
TEST(References, SayWhichFurtherRunsFailed) {
  test::Mlp sums = make_long_sums();
  const DynamicOptions options{.seed = 1, .samples = 4};
  auto runs = std::make_shared<std::atomic<int>>(0);
  sums.programs.sequential = [runs](ProgramContext& p) {
    if (++*runs > 5) throw std::runtime_error("no more runs");
    weight_gradient(p);
  };
  const Targets targets = make_targets(sums.refinement, sums.relations);
  const RunInputs inputs =
      make_run_inputs(sums.refinement, sums.programs.inputs, {}, options.precision, options.seed);
  const KernelThreads many(64);
  References references = make_references(sums.refinement, targets, sums.programs, inputs, options);
  EXPECT_FALSE(references.failure);
  add_exact_samples(references, sums.refinement, targets, sums.programs, inputs, options);
  EXPECT_THAT(references.incomplete, testing::Contains(testing::HasSubstr("no more runs")));
}

}  // namespace
}  // namespace assay
