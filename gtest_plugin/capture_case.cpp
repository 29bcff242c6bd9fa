#include <algorithm>

#include "assay/refinement.h"
#include "gtest_plugin/flat_buffer.h"
#include "gtest_plugin/placement_relation.h"
#include "gtest_plugin/program_run.h"
#include "gtest_plugin/spec_inputs.h"
#include "shared_ir/capture/capture.h"

namespace assay {
namespace {

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
  for (const FlatBufferSpec& buffer : spec.flat_buffers) check_flat_buffer(spec, buffer);
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
    if (output.flat != first.at(name).flat) {
      throw UserError(
          output.place,
          "rank " + std::to_string(rank) + " has " + name + " in another buffer than rank 0",
          "all ranks lay their outputs out alike");
    }
    if (output.placement != first.at(name).placement) {
      throw UserError(output.place,
                      "rank " + std::to_string(rank) + " places " + name + " " +
                          to_string(output.placement) + ", rank 0 places it " +
                          to_string(first.at(name).placement),
                      "an output has one placement");
    }
  }
}

Shape shape_of(const Graph& graph, const std::string& name) {
  return graph.tensors[static_cast<size_t>(graph.find(name))].shape;
}

// What the ranks promise about an output of the sequential program.
std::vector<CleanExpr> output_relation(const Graph& sequential, const DeclaredOutputs& declared,
                                       const std::string& name, const Mesh& mesh) {
  const DeclaredOutput& output = declared.at(name);
  if (!output.flat)
    return relation(PlacedTensor{name, shape_of(sequential, name), output.placement, output.place},
                    mesh);
  FlatBuffer buffer{output.flat->name, {}, output.flat->placement, output.place};
  size_t member = 0;
  for (const std::string& other : output.flat->members) {
    if (other == name) member = buffer.members.size();
    buffer.members.push_back(
        {other, shape_of(sequential, other), declared.at(other).placement, output.place});
  }
  return relation(buffer, member, mesh);
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
  refinement.sequential = capture("sequential", sequential_inputs(spec, precision), 0, Mesh(),
                                  rank_program(spec, Side::kSequential, &sequential));
  for (const auto& [name, output] : sequential) {
    if (!output.flat) continue;
    throw UserError(output.place, "the sequential program has " + name + " in a flat buffer",
                    "name it by output(...) there");
  }
  DeclaredOutputs distributed;
  for (Rank rank = 0; rank < spec.mesh.world_size(); ++rank) {
    DeclaredOutputs outputs;
    refinement.ranks.push_back(capture("rank " + std::to_string(rank),
                                       rank_inputs(spec, rank, precision), rank, spec.mesh,
                                       rank_program(spec, Side::kDistributed, &outputs)));
    if (rank == 0) {
      distributed = std::move(outputs);
    } else {
      check_agreement(distributed, outputs, rank);
    }
  }
  check_outputs(sequential, distributed, "the distributed program");
  check_outputs(distributed, sequential, "the sequential program");

  for (const InputSpec& input : spec.inputs) {
    refinement.inputs.push_back({input.name, input_relation(spec, input), input.place});
    if (input.make) refinement.self_made.push_back(input.name);
  }
  for (const auto& [name, output] : distributed) {
    refinement.outputs.push_back(name);
    refinement.expect.push_back(
        {sequential_tensor(name),
         output_relation(refinement.sequential, distributed, name, spec.mesh), output.place});
  }
  validate(refinement);
  return refinement;
}

}  // namespace assay
