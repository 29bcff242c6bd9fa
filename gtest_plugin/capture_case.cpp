#include <algorithm>

#include "assay/refinement.h"
#include "dynamic_check/run/run.h"
#include "gtest_plugin/captured_case.h"
#include "gtest_plugin/program_run.h"
#include "gtest_plugin/recorded_runs.h"
#include "gtest_plugin/relations/flat_buffer_relation.h"
#include "gtest_plugin/relations/placement_relation.h"
#include "gtest_plugin/spec_inputs.h"
#include "shared_ir/capture/capture.h"

namespace assay {
namespace {

CleanExpr sequential_tensor(const std::string& name) {
  CleanExpr expr;
  expr.name = name;
  return expr;
}

bool are_ids(const InputSpec& input) {
  return input.role == InputRole::kTokenIds || input.role == InputRole::kLabels;
}

void check_spec(const RefinementSpec& spec) {
  if (!spec.sequential || !spec.distributed) {
    throw UserError(spec.place, "the sequential or the distributed program is missing",
                    "give both");
  }
  for (const InputSpec& input : spec.inputs) {
    if (are_ids(input) && input.bound < 1) {
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

// Every output that one program names, the other must name.
void check_outputs(const DeclaredOutputs& expected, const DeclaredOutputs& found,
                   const std::string& who) {
  for (const auto& [name, output] : expected) {
    if (!found.contains(name)) {
      throw UserError(output.place, who + " has no output " + name,
                      "name the same outputs in both programs");
    }
  }
}

// The outputs of all ranks, who must agree on placements.
DeclaredOutputs united(const std::vector<DeclaredOutputs>& by_rank, const Mesh& mesh) {
  DeclaredOutputs all;
  std::map<std::string, Rank> first_rank;
  for (Rank rank = 0; rank < static_cast<Rank>(by_rank.size()); ++rank) {
    for (const auto& [name, output] : by_rank[static_cast<size_t>(rank)]) {
      const DeclaredOutput& first = all.emplace(name, output).first->second;
      const Rank other = first_rank.emplace(name, rank).first->second;
      if (output.flat != first.flat) {
        throw UserError(output.place,
                        "rank " + std::to_string(rank) + " has " + name +
                            " in another buffer than rank " + std::to_string(other),
                        "all ranks lay their outputs out alike");
      }
      if (output.placement != first.placement) {
        throw UserError(output.place,
                        "rank " + std::to_string(rank) + " places " + name + " " +
                            to_string(output.placement) + ", rank " + std::to_string(other) +
                            " places it " + to_string(first.placement),
                        "an output has one placement");
      }
      if (!holds(output.placement, mesh, rank)) {
        throw UserError(output.place,
                        "rank " + std::to_string(rank) + " names output " + name +
                            ", which is placed " + to_string(output.placement),
                        "name it on the ranks that hold it alone");
      }
    }
  }
  return all;
}

// Every rank that an output is placed on must name it.
void check_holders(const DeclaredOutputs& all, const std::vector<DeclaredOutputs>& by_rank,
                   const Mesh& mesh) {
  for (const auto& [name, output] : all) {
    for (size_t rank = 0; rank < by_rank.size(); ++rank) {
      if (by_rank[rank].contains(name) || !holds(output.placement, mesh, static_cast<Rank>(rank)))
        continue;
      throw UserError(output.place, "rank " + std::to_string(rank) + " has no output " + name,
                      "name the same outputs on all ranks, or place them On those that have them");
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

// What both programs say about their outputs.
struct Outputs {
  DeclaredOutputs sequential;
  std::vector<DeclaredOutputs> ranks;
};

// Enough that what agrees in all of them hardly does so by chance. A size that is read and was the
// same so far is waited for: a rank rarely sends to each other one, say.
constexpr uint64_t kRunsOfValues = 10, kMostRunsOfValues = 42;

bool every_size_varies(const std::vector<RecordedRun>& runs) {
  for (size_t i = 0; i < runs[0].sizes.size(); ++i)
    if (std::ranges::all_of(runs, [&](const RecordedRun& run) {
          return i >= run.sizes.size() || run.sizes[i].value == runs[0].sizes[i].value;
        }))
      return false;
  return true;
}

// One a rank, out of runs on values.
std::vector<std::shared_ptr<const SizeFit>> fit(const RefinementSpec& spec, Side side,
                                                DType precision,
                                                std::vector<DeclaredOutputs>* outputs) {
  const Case inputs = case_of_inputs(spec, precision);
  std::vector<std::vector<RecordedRun>> by_rank;
  for (uint64_t seed = 1; seed <= kMostRunsOfValues; ++seed) {
    if (seed > kRunsOfValues && std::ranges::all_of(by_rank, every_size_varies)) break;
    const InputDraw::Kind kind = seed == 1   ? InputDraw::Kind::kFirst
                                 : seed == 2 ? InputDraw::Kind::kLast
                                             : InputDraw::Kind::kRandom;
    ProgramRuns runs = record_run(spec, side, inputs, precision, {seed, kind});
    by_rank.resize(runs.ranks.size());
    for (size_t rank = 0; rank < runs.ranks.size(); ++rank)
      by_rank[rank].push_back(std::move(runs.ranks[rank]));
    *outputs = std::move(runs.outputs);
  }
  std::vector<std::shared_ptr<const SizeFit>> fits;
  for (std::vector<RecordedRun>& runs : by_rank)
    fits.push_back(std::make_shared<const SizeFit>(std::move(runs)));
  return fits;
}

Graph padded_graph(const SizeFit& fit) {
  Graph graph = padded(fit.unbacked());
  validate(graph);
  return graph;
}

void capture_sequential(const RefinementSpec& spec, DType precision, CapturedCase& captured,
                        Outputs& outputs) {
  try {
    captured.refinement.sequential =
        capture("sequential", sequential_inputs(spec, precision), 0, Mesh(),
                rank_program(spec, Side::kSequential, &outputs.sequential));
  } catch (const SizesDependOnValues&) {
    std::vector<DeclaredOutputs> declared;
    captured.sequential = fit(spec, Side::kSequential, precision, &declared).front();
    outputs.sequential = std::move(declared.front());
    captured.refinement.sequential = padded_graph(*captured.sequential);
  }
}

void capture_ranks(const RefinementSpec& spec, DType precision, CapturedCase& captured,
                   Outputs& outputs) {
  std::vector<Graph>& graphs = captured.refinement.ranks;
  outputs.ranks.resize(static_cast<size_t>(spec.mesh.world_size()));
  try {
    for (Rank rank = 0; rank < spec.mesh.world_size(); ++rank)
      graphs.push_back(capture(
          "rank " + std::to_string(rank), rank_inputs(spec, rank, precision), rank, spec.mesh,
          rank_program(spec, Side::kDistributed, &outputs.ranks[static_cast<size_t>(rank)])));
  } catch (const SizesDependOnValues&) {
    // All ranks run, as they wait for each other.
    captured.ranks = fit(spec, Side::kDistributed, precision, &outputs.ranks);
    graphs.clear();
    for (const auto& rank : captured.ranks) graphs.push_back(padded_graph(*rank));
  }
}

}  // namespace

CapturedCase capture_programs(const RefinementSpec& spec, DType run_in) {
  const DType precision = storage_dtype(run_in);
  check_spec(spec);
  CapturedCase captured;
  Case& refinement = captured.refinement;
  refinement.name = spec.name;
  refinement.accept = spec.accept;
  refinement.operator_files = spec.operator_files;
  refinement.lemma_files = spec.lemma_files;
  refinement.distributed_groups = spec.mesh.groups();

  Outputs outputs;
  capture_sequential(spec, precision, captured, outputs);
  const DeclaredOutputs& sequential = outputs.sequential;
  for (const auto& [name, output] : sequential) {
    if (!output.flat) continue;
    throw UserError(output.place, "the sequential program has " + name + " in a flat buffer",
                    "name it by output(...) there");
  }
  capture_ranks(spec, precision, captured, outputs);
  const std::vector<DeclaredOutputs>& by_rank = outputs.ranks;
  const DeclaredOutputs distributed = united(by_rank, spec.mesh);
  check_holders(distributed, by_rank, spec.mesh);
  check_outputs(sequential, distributed, "the distributed program");
  check_outputs(distributed, sequential, "the sequential program");

  for (const InputSpec& input : spec.inputs) {
    refinement.inputs.push_back({input.name, input_relation(spec, input), input.place});
    if (input.make) refinement.self_made.push_back(input.name);
    if (are_ids(input)) refinement.never_ignored.push_back(input.name);
  }
  for (const auto& [name, output] : distributed) {
    refinement.outputs.push_back(name);
    refinement.expect.push_back(
        {sequential_tensor(name),
         output_relation(refinement.sequential, distributed, name, spec.mesh), output.place});
  }
  for (const ApproximationSpec& accepted : spec.approximations) {
    if (!distributed.contains(accepted.output)) {
      throw UserError(accepted.place, "no output is named " + accepted.output,
                      "name what is approximated by output(...) in both programs");
    }
    refinement.approximations.push_back(
        {accepted.output,
         output_relation(refinement.sequential, distributed, accepted.output, spec.mesh),
         accepted.reason, accepted.place});
  }
  validate(refinement);
  return captured;
}

Case capture_case(const RefinementSpec& spec, DType run_in) {
  return capture_programs(spec, run_in).refinement;
}

}  // namespace assay
