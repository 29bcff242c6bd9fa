#include "bench/calibration/power.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/equal.h>

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <random>

#include "bench/question.h"
#include "dynamic_check/numbers/numbers.h"
#include "dynamic_check/run/run.h"
#include "shared_ir/base/error.h"

namespace assay::bench {
namespace {

struct Place {
  Rank rank;
  NodeId node;
};

// Operators whose result may be wrong by a factor.
std::vector<Place> places_of(const Case& refinement) {
  std::vector<Place> result;
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    const Graph& graph = refinement.ranks[rank];
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      if (collective_of(node) || node.outputs.empty()) continue;
      const TensorId id = node.outputs[0];
      if (id == kNone || !is_floating(graph.tensors[static_cast<size_t>(id)].dtype)) continue;
      // Views share the memory that the error would be written to; nobody reads what stands in
      // empty memory.
      if (rounds_nothing(graph, node) || node.op.find("empty") != std::string::npos) continue;
      result.push_back({static_cast<Rank>(rank), static_cast<NodeId>(i)});
    }
  }
  return result;
}

// The first output of the operator, times a factor, rounded once; says in `changed` whether that is
// another value.
KernelHook scaled(const Case& refinement, Place place, double factor,
                  const std::shared_ptr<std::atomic<bool>>& changed) {
  const Node* node =
      &refinement.ranks[static_cast<size_t>(place.rank)].nodes[static_cast<size_t>(place.node)];
  return [=](const KernelCall& call) {
    if (call.rank != place.rank || call.node.outputs != node->outputs) return;
    at::Tensor output = call.outputs[0];
    if (!output.defined()) return;
    const at::AutoDispatchBelowADInplaceOrView unrecorded;
    const at::Tensor wrong = (output.to(at::kDouble) * factor).to(output.scalar_type());
    *changed = !at::equal(wrong, output);
    output.copy_(wrong);
  };
}

PowerPoint measure_point(const std::vector<RefinementSpec>& fixtures, DType precision,
                         double roundoffs, int draws, std::mt19937_64& random,
                         const std::function<void()>& progress) {
  PowerPoint point{roundoffs, 0, 0, 0, {}};
  // A result of zeros cannot be wrong by a factor: another operator is drawn.
  for (int attempt = 0; attempt < 4 * draws && point.injected < draws; ++attempt) {
    Question question(fixtures[random() % fixtures.size()], precision);
    const std::vector<Place> places = places_of(question.refinement);
    if (places.empty()) continue;
    const Place place = places[random() % places.size()];
    question.options.seed = random();
    const auto changed = std::make_shared<std::atomic<bool>>(false);
    question.options.kernel =
        scaled(question.refinement, place, 1 + roundoffs * unit_roundoff(precision), changed);
    const DynamicReport report = question.check();
    progress();
    if (!*changed) continue;
    ++point.injected;
    const Graph& graph = question.refinement.ranks[static_cast<size_t>(place.rank)];
    const Node& wrong = graph.nodes[static_cast<size_t>(place.node)];
    const std::string source = to_string(wrong.source);
    if (report.verdict == RunVerdict::kAgrees) {
      point.missed.push_back(fmt::format("{}: rank {}, {} at {}, operator {} with seed {}",
                                         question.refinement.name, place.rank, wrong.op, source,
                                         place.node, report.seed));
    } else {
      ++point.caught;
      const auto& first = report.first_deviation;
      if (first && first->op == wrong.op && first->source == source) ++point.named;
    }
  }
  return point;
}

}  // namespace

std::vector<PowerCurve> measure_power(const std::vector<RefinementSpec>& fixtures,
                                      const std::vector<DType>& precisions, int doublings,
                                      int draws, uint64_t seed,
                                      const std::function<void()>& progress) {
  ASSAY_CHECK(!fixtures.empty(), "there is something to run");
  std::vector<PowerCurve> result;
  for (const DType precision : precisions) {
    // The same draws for each precision.
    std::mt19937_64 random(seed);
    PowerCurve curve{precision, {}};
    for (int doubling = 0; doubling <= doublings; ++doubling)
      curve.points.push_back(
          measure_point(fixtures, precision, std::ldexp(1.0, doubling), draws, random, progress));
    result.push_back(std::move(curve));
  }
  return result;
}

}  // namespace assay::bench
