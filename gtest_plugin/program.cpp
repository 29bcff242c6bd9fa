#include "assay/program.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "gtest_plugin/all_reduce.h"
#include "gtest_plugin/program_run.h"
#include "gtest_plugin/relations/placement_relation.h"
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

const FlatBufferSpec* find_buffer(const RefinementSpec& spec, const std::string& name) {
  for (const FlatBufferSpec& buffer : spec.flat_buffers) {
    if (buffer.name == name) return &buffer;
  }
  return nullptr;
}

void declare(DeclaredOutputs& outputs, const std::string& name, DeclaredOutput output) {
  const SourcePlace place = output.place;
  if (!outputs.emplace(name, std::move(output)).second) {
    throw UserError(place, "the program has two outputs named " + name, "give each its own name");
  }
}

// What the rank holds that requires a gradient.
std::vector<Input> differentiable(const RefinementSpec& spec, Side side, const Mesh& mesh,
                                  Rank rank) {
  std::vector<Input> found;
  for (const InputSpec& input : spec.inputs) {
    const FlatBufferSpec* buffer =
        side == Side::kDistributed ? buffer_of(spec, input.name) : nullptr;
    if (!input.requires_grad || !holds(input.placement, mesh, rank)) continue;
    if (buffer == nullptr) {
      found.push_back({input.name});
    } else if (buffer->members.front() == input.name) {
      found.push_back({buffer->name});
    }
  }
  return found;
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
  const FlatBufferSpec* buffer =
      run_.side == Side::kDistributed ? buffer_of(run_.spec, input.name) : nullptr;
  if (buffer != nullptr) {
    throw UserError(buffer->place, "the ranks have " + input.name + " in the flat buffer only",
                    "let the distributed program read the buffer " + buffer->name);
  }
  return run_.context.input(input.name);
}

void Program::output(const std::string& name, const at::Tensor& tensor, const Placement& placement,
                     std::source_location place) {
  declare(run_.outputs, name, {placement, std::nullopt, source_place(place)});
  run_.context.output(name, tensor);
}

void Program::flat_output(const std::string& name, const std::vector<std::string>& members,
                          const at::Tensor& piece, const Placement& placement,
                          std::source_location place) {
  for (const std::string& member : members) {
    declare(run_.outputs, member,
            {Placement(), FlatOutput{name, placement, members}, source_place(place)});
  }
  run_.context.output(name, piece);
}

void Program::derived(const std::string& prefix, const Input& input, const at::Tensor& tensor,
                      Placement (*placement_of)(const Placement&), std::source_location place) {
  const FlatBufferSpec* buffer = find_buffer(run_.spec, input.name);
  if (buffer == nullptr) {
    const InputSpec& declared = find_input(run_.spec, input.name, source_place(place));
    return output(prefix + input.name, tensor, placement_of(declared.placement), place);
  }
  FlatOutput flat{prefix + buffer->name, placement_of(buffer->placement), {}};
  for (const std::string& member : buffer->members) flat.members.push_back(prefix + member);
  for (const std::string& member : buffer->members) {
    const InputSpec& declared = find_input(run_.spec, member, source_place(place));
    declare(run_.outputs, prefix + member,
            {placement_of(declared.placement), flat, source_place(place)});
  }
  run_.context.output(flat.name, tensor);
}

void Program::gradient(const Input& input, const at::Tensor& tensor, std::source_location place) {
  derived("grad.", input, tensor, gradient_placement, place);
}

void Program::updated(const Input& input, const at::Tensor& tensor, std::source_location place) {
  derived("updated.", input, tensor, [](const Placement& same) { return same; }, place);
}

void Program::gradients(const at::Tensor& loss, const Finish& finish, std::source_location place) {
  if (loss.numel() != 1) {
    throw UserError(source_place(place),
                    "the loss has " + std::to_string(loss.numel()) + " elements",
                    "gradients(...) wants a scalar: sum or average it");
  }
  const std::vector<Input> inputs =
      differentiable(run_.spec, run_.side, run_.context.mesh(), rank());
  torch::autograd::variable_list tensors;
  for (const Input& input : inputs) tensors.push_back((*this)[input]);
  const auto gradients =
      torch::autograd::grad({loss}, tensors, /*grad_outputs=*/{}, /*retain_graph=*/std::nullopt,
                            /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) {
      throw UserError(source_place(place), "the loss does not depend on " + inputs[i].name,
                      "declare it with requires_grad = false");
    }
    gradient(inputs[i], finish ? finish(inputs[i], gradients[i]) : gradients[i], place);
  }
}

at::Tensor Program::all_reduce(const at::Tensor& tensor, const std::string& axis) const {
  return sum_over_ranks(tensor, group(axis));
}

ProcessGroupPtr Program::group(const std::string& axis) const { return run_.context.group(axis); }

int64_t Program::size_of(const at::Tensor& count, std::optional<int64_t> at_most) const {
  return run_.context.size_of(count, at_most);
}

std::vector<int64_t> Program::sizes_of(const at::Tensor& counts,
                                       std::optional<int64_t> at_most) const {
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < counts.numel(); ++i)
    sizes.push_back(size_of(counts.select(0, i), at_most));
  return sizes;
}

Rank Program::rank() const { return run_.context.rank(); }

int64_t Program::coordinate(const std::string& axis) const {
  return run_.context.mesh().coordinate(run_.context.rank(), axis);
}

int64_t Program::size(const std::string& axis) const { return run_.context.mesh().axis_size(axis); }

const FlatBufferSpec* buffer_of(const RefinementSpec& spec, const std::string& input) {
  for (const FlatBufferSpec& buffer : spec.flat_buffers) {
    if (std::find(buffer.members.begin(), buffer.members.end(), input) != buffer.members.end())
      return &buffer;
  }
  return nullptr;
}

RankProgram rank_program(const RefinementSpec& spec, Side side, DeclaredOutputs* outputs) {
  return [&spec, side, outputs](ProgramContext& context) {
    Program::Run run{context, spec, side, {}};
    Program program(run);
    (side == Side::kSequential ? spec.sequential : spec.distributed)(program);
    if (outputs != nullptr) *outputs = std::move(run.outputs);
  };
}

}  // namespace assay
