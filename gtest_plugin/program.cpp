#include "assay/program.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gtest_plugin/all_reduce.h"
#include "gtest_plugin/placement_relation.h"
#include "gtest_plugin/program_run.h"
#include "gtest_plugin/source_place.h"

namespace assay {
namespace {

const InputSpec& find_input(const RefinementSpec& spec, const std::string& name,
                            const SourcePlace& place) {
  for (const InputSpec& input : spec.inputs) {
    if (input.name == name) return input;
  }
  throw UserError(place, "no input or weight is named " + name,
                  "declare it with input(...) or weight(...)");
}

}  // namespace

at::Tensor Program::operator[](const Input& input) const {
  for (const InputSpec& declared : run_.spec.inputs) {
    if (declared.name == input.name && !holds(declared.placement, run_.context.mesh(), rank())) {
      throw UserError(declared.place,
                      "rank " + std::to_string(rank()) + " asks for " + input.name +
                          ", which is placed " + to_string(declared.placement),
                      "ask for it on the ranks that hold it alone");
    }
  }
  return run_.context.input(input.name);
}

void Program::output(const std::string& name, const at::Tensor& tensor, const Placement& placement,
                     std::source_location place) {
  if (!run_.outputs.emplace(name, DeclaredOutput{placement, source_place(place)}).second) {
    throw UserError(source_place(place), "the program has two outputs named " + name,
                    "give each its own name");
  }
  run_.context.output(name, tensor);
}

void Program::gradient(const Input& input, const at::Tensor& tensor, std::source_location place) {
  const InputSpec& declared = find_input(run_.spec, input.name, source_place(place));
  output("grad." + input.name, tensor, gradient_placement(declared.placement), place);
}

void Program::updated(const Input& input, const at::Tensor& tensor, std::source_location place) {
  const InputSpec& declared = find_input(run_.spec, input.name, source_place(place));
  output("updated." + input.name, tensor, declared.placement, place);
}

void Program::gradients(const at::Tensor& loss, const Finish& finish, std::source_location place) {
  if (loss.numel() != 1) {
    throw UserError(source_place(place),
                    "the loss has " + std::to_string(loss.numel()) + " elements",
                    "gradients(...) wants a scalar: sum or average it");
  }
  std::vector<Input> differentiable;
  torch::autograd::variable_list tensors;
  for (const InputSpec& input : run_.spec.inputs) {
    if (!input.requires_grad || !holds(input.placement, run_.context.mesh(), rank())) continue;
    differentiable.push_back({input.name});
    tensors.push_back((*this)[differentiable.back()]);
  }
  const auto gradients =
      torch::autograd::grad({loss}, tensors, /*grad_outputs=*/{}, /*retain_graph=*/std::nullopt,
                            /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) {
      throw UserError(source_place(place), "the loss does not depend on " + differentiable[i].name,
                      "declare it with requires_grad = false");
    }
    const Input& input = differentiable[i];
    gradient(input, finish ? finish(input, gradients[i]) : gradients[i], place);
  }
}

at::Tensor Program::all_reduce(const at::Tensor& tensor, const std::string& axis) const {
  return sum_over_ranks(tensor, group(axis));
}

ProcessGroupPtr Program::group(const std::string& axis) const { return run_.context.group(axis); }

Rank Program::rank() const { return run_.context.rank(); }

int64_t Program::coordinate(const std::string& axis) const {
  return run_.context.mesh().coordinate(run_.context.rank(), axis);
}

int64_t Program::size(const std::string& axis) const { return run_.context.mesh().axis_size(axis); }

RankProgram rank_program(const RefinementSpec& spec, const ProgramBody& body,
                         DeclaredOutputs* outputs) {
  return [&spec, &body, outputs](ProgramContext& context) {
    Program::Run run{context, spec, {}};
    Program program(run);
    body(program);
    if (outputs != nullptr) *outputs = std::move(run.outputs);
  };
}

}  // namespace assay
