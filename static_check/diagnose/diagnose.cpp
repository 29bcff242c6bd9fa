#include "static_check/diagnose/diagnose.h"

#include <algorithm>
#include <map>
#include <set>

#include "static_check/diagnose/nearest.h"
#include "static_check/diagnose/scaled.h"

namespace assay {

namespace {

std::vector<TensorId> tensors_in(const Arg& arg) {
  if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) return {tensor->id};
  std::vector<TensorId> result;
  if (const auto* list = std::get_if<ArgList>(&arg.value)) {
    for (const Arg& inner : *list) {
      const auto found = tensors_in(inner);
      result.insert(result.end(), found.begin(), found.end());
    }
  }
  return result;
}

std::vector<TensorId> operands_of(const Node& node) {
  std::vector<TensorId> result;
  const auto add = [&](const Arg& arg) {
    for (TensorId id : tensors_in(arg)) {
      if (std::find(result.begin(), result.end(), id) == result.end()) result.push_back(id);
    }
  };
  for (const Arg& arg : node.args) add(arg);
  for (const auto& [name, arg] : node.kwargs) add(arg);
  return result;
}

bool is_uninitialised(const Graph& graph, TensorId tensor) {
  return operator_of(graph, tensor).find("empty") != std::string::npos;
}

TensorReport input_report(const Graph& graph, const RelationMap& relations, TensorId id) {
  TensorReport report;
  report.name = graph.tensors[static_cast<size_t>(id)].name;
  const auto relation = relations.find(id);
  if (relation != relations.end() && !relation->second.empty()) {
    report.verdict = Verdict::kProved;
    for (const CleanExpr& replica : relation->second) report.relation.push_back(to_string(replica));
    report.pending_sum = is_pending_sum(relation->second);
  }
  return report;
}

struct Finding {
  FailureReport report;
  TensorId tensor;
  int suspicion;
};

class Search {
 public:
  Search(const Problem& problem, const RelationMap& relations, const CoverIndex& index)
      : problem_(problem),
        graph_(problem.refinement.sequential),
        relations_(relations),
        index_(index) {}

  void from(TensorId tensor) {
    if (!seen_.insert(tensor).second) return;
    const NodeId producer = graph_.tensors[static_cast<size_t>(tensor)].producer;
    if (producer == kNone) return add(tensor, {});
    if (scaled(tensor)) return add_first_of_scale(tensor);
    bool frontier = true;
    for (TensorId operand : missing_operands(tensor)) {
      frontier &= scaled(operand).has_value();
      from(operand);
    }
    if (frontier) add(tensor, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
  }

  std::vector<FailureReport> ranked() {
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.suspicion > b.suspicion; });
    std::vector<FailureReport> result;
    for (Finding& finding : findings_) result.push_back(std::move(finding.report));
    return result;
  }

 private:
  bool covered(TensorId tensor) const {
    const auto relation = relations_.find(tensor);
    return relation != relations_.end() && !relation->second.empty();
  }

  bool covered_as_whole(TensorId tensor) const {
    return covered(tensor) && !is_pending_sum(relations_.at(tensor));
  }

  // Operands that need a relation and have none.
  std::vector<TensorId> missing_operands(TensorId tensor) const {
    const NodeId producer = graph_.tensors[static_cast<size_t>(tensor)].producer;
    if (producer == kNone) return {};
    std::vector<TensorId> operands = operands_of(graph_.nodes[static_cast<size_t>(producer)]);
    std::erase_if(operands, [&](TensorId operand) {
      return covered(operand) || is_uninitialised(graph_, operand);
    });
    return operands;
  }

  const std::optional<ScaledRelation>& scaled(TensorId tensor) {
    const auto known = scaled_.find(tensor);
    if (known != scaled_.end()) return known->second;
    return scaled_.emplace(tensor, scaled_relation(problem_, tensor, index_)).first->second;
  }

  // The operator from which on the tensor's scale is wrong.
  void add_first_of_scale(TensorId tensor) {
    const Rational factor = scaled(tensor)->factor;
    for (bool moved = true; moved;) {
      moved = false;
      for (TensorId operand : missing_operands(tensor)) {
        if (!scaled(operand) || scaled(operand)->factor != factor) continue;
        tensor = operand;
        moved = true;
        break;
      }
    }
    if (!scales_.insert(tensor).second) return;
    const NodeId producer = graph_.tensors[static_cast<size_t>(tensor)].producer;
    if (producer == kNone) return add(tensor, {});
    add(tensor, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
  }

  // Says the scale where no single tensor of a rank shows it.
  void describe_scale(Finding& finding) {
    FailureReport& report = finding.report;
    const std::optional<ScaledRelation>& relation = scaled(finding.tensor);
    if (!relation || report.reason.find("x the value") != std::string::npos) return;
    report.nearest = to_string(relation->replicas[0]);
    report.reason = "holds " + to_string(relation->factor) + "x the value";
    report.hint = scale_hint(relation->factor);
    const CleanExpr* leaf = &relation->replicas[0];
    while (leaf->kind != CleanExpr::Kind::kTensor) leaf = &leaf->operands[0];
    const Graph& program = problem_.rank_graph(leaf->rank);
    report.distributed_source = to_string(source_of(program, program.find(leaf->name)));
    finding.suspicion = 1000 + 400;
  }

  // An operand that comes at another scale alone.
  void describe_scaled_operands(Finding& finding, const std::vector<TensorId>& operands) {
    if (scaled(finding.tensor)) return;
    for (TensorId operand : operands) {
      if (covered(operand) || is_uninitialised(graph_, operand) || !scaled(operand)) continue;
      const Rational& factor = scaled(operand)->factor;
      finding.report.reason = "the ranks hold " + to_string(factor) + "x the value of " +
                              graph_.tensors[static_cast<size_t>(operand)].name +
                              ", which is needed as it is";
      finding.report.hint = scale_hint(factor);
      return;
    }
  }

  void note_scale(TensorReport& input, TensorId operand) {
    if (covered(operand) || is_uninitialised(graph_, operand) || !scaled(operand)) return;
    const Rational by = Rational(1) / scaled(operand)->factor;
    for (const CleanExpr& replica : scaled(operand)->replicas) {
      CleanExpr expr;
      expr.kind = CleanExpr::Kind::kScale;
      expr.numerator = by.numerator();
      expr.denominator = by.denominator();
      expr.operands = {replica};
      input.relation.push_back(to_string(expr));
    }
  }

  void add(TensorId id, const std::vector<TensorId>& operands) {
    const Tensor& tensor = graph_.tensors[static_cast<size_t>(id)];
    Finding finding;
    finding.tensor = id;
    FailureReport& report = finding.report;
    report.kind = "no_relation";
    report.node = tensor.name;
    report.op = operator_of(graph_, id);
    report.source = to_string(source_of(graph_, id));
    std::vector<std::string> pending;
    for (TensorId operand : operands) {
      report.inputs.push_back(input_report(graph_, relations_, operand));
      note_scale(report.inputs.back(), operand);
      if (report.inputs.back().pending_sum) pending.push_back(report.inputs.back().name);
    }
    const auto near = nearest(problem_, id, index_);
    if (near) {
      report.nearest = near->name;
      report.distributed_source = to_string(near->source);
      report.reason = near->difference;
      report.hint = near->hint;
    }
    if (!pending.empty()) {
      const bool several = pending.size() > 1;
      std::string names = pending[0];
      for (size_t i = 1; i < pending.size(); ++i) names += ", " + pending[i];
      const bool alone = problem_.refinement.ranks.size() == 1;
      const std::string why =
          alone ? names + (several ? " come" : " comes") + " in parts where the whole is needed"
                : names + (several ? " are pending sums" : " is a pending sum") +
                      " over ranks where the whole is needed";
      report.reason =
          report.reason.empty() ? why : why + "; " + report.nearest + " " + report.reason;
      report.hint = alone ? "are all parts of " + names + " added up before this is used?"
                          : "is an all_reduce (or reduce_scatter) missing after " + names + "?";
    }
    add_rearranged(report);
    if (report.reason.empty())
      report.reason = "no distributed tensor is a view or part of this value";
    finding.suspicion = (is_floating(tensor.dtype) && !operands.empty() ? 1000 : 0) +
                        (pending.empty() ? 0 : 500) + (near ? near->closeness : 0);
    describe_scale(finding);
    describe_scaled_operands(finding, operands);
    add_opaque(report, id);
    findings_.push_back(std::move(finding));
  }

  // An input whose only relation takes a gathered tensor apart again: the gather has its shards in
  // another order.
  void add_rearranged(FailureReport& report) const {
    for (Rank rank = 0; rank < static_cast<Rank>(problem_.refinement.ranks.size()); ++rank) {
      const Graph& program = problem_.rank_graph(rank);
      const CoreProgram& core = problem_.rank_programs[static_cast<size_t>(rank)];
      for (size_t i = 0; i < core.ops.size(); ++i) {
        const CoreOp& op = core.ops[i];
        if (op.prim != Prim::kCollective || op.origin == kNone) continue;
        if (core.collectives[static_cast<size_t>(op.collective)].kind !=
            Collective::Kind::kAllGather)
          continue;
        if (i >= problem_.ranks.ranks[static_cast<size_t>(rank)].values.size()) continue;
        const Value& value = problem_.ranks.ranks[static_cast<size_t>(rank)].values[i];
        if (!is_out_of_order(value)) continue;
        const Node& node = program.nodes[static_cast<size_t>(op.origin)];
        const std::string name = node.outputs.empty() || node.outputs[0] == kNone
                                     ? node.op
                                     : program.tensors[static_cast<size_t>(node.outputs[0])].name;
        report.nearest = name + "@" + std::to_string(rank);
        report.distributed_source = to_string(node.source);
        report.reason = "the all_gather " + report.nearest +
                        " holds its shards in another order than the sequential tensor";
        report.hint = "check the order in which shards are gathered";
        return;
      }
    }
  }

  static bool is_out_of_order(const Value& value) {
    if (value.cuts.empty() || value.cuts[0].size() < 3) return false;
    for (size_t t = 0; t + 1 < value.tiles.size(); ++t) {
      const Tile& a = value.tiles[t];
      const Tile& b = value.tiles[t + 1];
      if (a.terms.size() != 1 || b.terms.size() != 1 || a.terms[0].atom != b.terms[0].atom)
        return false;
      if (b.terms[0].layout.offset < a.terms[0].layout.offset) return true;
    }
    return false;
  }

  // An operator that nobody declared explains a failure better than any comparison.
  void add_opaque(FailureReport& report, TensorId id) const {
    const CoreId core = problem_.sequential_program.value_of[static_cast<size_t>(id)];
    if (core == kNone) return;
    if (problem_.sequential_program.ops[static_cast<size_t>(core)].prim == Prim::kOpaque) {
      report.kind = "opaque_operator";
      report.reason =
          report.op + " has no declaration: it is equal only to itself on equal whole arguments";
      report.hint = "declare it in a TOML file under [operators] files";
    }
    for (const Unlifted& unlifted : problem_.sequential.unlifted) {
      if (unlifted.op == core) report.reason += " (" + unlifted.reason + ")";
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const RelationMap& relations_;
  const CoverIndex& index_;
  std::set<TensorId> seen_;
  std::map<TensorId, std::optional<ScaledRelation>> scaled_;
  std::set<TensorId> scales_;  // first tensors of a wrong scale, reported
  std::vector<Finding> findings_;
};

}  // namespace

bool is_pending_sum(const std::vector<CleanExpr>& replicas) {
  const auto has_sum = [](const auto& self, const CleanExpr& expr) -> bool {
    if (expr.kind == CleanExpr::Kind::kSum) return true;
    return std::any_of(expr.operands.begin(), expr.operands.end(),
                       [&](const CleanExpr& e) { return self(self, e); });
  };
  return !replicas.empty() && std::all_of(replicas.begin(), replicas.end(),
                                          [&](const CleanExpr& e) { return has_sum(has_sum, e); });
}

std::vector<FailureReport> diagnose(const Problem& problem, const RelationMap& relations,
                                    const std::vector<TensorId>& unproved,
                                    const CoverIndex& index) {
  Search search(problem, relations, index);
  for (TensorId output : unproved) search.from(output);
  return search.ranked();
}

FailureReport diagnose_expectation(const Problem& problem, const RelationMap& relations,
                                   const Expectation& expectation, const CleanExpr& replica,
                                   const CoverIndex& index) {
  FailureReport report;
  report.kind = "expectation";
  report.node = to_string(expectation.sequential);
  const Graph& graph = problem.refinement.sequential;
  if (expectation.sequential.kind == CleanExpr::Kind::kTensor) {
    const TensorId id = graph.find(expectation.sequential.name);
    report.node = expectation.sequential.name;
    report.op = operator_of(graph, id);
    report.source = to_string(source_of(graph, id));
    report.inputs.push_back(input_report(graph, relations, id));
    const TensorReport& holds = report.inputs[0];
    if (const auto near = nearest(problem, id, index)) {
      report.nearest = near->name;
      report.distributed_source = to_string(near->source);
      report.reason = near->difference;
      report.hint = near->hint;
    }
    const bool scaled = report.reason.find("x the value") != std::string::npos;
    if (scaled) {
      report.reason = report.nearest + " " + report.reason;
    } else if (holds.pending_sum) {
      const bool alone = problem.refinement.ranks.size() == 1;
      report.reason = (alone ? "a sum that is not added up; expected "
                             : "a pending sum over ranks; expected ") +
                      to_string(replica);
      report.hint =
          alone ? "are all parts added up?" : "is an all_reduce (or reduce_scatter) missing?";
    } else if (!holds.relation.empty()) {
      report.reason = "expected " + to_string(replica) + ", but what holds is " +
                      holds.relation[0] +
                      (report.reason.empty() ? "" : "; " + report.nearest + " " + report.reason);
    }
  }
  if (report.reason.empty())
    report.reason = "expected " + to_string(replica) + ", which is another value";
  return report;
}

FailureReport diagnose_mismatch(const Problem& problem, const CollectiveMismatch& mismatch) {
  FailureReport report;
  report.kind = "collective_mismatch";
  const auto describe = [&](Rank rank, CoreId id, std::string& source) -> std::string {
    if (id == kNone) return "rank " + std::to_string(rank) + " (already finished)";
    const CoreOp& op =
        problem.rank_programs[static_cast<size_t>(rank)].ops[static_cast<size_t>(id)];
    const Node& node = problem.rank_graph(rank).nodes[static_cast<size_t>(op.origin)];
    source = to_string(node.source);
    const std::string name =
        node.outputs.empty() || node.outputs[0] == kNone
            ? node.op
            : problem.rank_graph(rank).tensors[static_cast<size_t>(node.outputs[0])].name;
    return name + "@" + std::to_string(rank) + " (" + node.op + ")";
  };
  std::string other;
  const std::string first = describe(mismatch.rank_a, mismatch.op_a, report.source);
  const std::string second = describe(mismatch.rank_b, mismatch.op_b, other);
  report.node = first;
  report.op = first;
  report.nearest = second;
  report.distributed_source = other;
  report.reason = mismatch.reason + ": " + first + " meets " + second;
  report.hint = "every member of a group must call the same collectives in the same order";
  return report;
}

}  // namespace assay
