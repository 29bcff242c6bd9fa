#include "gtest_plugin/recorded_runs.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <mutex>

#include "dynamic_check/inputs/inputs.h"
#include "dynamic_check/run/run.h"
#include "gtest_plugin/captured_case.h"
#include "gtest_plugin/dynamic_question.h"
#include "gtest_plugin/spec_inputs.h"
#include "shared_ir/capture/record/recording.h"

namespace assay {
namespace {

// Owned by the rank threads as well, of which a stuck one may outlive the capture.
struct SharedRuns {
  std::vector<std::string> names;
  std::vector<CaptureSpec> declared;
  std::vector<ProgramInputs> inputs;
  std::vector<RankProgram> programs;
  ProgramRuns runs;
  std::mutex mutex;
  std::optional<UserError> error;  // the first
};

RecordedRun record_program(const RankProgram& program, RankEnvironment& environment,
                           const std::string& name, const CaptureSpec& declared,
                           const ProgramInputs& inputs) {
  std::map<std::string, at::Tensor> own;
  Recording recording(name, {.on_outputs = {}, .refuse_items = true, .copies_views = true});
  {
    const RecordingPause pause;
    for (const CaptureInput& input : declared)
      own[input.name] =
          inputs.tensors.at(input.name).clone().set_requires_grad(input.requires_grad);
  }
  for (const CaptureInput& input : declared) recording.input(input.name, own.at(input.name));
  RankContext context(
      environment,
      [&](const std::string& wanted) {
        const auto found = own.find(wanted);
        if (found != own.end()) return found->second;
        throw UserError({}, "the program asks for an input " + wanted + " that was not declared",
                        "declare it, or correct the name");
      },
      [&](const std::string& output, const at::Tensor& tensor) {
        recording.output(output, tensor);
      },
      [&](const at::Tensor& tensor, std::optional<int64_t> at_most) {
        return recording.size_of(tensor, at_most);
      });
  program(context);
  Graph graph = recording.finish();
  graph.copies_views = true;
  return {std::move(graph), recording.sizes_read()};
}

Graph inputs_graph(const std::string& name, const CaptureSpec& inputs) {
  Graph graph;
  graph.name = name;
  for (const CaptureInput& input : inputs) {
    const auto id = static_cast<TensorId>(graph.tensors.size());
    Tensor& tensor = graph.tensors.emplace_back();
    tensor.name = input.name;
    tensor.dtype = input.dtype;
    tensor.shape = input.shape;
    graph.by_name.emplace(input.name, id);
    graph.inputs.push_back(id);
  }
  return graph;
}

std::string rank_name(Rank rank) { return "rank " + std::to_string(rank); }

void make_extreme(const std::vector<DynamicInput>& declared, InputDraw::Kind kind,
                  RunInputs& inputs) {
  const bool first = kind == InputDraw::Kind::kFirst;
  for (const DynamicInput& input : declared) {
    const bool ids = input.role == InputRole::kTokenIds || input.role == InputRole::kLabels;
    if (!ids && input.role != InputRole::kMask) continue;
    const int64_t value = ids ? (first ? 0 : input.bound - 1) : (first ? 1 : 0);
    inputs.whole.at(input.name).fill_(value);
    for (auto& [name, part] : inputs.parts)
      if (name.first == input.name) part.fill_(value);
  }
}

}  // namespace

Case case_of_inputs(const RefinementSpec& spec, DType precision) {
  Case result;
  result.name = spec.name;
  result.sequential = inputs_graph("sequential", sequential_inputs(spec, precision));
  for (Rank rank = 0; rank < spec.mesh.world_size(); ++rank)
    result.ranks.push_back(inputs_graph(rank_name(rank), rank_inputs(spec, rank, precision)));
  for (const InputSpec& input : spec.inputs) {
    if (input.make)
      throw UserError(input.place,
                      input.name +
                          " is made by the ranks, in a program with sizes that depend on "
                          "values",
                      "declare it without a program of its own");
    result.inputs.push_back({input.name, input_relation(spec, input), input.place});
  }
  return result;
}

ProgramRuns record_run(const RefinementSpec& spec, Side side, const Case& inputs_of,
                       DType precision, const InputDraw& draw) {
  const std::vector<DynamicInput> declared = programs_under_test(spec).inputs;
  RunInputs inputs = make_run_inputs(inputs_of, declared, {}, precision, draw.seed);
  if (draw.kind != InputDraw::Kind::kRandom) make_extreme(declared, draw.kind, inputs);
  const bool sequential = side == Side::kSequential;
  const Mesh mesh = sequential ? Mesh() : spec.mesh;
  const auto ranks = static_cast<size_t>(mesh.world_size());
  const auto shared = std::make_shared<SharedRuns>();
  shared->runs.ranks.resize(ranks);
  shared->runs.outputs.resize(ranks);
  for (size_t i = 0; i < ranks; ++i) {
    const auto rank = static_cast<Rank>(i);
    shared->names.push_back(sequential ? "sequential" : rank_name(rank));
    shared->declared.push_back(sequential ? sequential_inputs(spec, precision)
                                          : rank_inputs(spec, rank, precision));
    shared->inputs.push_back(sequential ? inputs.of_sequential(at::kCPU)
                                        : inputs.of_rank(rank, at::kCPU));
    shared->programs.push_back(rank_program(spec, side, &shared->runs.outputs[i]));
  }
  const auto failure = run_rank_threads(mesh, {}, [shared](RankEnvironment& environment) {
    const auto rank = static_cast<size_t>(environment.rank());
    try {
      shared->runs.ranks[rank] =
          record_program(shared->programs[rank], environment, shared->names[rank],
                         shared->declared[rank], shared->inputs[rank]);
    } catch (const UserError& error) {
      const std::lock_guard lock(shared->mutex);
      if (!shared->error)
        shared->error =
            UserError(error.place(), shared->names[rank] + ": " + error.message(), error.hint());
      throw;
    }
  });
  if (!failure) return std::move(shared->runs);
  const std::lock_guard lock(shared->mutex);
  if (shared->error && shared->error->place().known()) throw UserError(*shared->error);
  throw UserError(spec.place,
                  "the program fails on some values: " +
                      (shared->error ? shared->error->message() : failure->message),
                  "it was run on those that its inputs may have, for the sizes that depend on them "
                  "(seed " +
                      std::to_string(draw.seed) + ")");
}

Case case_of_run(const RefinementSpec& spec, const CapturedCase& captured, DType precision,
                 uint64_t seed) {
  Case result = captured.refinement;
  // What ids are drawn depends on numbers of the graphs.
  Case inputs_of = case_of_inputs(spec, precision);
  for (int again = 0; again < 2; ++again) {
    if (captured.sequential) {
      RecordedRun run =
          record_run(spec, Side::kSequential, inputs_of, precision, {seed}).ranks.front();
      captured.sequential->check(run);
      result.sequential = std::move(run.graph);
    }
    if (!captured.ranks.empty()) {
      ProgramRuns runs = record_run(spec, Side::kDistributed, inputs_of, precision, {seed});
      for (size_t rank = 0; rank < runs.ranks.size(); ++rank) {
        captured.ranks[rank]->check(runs.ranks[rank]);
        result.ranks[rank] = std::move(runs.ranks[rank].graph);
      }
    }
    inputs_of = result;
  }
  validate(result);
  return result;
}

}  // namespace assay
