#include "shared_ir/lower/lower.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/lower/build/bounds/joint_bounds.h"
#include "shared_ir/lower/build/operands_fit.h"
#include "shared_ir/lower/node/meaning.h"
#include "shared_ir/memory/functionalize.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using namespace lowering;

class Lowering {
 public:
  Lowering(const Graph& graph, const Groups& groups, Rank rank, const OperatorTable& operators,
           IgnoredTargets ignored)
      : graph_(graph),
        operators_(operators),
        builder_(3 * graph.nodes.size() + graph.inputs.size()),
        context_{builder_, groups, rank, {&graph, nullptr}, nullptr, {}},
        value_of_(graph.tensors.size(), kNone),
        memory_(graph, operators, context_) {
    builder_.set_no_target_ignored(ignored == IgnoredTargets::kAssumedNone);
  }

  CoreProgram run() {
    for (TensorId id : graph_.inputs) {
      value_of_[id] = builder_.input(id, graph_.tensors[id].dtype, graph_.tensors[id].shape);
      memory_.add_input(id, value_of_[id]);
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      context_.site.node = &graph_.nodes[i];
      asked_by([&] { return describe(graph_.nodes[i]); });
      builder_.set_origin(static_cast<NodeId>(i));
      for (const int32_t work : graph_.nodes[i].awaits) wait_for(work);
      const size_t made_before = builder_.collective_count();
      try {
        lower_node(graph_.nodes[i]);
      } catch (const RationalOverflow&) {
        context_.site.node = &graph_.nodes[i];  // not a call that was made of it
        context_.site.fail("arithmetic on its constants needs more than 64 bits");
      } catch (const SizeOverflow&) {
        context_.site.node = &graph_.nodes[i];
        context_.site.fail("its sizes leave 64 bits, or it is too many operators at once");
      } catch (const OperandsDoNotFit& operands) {
        context_.site.node = &graph_.nodes[i];
        context_.site.fail(fmt::format("its operands do not fit each other ({})", operands.rule));
      }
      if (const int32_t work = graph_.nodes[i].work; work != kNone)
        for (size_t made = made_before; made < builder_.collective_count(); ++made)
          works_[work].push_back(made);
    }
    for (const auto& [work, collectives] : works_)
      for (const size_t collective : collectives) builder_.wait_for(collective);
    memory_.finish(value_of_);
    return builder_.finish(std::move(value_of_));
  }

 private:
  static std::string describe(const Node& node) {
    return node.source.known() ? fmt::format("{} at {}", node.op, to_string(node.source)) : node.op;
  }

  void lower_node(const Node& node) {
    Recorded recorded;
    for (const TensorId output : node.outputs)
      recorded.returns.push_back(output == kNone ? nullptr : &graph_.tensors[output]);
    const OperatorDeclaration* declaration = operators_.find(node.op);
    if (memory_.is_needed() && memory_.run(node, declaration, recorded, value_of_)) return;
    const bool used = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [](TensorId output) { return output != kNone; });
    const std::vector<CoreId>& values = memory_.is_needed() ? memory_.values() : value_of_;
    if (!used && !(declaration && declaration->communicates)) {
      if (declaration) refuse_misfit(*declaration, recorded, values);
      return;
    }
    const Results results = results_of(context_, declaration, recorded, values);
    for (size_t i = 0; i < node.outputs.size(); ++i) set_output(node, i, results.returns[i]);
    if (memory_.is_needed()) memory_.add_results(node, declaration, recorded, value_of_);
  }

  void wait_for(int32_t work) {
    memory_.wait_for_work(work);
    const auto collectives = works_.find(work);
    if (collectives == works_.end()) return;
    for (const size_t collective : collectives->second) builder_.wait_for(collective);
  }

  // A call whose results nobody uses is made all the same, and stops the program where it does not
  // fit.
  void refuse_misfit(const OperatorDeclaration& declaration, const Recorded& recorded,
                     const std::vector<CoreId>& values) {
    try {
      declared_results(context_, declaration, recorded, values);
    } catch (const Unsupported&) {
    }
  }

  void set_output(const Node& node, size_t i, CoreId id) {
    // Outputs that relations speak of as inputs (their values were lost by the capture) keep their
    // input.
    if (id == kNone || value_of_[node.outputs[i]] != kNone) return;
    value_of_[node.outputs[i]] = fitting(context_, id, graph_.tensors[node.outputs[i]]);
  }

  const Graph& graph_;
  const OperatorTable& operators_;
  Builder builder_;
  Context context_;
  std::vector<CoreId> value_of_;
  memory::Functionalizer memory_;
  std::map<int32_t, std::vector<size_t>> works_;  // Node::work, and the collectives that are it
};

}  // namespace

CoreProgram lower(const Graph& graph, const Groups& groups, Rank rank,
                  const OperatorTable& operators, IgnoredTargets ignored) {
  return Lowering(graph, groups, rank, operators, ignored).run();
}

namespace {

IgnoredTargets ignored_targets(const Case& refinement) {
  return refinement.no_target_ignored ? IgnoredTargets::kAssumedNone : IgnoredTargets::kAllowed;
}

}  // namespace

CoreProgram lower_sequential(const Case& refinement, const OperatorTable& operators) {
  return lower(refinement.sequential, refinement.sequential_groups, 0, operators,
               ignored_targets(refinement));
}

CoreProgram lower_rank(const Case& refinement, Rank rank, const OperatorTable& operators) {
  return lower(refinement.ranks[static_cast<size_t>(rank)], refinement.distributed_groups, rank,
               operators, ignored_targets(refinement));
}

LoweredCase lower(const Case& refinement, const OperatorTable& operators) {
  LoweredCase lowered{lower_sequential(refinement, operators), {}};
  for (size_t r = 0; r < refinement.ranks.size(); ++r)
    lowered.ranks.push_back(lower_rank(refinement, static_cast<Rank>(r), operators));
  leave_out_wrapping(lowered.ranks);
  return lowered;
}

}  // namespace assay
