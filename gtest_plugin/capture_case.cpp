#include <algorithm>

#include "assay/refinement.h"
#include "gtest_plugin/placement_relation.h"
#include "gtest_plugin/program_run.h"
#include "shared_ir/capture/capture.h"

namespace assay {
namespace {

DType in_precision(DType dtype, DType precision) { return is_floating(dtype) ? precision : dtype; }

PlacedTensor placed(const InputSpec& input) {
  return {input.name, input.shape, input.placement, input.place};
}

CleanExpr sequential_tensor(const std::string& name) {
  CleanExpr expr;
  expr.name = name;
  return expr;
}

void check_spec(const RefinementSpec& spec) {
  if (!spec.sequential || !spec.distributed) {
    throw UserError(spec.place, "the sequential or the distributed program is missing",
                    "give both");
  }
  for (const InputSpec& input : spec.inputs) {
    const bool ids = input.role == InputRole::kTokenIds || input.role == InputRole::kLabels;
    if (ids && input.bound < 1) {
      throw UserError(input.place, input.name + " holds ids without a bound",
                      "say how many there are: bound = ...");
    }
    if (input.requires_grad && !is_floating(input.dtype)) {
      throw UserError(input.place, input.name + " is not floating and cannot require a gradient",
                      "declare it with requires_grad = false");
    }
  }
}

// Every output that one program names, the other must name; all ranks must agree on placements.
void check_outputs(const DeclaredOutputs& expected, const DeclaredOutputs& found,
                   const std::string& who) {
  for (const auto& [name, output] : expected) {
    if (!found.contains(name)) {
      throw UserError(output.place, who + " has no output " + name,
                      "name the same outputs in both programs");
    }
  }
}

void check_agreement(const DeclaredOutputs& first, const DeclaredOutputs& other, Rank rank) {
  check_outputs(first, other, "rank " + std::to_string(rank));
  check_outputs(other, first, "rank 0");
  for (const auto& [name, output] : other) {
    if (output.placement != first.at(name).placement) {
      throw UserError(output.place,
                      "rank " + std::to_string(rank) + " places " + name + " " +
                          to_string(output.placement) + ", rank 0 places it " +
                          to_string(first.at(name).placement),
                      "an output has one placement");
    }
  }
}

CaptureSpec capture_spec(const RefinementSpec& spec, const Mesh* mesh, DType precision) {
  CaptureSpec inputs;
  for (const InputSpec& input : spec.inputs) {
    const Shape shape = mesh == nullptr ? input.shape : local_shape(placed(input), *mesh);
    inputs.push_back(
        {input.name, shape, in_precision(input.dtype, precision), input.requires_grad});
  }
  return inputs;
}

Shape shape_of(const Graph& graph, const std::string& name) {
  return graph.tensors[static_cast<size_t>(graph.find(name))].shape;
}

}  // namespace

Case capture_case(const RefinementSpec& spec, DType precision) {
  check_spec(spec);
  Case refinement;
  refinement.name = spec.name;
  refinement.accept = spec.accept;
  refinement.operator_files = spec.operator_files;
  refinement.distributed_groups = spec.mesh.groups();

  DeclaredOutputs sequential;
  refinement.sequential = capture("sequential", capture_spec(spec, nullptr, precision), 0, Mesh(),
                                  rank_program(spec, spec.sequential, &sequential));
  const CaptureSpec local = capture_spec(spec, &spec.mesh, precision);
  DeclaredOutputs distributed;
  for (Rank rank = 0; rank < spec.mesh.world_size(); ++rank) {
    DeclaredOutputs outputs;
    refinement.ranks.push_back(capture("rank " + std::to_string(rank), local, rank, spec.mesh,
                                       rank_program(spec, spec.distributed, &outputs)));
    if (rank == 0) {
      distributed = std::move(outputs);
    } else {
      check_agreement(distributed, outputs, rank);
    }
  }
  check_outputs(sequential, distributed, "the distributed program");
  check_outputs(distributed, sequential, "the sequential program");

  for (const InputSpec& input : spec.inputs) {
    refinement.inputs.push_back({input.name, relation(placed(input), spec.mesh), input.place});
    if (input.make) refinement.self_made.push_back(input.name);
  }
  for (const auto& [name, output] : distributed) {
    const PlacedTensor whole{name, shape_of(refinement.sequential, name), output.placement,
                             output.place};
    refinement.outputs.push_back(name);
    refinement.expect.push_back(
        {sequential_tensor(name), relation(whole, spec.mesh), output.place});
  }
  validate(refinement);
  return refinement;
}

}  // namespace assay
