// Back from the outputs without a proof to the operators where relations end.
#include <algorithm>
#include <map>
#include <set>

#include "static_check/diagnose/diagnose.h"
#include "static_check/diagnose/nearest.h"
#include "static_check/diagnose/piece.h"
#include "static_check/diagnose/scaled.h"

namespace assay {

namespace {

bool is_uninitialised(const Graph& graph, TensorId tensor) {
  return operator_of(graph, tensor).find("empty") != std::string::npos;
}

struct Finding {
  FailureReport report;
  TensorId tensor;
  int suspicion;
};

class Search {
 public:
  Search(const Problem& problem, const RelationMap& relations, const CoverIndices& indices)
      : problem_(problem),
        graph_(problem.refinement.sequential),
        relations_(relations),
        indices_(indices) {}

  void from(TensorId tensor, int scale_suspicion = kScaledOutput) {
    if (!seen_.insert(tensor).second) return;
    const NodeId producer = graph_.tensors[static_cast<size_t>(tensor)].producer;
    if (producer == kNone) return add(tensor, {});
    if (scaled(tensor)) return add_first_of_scale(tensor, scale_suspicion);
    const std::vector<TensorId> missing = missing_operands(tensor);
    const bool frontier = std::all_of(missing.begin(), missing.end(), [&](TensorId operand) {
      return scaled(operand).has_value();
    });
    for (TensorId operand : missing) from(operand, frontier ? kScaledOperand : kScaledSibling);
    if (frontier) add(tensor, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
  }

  std::vector<FailureReport> ranked() {
    add_closest_value();
    add_unlifted();
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.suspicion > b.suspicion; });
    std::vector<FailureReport> result;
    for (Finding& finding : findings_) result.push_back(std::move(finding.report));
    return result;
  }

 private:
  // A scale that is wrong up to the output is wrong. One that is not may be put right later, and is
  // when an operand beside it is not wrong by a scale.
  static constexpr int kScaledOutput = 1000 + 4 * 100;
  static constexpr int kScaledOperand = 1000 + 4 * 76;
  static constexpr int kScaledSibling = 600;

  bool covered(TensorId tensor) const {
    const auto relation = relations_.find(tensor);
    return relation != relations_.end() && !relation->second.empty();
  }

  // One number everywhere: every rank can have it.
  bool is_constant(TensorId tensor) const {
    const Value* value = problem_.sequential_value(tensor);
    return value != nullptr &&
           std::all_of(value->tiles.begin(), value->tiles.end(), [&](const Tile& tile) {
             return tile.integer.empty() && tile.terms.size() == 1 &&
                    tile.terms[0].atom == problem_.lifting.one();
           });
  }

  // Operands that need a relation and have none.
  std::vector<TensorId> missing_operands(TensorId tensor) const {
    const NodeId producer = graph_.tensors[static_cast<size_t>(tensor)].producer;
    if (producer == kNone) return {};
    std::vector<TensorId> operands = operands_of(graph_.nodes[static_cast<size_t>(producer)]);
    std::erase_if(operands, [&](TensorId operand) {
      return covered(operand) || is_uninitialised(graph_, operand) || is_constant(operand);
    });
    return operands;
  }

  const std::optional<ScaledRelation>& scaled(TensorId tensor) {
    const auto known = scaled_.find(tensor);
    if (known != scaled_.end()) return known->second;
    return scaled_
        .emplace(tensor,
                 scaled_relation(problem_, tensor, indices_.of(problem_, tensor), relations_))
        .first->second;
  }

  // Where a tensor's scale is wrong: the operator from which on it is. A reduction over ranks may
  // be what should have set it right, and is shown with the place where the scale begins.
  void add_first_of_scale(TensorId tensor, int suspicion) {
    const TensorId first = first_of_scale(tensor);
    if (scaled(first)->to_operand) return;
    if (const int known = scales_[first]; known >= suspicion) return;
    scales_[first] = suspicion;
    const TensorId shown = first != tensor && is_reduced(*scaled(tensor)) ? tensor : first;
    std::erase_if(findings_, [&](const Finding& finding) { return finding.tensor == shown; });
    scales_[shown] = suspicion;
    const NodeId producer = graph_.tensors[static_cast<size_t>(shown)].producer;
    if (producer == kNone) return add(shown, {});
    add(shown, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
    if (shown == first) return;
    const SourcePlace place = source_of(graph_, first);
    findings_.back().report.reason += "; the scale begins at " +
                                      graph_.tensors[static_cast<size_t>(first)].name +
                                      (place.known() ? " (" + to_string(place) + ")" : "");
  }

  TensorId first_of_scale(TensorId tensor) {
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
    return tensor;
  }

  // Whether the ranks' tensor is the result of a reduction over ranks, or rearranged from one.
  bool is_reduced(const ScaledRelation& relation) const {
    const CleanExpr* leaf = &relation.replicas[0];
    while (leaf->kind != CleanExpr::Kind::kTensor) leaf = &leaf->operands[0];
    const CoreProgram& program = problem_.rank_programs[static_cast<size_t>(leaf->rank)];
    CoreId id =
        program.value_of[static_cast<size_t>(problem_.rank_graph(leaf->rank).find(leaf->name))];
    while (id != kNone) {
      const CoreOp& op = program.ops[static_cast<size_t>(id)];
      if (op.prim == Prim::kCollective) {
        const auto kind = program.collectives[static_cast<size_t>(op.collective)].kind;
        return kind == Collective::Kind::kAllReduce || kind == Collective::Kind::kReduceScatter;
      }
      const bool moves = op.prim == Prim::kPermute || op.prim == Prim::kReshape ||
                         op.prim == Prim::kSlice || op.prim == Prim::kLinear;
      id = moves && op.operands.size() == 1 ? op.operands[0] : kNone;
    }
    return false;
  }

  // Says the scale where no single tensor of a rank shows it.
  void describe_scale(Finding& finding) {
    FailureReport& report = finding.report;
    const std::optional<ScaledRelation>& relation = scaled(finding.tensor);
    if (!relation) return;
    finding.suspicion = scales_[finding.tensor];
    if (report.reason.find("x the value") != std::string::npos) return;
    report.nearest = to_string(relation->replicas[0]);
    const std::string times = factor_in_words(relation->factor) + "x the value";
    const bool parts = is_pending_sum(relation->replicas);
    const bool alone = problem_.refinement.ranks.size() == 1;
    report.reason = !parts  ? "holds " + times
                    : alone ? "the parts add up to " + times
                            : "the ranks' parts add up to " + times;
    report.hint = parts ? "is each part its share of the whole, or are the parts to be averaged?"
                        : scale_hint(relation->factor);
    const CleanExpr* leaf = &relation->replicas[0];
    while (leaf->kind != CleanExpr::Kind::kTensor) leaf = &leaf->operands[0];
    const Graph& program = problem_.rank_graph(leaf->rank);
    report.distributed_source = to_string(source_of(program, program.find(leaf->name)));
  }

  // An operand that comes at another scale alone.
  void describe_scaled_operands(Finding& finding, const std::vector<TensorId>& operands) {
    constexpr int kExplained = 1000 + 4 * 60;
    if (scaled(finding.tensor) || finding.suspicion >= kExplained) return;
    for (TensorId operand : operands) {
      if (covered(operand) || is_uninitialised(graph_, operand) || !scaled(operand)) continue;
      const Rational& factor = scaled(operand)->factor;
      finding.report.reason = "the ranks hold " + factor_in_words(factor) + "x the value of " +
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
    const auto near = nearest(problem_, id, indices_);
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
    constexpr int kVague = 4 * 45;
    if (near && pending.empty() && (report.reason.empty() || near->closeness < kVague))
      add_wrong_operand(report, id, *near);
    if (report.reason.empty())
      report.reason = "no distributed tensor is a view or part of this value";
    finding.suspicion = (is_floating(tensor.dtype) && !operands.empty() ? 1000 : 0) +
                        (pending.empty() ? 0 : 500) + (near ? near->closeness : 0);
    describe_scale(finding);
    describe_scaled_operands(finding, operands);
    add_opaque(report, id);
    findings_.push_back(std::move(finding));
  }

  // Operands of a rank's operator that are pieces of the sequential one's, in order; empty where
  // the two have not as many.
  std::vector<bool> right_operands(const std::vector<TensorId>& here, Rank rank,
                                   const std::vector<TensorId>& there) const {
    std::vector<bool> right;
    if (here.size() != there.size()) return right;
    for (size_t i = 0; i < here.size(); ++i) {
      const Value* wanted = problem_.sequential_value(here[i]);
      const Value* found = problem_.rank_value(rank, there[i]);
      right.push_back(wanted == nullptr || found == nullptr || !covered(here[i]) ||
                      is_piece(problem_, *wanted, *found));
    }
    return right;
  }

  // The operator of the nearest rank, from the same line of the program, that shares most operands
  // with the sequential one; and its first operand that is another.
  void add_wrong_operand(FailureReport& report, TensorId id, const Nearest& near) const {
    const auto rank = static_cast<Rank>(std::stol(near.name.substr(near.name.rfind('@') + 1)));
    const Graph& program = problem_.rank_graph(rank);
    const auto here = operands_of(
        graph_.nodes[static_cast<size_t>(graph_.tensors[static_cast<size_t>(id)].producer)]);
    const Node* best = nullptr;
    std::vector<bool> right;
    int most = 0;
    for (const Node& node : program.nodes) {
      if (node.op != report.op || node.outputs.empty() || node.outputs[0] == kNone) continue;
      if (node.source.known() && to_string(node.source) != report.source) continue;
      auto matches = right_operands(here, rank, operands_of(node));
      const bool namesake =
          program.tensors[static_cast<size_t>(node.outputs[0])].name == report.node;
      const auto matched = static_cast<int>(std::count(matches.begin(), matches.end(), true));
      const int score = 2 * matched + (namesake ? 3 : 0);
      if (matches.empty() || matched == static_cast<int>(here.size()) || score <= most) continue;
      best = &node;
      right = std::move(matches);
      most = score;
    }
    if (best == nullptr) return;
    const auto at =
        static_cast<size_t>(std::find(right.begin(), right.end(), false) - right.begin());
    describe_operand(report, rank, *best, here[at], operands_of(*best)[at]);
  }

  void describe_operand(FailureReport& report, Rank rank, const Node& node, TensorId wanted,
                        TensorId found) const {
    const std::string at = "@" + std::to_string(rank);
    const Graph& program = problem_.rank_graph(rank);
    const std::string name = program.tensors[static_cast<size_t>(found)].name + at;
    const Value& value = *problem_.rank_value(rank, found);
    const std::string difference =
        compare_values(problem_, *problem_.sequential_value(wanted), value).difference;
    const bool plain = value.tiles.size() == 1 && value.tiles[0].terms.size() == 1;
    const std::string instead = plain ? name_of(problem_, value.tiles[0].terms[0].atom) : "";
    report.nearest = program.tensors[static_cast<size_t>(node.outputs[0])].name + at;
    report.distributed_source = to_string(node.source);
    report.reason = "reads " + name + ", which is no piece of " +
                    graph_.tensors[static_cast<size_t>(wanted)].name;
    if (!difference.empty())
      report.reason += ": " + name + " " + difference;
    else if (!instead.empty())
      report.reason += " but of " + instead;
    report.hint = "where does rank " + std::to_string(rank) + " get " + name + " from?";
  }

  // Masks and indices differ between ranks by nature. Where the search ends at such tensors alone,
  // and none is a piece of the sequential one that lies elsewhere, it is the value after them that
  // some rank comes closest to that tells what they do.
  void add_closest_value() {
    constexpr int kTelling = 4 * 60, kElsewhere = 4 * 82;
    const auto is_telling = [](const Finding& f) { return f.suspicion >= kElsewhere; };
    if (std::any_of(findings_.begin(), findings_.end(), is_telling)) return;
    std::optional<std::pair<int, TensorId>> best;
    for (const TensorId id : seen_) {
      if (!is_floating(graph_.tensors[static_cast<size_t>(id)].dtype)) continue;
      const auto near = nearest(problem_, id, indices_);
      if (near && near->closeness >= kTelling && (!best || near->closeness >= best->first))
        best = {near->closeness, id};
    }
    if (!best) return;
    const NodeId producer = graph_.tensors[static_cast<size_t>(best->second)].producer;
    if (producer != kNone)
      add(best->second, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
  }

  // What a rank does that has no meaning here, and that the sequential program does not do.
  void add_unlifted() {
    std::set<std::string> known;
    for (const Unlifted& unlifted : problem_.sequential.unlifted) known.insert(unlifted.reason);
    for (size_t rank = 0; rank < problem_.ranks.ranks.size() && !findings_.empty(); ++rank) {
      for (const Unlifted& unlifted : problem_.ranks.ranks[rank].unlifted) {
        const NodeId origin =
            problem_.rank_programs[rank].ops[static_cast<size_t>(unlifted.op)].origin;
        if (origin == kNone || !known.insert(unlifted.reason).second) continue;
        const Node& node =
            problem_.rank_graph(static_cast<Rank>(rank)).nodes[static_cast<size_t>(origin)];
        Finding finding;
        finding.report.kind = "no_meaning";
        finding.report.node = name_of_output(static_cast<Rank>(rank), node);
        finding.report.op = node.op;
        finding.report.source = to_string(node.source);
        finding.report.distributed_source = finding.report.source;
        finding.report.reason = unlifted.reason;
        finding.tensor = kNone;
        finding.suspicion = 1000 + 4 * 85;
        findings_.push_back(std::move(finding));
      }
    }
  }

  // NAME@RANK of what a rank's operator computes.
  std::string name_of_output(Rank rank, const Node& node) const {
    if (node.outputs.empty() || node.outputs[0] == kNone) return node.op;
    return problem_.rank_graph(rank).tensors[static_cast<size_t>(node.outputs[0])].name + "@" +
           std::to_string(rank);
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
        report.nearest = name_of_output(rank, node);
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
  const CoverIndices& indices_;
  std::set<TensorId> seen_;
  std::map<TensorId, std::optional<ScaledRelation>> scaled_;
  std::map<TensorId, int> scales_;  // first tensors of a wrong scale, reported, and the suspicion
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<FailureReport> diagnose(const Problem& problem, const RelationMap& relations,
                                    const std::vector<TensorId>& unproved,
                                    const CoverIndices& indices) {
  Search search(problem, relations, indices);
  for (TensorId output : unproved) search.from(output);
  return search.ranked();
}

}  // namespace assay
