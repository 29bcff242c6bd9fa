#include "static_check/diagnose/unread_input.h"

#include <algorithm>
#include <map>
#include <utility>

#include "static_check/diagnose/diagnose.h"

namespace assay {
namespace {

// Of one program: what each operator depends on, as numbers of sequential inputs.
using Reads = std::vector<std::vector<bool>>;

// Returns whether it grew.
bool merge_into(std::vector<bool>& reads, const std::vector<bool>& more) {
  bool grew = false;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (!more[i] || reads[i]) continue;
    reads[i] = true;
    grew = true;
  }
  return grew;
}

class Dependencies {
 public:
  explicit Dependencies(const Problem& problem)
      : problem_(problem), inputs_(problem.refinement.sequential.inputs) {
    sequential_ = nothing_read(problem.sequential_program);
    read_inputs(problem.sequential_program, sequential_,
                [&](TensorId id) { return std::vector<TensorId>{id}; });
    pass(problem.sequential_program, sequential_);
    for (size_t rank = 0; rank < problem.rank_programs.size(); ++rank) {
      const CoreProgram& program = problem.rank_programs[rank];
      ranks_.push_back(nothing_read(program));
      read_inputs(program, ranks_.back(), [&](TensorId id) {
        return whole_of(problem.rank_graph(static_cast<Rank>(rank)), id, static_cast<Rank>(rank));
      });
      list_collectives(program);
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (size_t rank = 0; rank < ranks_.size(); ++rank)
        grew = pass(problem.rank_programs[rank], ranks_[rank]) || meet(rank) || grew;
    }
  }

  const Reads& sequential() const { return sequential_; }

  std::vector<bool> of_rank(Rank rank, TensorId tensor) const {
    const auto r = static_cast<size_t>(rank);
    const CoreId id = problem_.rank_programs[r].value_of[static_cast<size_t>(tensor)];
    return id == kNone ? std::vector<bool>(inputs_.size(), true)
                       : ranks_[r][static_cast<size_t>(id)];
  }

 private:
  Reads nothing_read(const CoreProgram& program) const {
    return Reads(program.ops.size(), std::vector<bool>(inputs_.size()));
  }

  template <typename WholeOf>
  void read_inputs(const CoreProgram& program, Reads& reads, const WholeOf& whole_of) const {
    for (size_t id = 0; id < program.ops.size(); ++id) {
      if (program.ops[id].prim != Prim::kInput) continue;
      for (const TensorId whole : whole_of(program.ops[id].tensor)) {
        const auto at = std::find(inputs_.begin(), inputs_.end(), whole);
        if (at != inputs_.end()) reads[id][static_cast<size_t>(at - inputs_.begin())] = true;
      }
    }
  }

  // The sequential inputs that a rank's input is a part of.
  std::vector<TensorId> whole_of(const Graph& graph, TensorId id, Rank rank) const {
    const std::string& name = graph.tensors[static_cast<size_t>(id)].name;
    std::vector<TensorId> result;
    for (const Relation& relation : problem_.refinement.inputs) {
      const bool has = std::ranges::any_of(
          relation.replicas, [&](const CleanExpr& replica) { return is_in(replica, name, rank); });
      if (has) result.push_back(problem_.refinement.sequential.find(relation.tensor));
    }
    return result;
  }

  static bool is_in(const CleanExpr& expr, const std::string& name, Rank rank) {
    if (expr.kind == CleanExpr::Kind::kTensor) return expr.name == name && expr.rank == rank;
    return std::ranges::any_of(expr.operands,
                               [&](const CleanExpr& one) { return is_in(one, name, rank); });
  }

  static bool pass(const CoreProgram& program, Reads& reads) {
    bool grew = false;
    for (size_t id = 0; id < program.ops.size(); ++id)
      for (const CoreId operand : program.ops[id].operands)
        grew = merge_into(reads[id], reads[static_cast<size_t>(operand)]) || grew;
    return grew;
  }

  // Collectives of a group, in the order in which a rank calls them. Between two ranks, whatever
  // one of them sends is taken to arrive everywhere.
  void list_collectives(const CoreProgram& program) {
    auto& own = collectives_.emplace_back();
    for (size_t id = 0; id < program.ops.size(); ++id) {
      if (program.ops[id].prim != Prim::kCollective) continue;
      const Collective& call = program.collectives[static_cast<size_t>(program.ops[id].collective)];
      const bool pairwise =
          call.kind == Collective::Kind::kSend || call.kind == Collective::Kind::kReceive;
      own[pairwise ? "" : call.group].push_back(static_cast<CoreId>(id));
    }
  }

  // Lets each collective of a rank depend on what its members give.
  bool meet(size_t rank) {
    bool grew = false;
    for (const auto& [group, calls] : collectives_[rank]) {
      for (size_t call = 0; call < calls.size(); ++call) {
        std::vector<bool>& reads = ranks_[rank][static_cast<size_t>(calls[call])];
        for (size_t other = 0; other < ranks_.size(); ++other) {
          if (other == rank || !collectives_[other].contains(group)) continue;
          const std::vector<CoreId>& theirs = collectives_[other][group];
          for (size_t i = group.empty() ? 0 : call; i < theirs.size(); ++i) {
            grew = merge_into(reads, ranks_[other][static_cast<size_t>(theirs[i])]) || grew;
            if (!group.empty()) break;
          }
        }
      }
    }
    return grew;
  }

  const Problem& problem_;
  const std::vector<TensorId>& inputs_;
  Reads sequential_;
  std::vector<Reads> ranks_;
  std::vector<std::map<std::string, std::vector<CoreId>>> collectives_;  // by rank and group
};

// The ranks' tensors that an output is expected to be made of.
std::vector<const CleanExpr*> expected_of(const Case& refinement, TensorId output) {
  std::vector<const CleanExpr*> leaves;
  for (const Expectation& expectation : refinement.expect) {
    const CleanExpr& whole = expectation.sequential;
    if (whole.kind != CleanExpr::Kind::kTensor || refinement.sequential.find(whole.name) != output)
      continue;
    for (const CleanExpr& replica : expectation.replicas)
      for_each_leaf(replica, [&](const CleanExpr& leaf) { leaves.push_back(&leaf); });
  }
  return leaves;
}

// Of an output, what the ranks do not read for it; empty when nothing is known.
std::vector<bool> unread_of(const Problem& problem, const Dependencies& dependencies,
                            TensorId output) {
  const CoreId last = problem.sequential_program.value_of[static_cast<size_t>(output)];
  const std::vector<const CleanExpr*> leaves = expected_of(problem.refinement, output);
  if (leaves.empty() || last == kNone) return {};
  std::vector<bool> unread = dependencies.sequential()[static_cast<size_t>(last)];
  for (const CleanExpr* leaf : leaves) {
    const TensorId tensor = problem.rank_graph(leaf->rank).find(leaf->name);
    if (tensor == kNone) return {};
    const std::vector<bool> read = dependencies.of_rank(leaf->rank, tensor);
    for (size_t i = 0; i < unread.size(); ++i) unread[i] = unread[i] && !read[i];
  }
  return unread;
}

// Which operators the output is made of.
std::vector<bool> cone_of(const CoreProgram& program, CoreId last) {
  std::vector<bool> on_cone(program.ops.size());
  on_cone[static_cast<size_t>(last)] = true;
  for (size_t id = program.ops.size(); id-- > 0;) {
    if (!on_cone[id]) continue;
    for (const CoreId operand : program.ops[id].operands)
      on_cone[static_cast<size_t>(operand)] = true;
  }
  return on_cone;
}

// The first operator on the way to the output that needs `input` in one operand, and in another
// what the ranks do read; kNone when there is none. The one that needs it has a relation, or is
// made of inputs alone that they do not read: else what is wrong may be wrong before.
TensorId joined_at(const Problem& problem, const RelationMap& relations, const Reads& reads,
                   TensorId output, size_t input, const std::vector<bool>& unread) {
  const CoreProgram& program = problem.sequential_program;
  const std::vector<CoreId>& value_of = program.value_of;
  const auto any = [&](TensorId tensor, bool is_unread) {
    const CoreId id = value_of[static_cast<size_t>(tensor)];
    if (id == kNone) return false;
    const std::vector<bool>& own = reads[static_cast<size_t>(id)];
    for (size_t i = 0; i < own.size(); ++i)
      if (own[i] && unread[i] == is_unread) return true;
    return false;
  };
  const auto needs = [&](TensorId tensor) {
    const CoreId id = value_of[static_cast<size_t>(tensor)];
    return id != kNone && reads[static_cast<size_t>(id)][input] &&
           (has_relation(relations, tensor) || !any(tensor, false));
  };
  const auto is_read = [&](TensorId tensor) { return any(tensor, false) && !any(tensor, true); };
  const std::vector<bool> on_cone = cone_of(program, value_of[static_cast<size_t>(output)]);
  for (const Node& node : problem.refinement.sequential.nodes) {
    if (node.outputs.empty() || node.outputs[0] == kNone) continue;
    const CoreId made = value_of[static_cast<size_t>(node.outputs[0])];
    if (made == kNone || !on_cone[static_cast<size_t>(made)]) continue;
    const std::vector<TensorId> operands = operands_of(node);
    if (std::ranges::any_of(operands, needs) && std::ranges::any_of(operands, is_read))
      return node.outputs[0];
  }
  return kNone;
}

}  // namespace

std::optional<UnreadInput> unread_input(const Problem& problem, const RelationMap& relations,
                                        const std::vector<TensorId>& outputs) {
  const std::vector<CoreId>& place = problem.sequential_program.value_of;
  std::vector<TensorId> in_order = outputs;
  std::ranges::stable_sort(in_order, {},
                           [&](TensorId id) { return place[static_cast<size_t>(id)]; });
  const Dependencies dependencies(problem);
  for (const TensorId output : in_order) {
    const std::vector<bool> unread = unread_of(problem, dependencies, output);
    for (size_t input = 0; input < unread.size(); ++input) {
      if (!unread[input]) continue;
      const TensorId joined =
          joined_at(problem, relations, dependencies.sequential(), output, input, unread);
      if (joined == kNone) continue;
      return UnreadInput{output, problem.refinement.sequential.inputs[input], joined};
    }
  }
  return std::nullopt;
}

}  // namespace assay
