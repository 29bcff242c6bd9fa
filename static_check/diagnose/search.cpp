// Back from the outputs without a proof to the operators where relations end.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "shared_ir/symbolic/integer.h"
#include "static_check/diagnose/diagnose.h"
#include "static_check/diagnose/nearest.h"
#include "static_check/diagnose/scaled.h"
#include "static_check/diagnose/shard_order.h"
#include "static_check/diagnose/suspicion.h"
#include "static_check/diagnose/unread_input.h"
#include "static_check/diagnose/wrong_operand.h"

namespace assay {

namespace {

bool is_uninitialised(const Graph& graph, TensorId tensor) {
  return operator_of(graph, tensor).find("empty") != std::string::npos;
}

struct Finding {
  FailureReport report;
  TensorId tensor;
  Suspicion suspicion;
};

class Search {
 public:
  Search(const Problem& problem, const RelationMap& relations, const CoverIndices& indices)
      : problem_(problem),
        graph_(problem.refinement.sequential),
        relations_(relations),
        indices_(indices) {}

  void from(TensorId tensor, Cause of_scale = Cause::kWrongScale) {
    if (!seen_.insert(tensor).second) return;
    const NodeId producer = graph_.tensors[static_cast<size_t>(tensor)].producer;
    if (producer == kNone) return add(tensor, {});
    if (scaled(tensor)) return add_first_of_scale(tensor, of_scale);
    const std::vector<TensorId> missing = missing_operands(tensor);
    const bool frontier = std::all_of(missing.begin(), missing.end(), [&](TensorId operand) {
      return scaled(operand).has_value();
    });
    // A scale that is wrong up to the output is wrong. One that is not may be put right later, and
    // is when an operand beside it is not wrong by a scale.
    for (TensorId operand : missing)
      from(operand, frontier ? Cause::kScaledOperand : Cause::kScaledBeside);
    if (frontier) add(tensor, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
  }

  std::vector<FailureReport> ranked(const std::vector<TensorId>& outputs) {
    add_closest_value();
    add_unlifted();
    add_unread(outputs);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.suspicion > b.suspicion; });
    std::vector<FailureReport> result;
    for (Finding& finding : findings_) result.push_back(std::move(finding.report));
    return result;
  }

 private:
  bool covered(TensorId tensor) const { return has_relation(relations_, tensor); }

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
  void add_first_of_scale(TensorId tensor, Cause of_scale) {
    const TensorId first = first_of_scale(tensor);
    if (scaled(first)->to_operand) return;
    const auto known = scales_.find(first);
    if (known != scales_.end() && known->second <= of_scale) return;
    scales_[first] = of_scale;
    const TensorId shown = first != tensor && is_reduced(*scaled(tensor)) ? tensor : first;
    std::erase_if(findings_, [&](const Finding& finding) { return finding.tensor == shown; });
    scales_[shown] = of_scale;
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
    const auto known = scales_.find(finding.tensor);
    finding.suspicion = {known != scales_.end() ? known->second : Cause::kNumber};
    if (says_multiple(report.reason)) return;
    report.nearest = to_string(relation->replicas[0]);
    say_multiple(report, *relation, problem_.refinement.ranks.size() == 1);
    const CleanExpr* leaf = &relation->replicas[0];
    while (leaf->kind != CleanExpr::Kind::kTensor) leaf = &leaf->operands[0];
    const Graph& program = problem_.rank_graph(leaf->rank);
    report.distributed_source = to_string(source_of(program, program.find(leaf->name)));
  }

  // An operand that comes at another scale alone.
  void describe_scaled_operands(Finding& finding, const std::vector<TensorId>& operands) {
    if (scaled(finding.tensor) || is_explained(finding.suspicion)) return;
    for (TensorId operand : operands) {
      if (covered(operand) || is_uninitialised(graph_, operand) || !scaled(operand)) continue;
      say_multiple_of_operand(finding.report, scaled(operand)->factor,
                              graph_.tensors[static_cast<size_t>(operand)].name);
      return;
    }
  }

  void note_scale(TensorReport& input, TensorId operand) {
    if (covered(operand) || is_uninitialised(graph_, operand) || !scaled(operand)) return;
    const Rational by = Rational(1) / scaled(operand)->factor;
    if (!by.fits(std::numeric_limits<Int>::max())) return;  // no text of a relation
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
    describe_shard_order(problem_, report);
    constexpr int kVague = 4 * 45;
    if (near && pending.empty() && (report.reason.empty() || near->closeness < kVague))
      describe_wrong_operand(problem_, relations_, id, *near, report);
    if (report.reason.empty())
      report.reason = problem_.refinement.ranks.size() == 1
                          ? "the rank has no tensor that is a view or part of this value"
                          : "no distributed tensor is a view or part of this value";
    finding.suspicion = suspicion_of(is_floating(tensor.dtype) && !operands.empty(),
                                     !pending.empty(), near ? near->closeness : 0);
    describe_scale(finding);
    describe_scaled_operands(finding, operands);
    add_opaque(report, id);
    findings_.push_back(std::move(finding));
  }

  // Masks and indices differ between ranks by nature. Where the search ends at such tensors alone,
  // and none is a piece of the sequential one that lies elsewhere, it is the value after them that
  // some rank comes closest to that tells what they do.
  void add_closest_value() {
    constexpr int kTelling = 4 * 60;
    if (std::ranges::any_of(findings_, is_telling, &Finding::suspicion)) return;
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

  // Where an input comes in that the ranks do not read for an output, and they read another tensor
  // in its place.
  void add_unread(const std::vector<TensorId>& outputs) {
    const auto unread = unread_input(problem_, relations_, outputs);
    if (!unread) return;
    const auto near = nearest(problem_, unread->joined, indices_);
    if (!near) return;
    const NodeId producer = graph_.tensors[static_cast<size_t>(unread->joined)].producer;
    if (producer == kNone) return;
    add(unread->joined, operands_of(graph_.nodes[static_cast<size_t>(producer)]));
    Finding finding = std::move(findings_.back());
    findings_.pop_back();
    FailureReport& report = finding.report;
    if (!describe_wrong_operand(problem_, relations_, unread->joined, *near, report)) return;
    const auto name = [&](TensorId id) { return graph_.tensors[static_cast<size_t>(id)].name; };
    report.reason = "the ranks' " + name(unread->output) + " does not depend on " +
                    name(unread->input) + "; " + report.nearest + " " + report.reason;
    finding.suspicion = {Cause::kUnreadInput};
    std::erase_if(findings_, [&](const Finding& one) { return one.tensor == finding.tensor; });
    findings_.push_back(std::move(finding));
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
        finding.report.node = name_of_output(problem_, static_cast<Rank>(rank), node);
        finding.report.op = node.op;
        finding.report.source = to_string(node.source);
        finding.report.distributed_source = finding.report.source;
        finding.report.reason = unlifted.reason;
        finding.tensor = kNone;
        finding.suspicion = {Cause::kNoMeaning};
        findings_.push_back(std::move(finding));
      }
    }
  }

  // " for this use (why)", where the operator has a declaration for others; else nothing.
  std::string undeclared_use(const std::string& op) const {
    for (const std::string& noted : problem_.sequential_program.opaque)
      if (noted.starts_with(op + " (")) return " for this use" + noted.substr(op.size());
    return {};
  }

  bool draws(const CoreOp& op) const {
    return std::ranges::any_of(op.operands, [&](CoreId operand) {
      return problem_.sequential_program.ops[static_cast<size_t>(operand)].prim == Prim::kRandom;
    });
  }

  // An operator that nobody declared explains a failure better than any comparison.
  void add_opaque(FailureReport& report, TensorId id) const {
    const CoreId core = problem_.sequential_program.value_of[static_cast<size_t>(id)];
    if (core == kNone) return;
    const CoreOp& op = problem_.sequential_program.ops[static_cast<size_t>(core)];
    if (op.prim == Prim::kOpaque && !problem_.refinement.random_agrees && draws(op)) {
      report.reason = report.op +
                      " draws random numbers, and draws are independent: it is equal to "
                      "nothing";
      report.hint =
          "[assume] random = \"agree\", if the ranks draw what the sequential program draws";
    } else if (const std::string name = op.fn.substr(0, op.fn.find('('));
               op.prim == Prim::kOpaque && (name == "constant" || name == "literal")) {
      report.reason = "numbers that are no short fractions: they are equal only to themselves";
    } else if (op.prim == Prim::kOpaque) {
      // What a tensor holds may have been written by another operator than made it.
      report.kind = "opaque_operator";
      const std::string use = undeclared_use(name);
      report.reason = name + " has no declaration" + use +
                      ": it is equal only to itself on equal whole arguments";
      report.hint = use.empty() ? "declare it in a TOML file under [operators] files"
                                : "write it by operators whose meaning is known";
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
  std::map<TensorId, Cause> scales_;  // first tensors of a wrong scale, reported
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<FailureReport> diagnose(const Problem& problem, const RelationMap& relations,
                                    const std::vector<TensorId>& unproved,
                                    const CoverIndices& indices) {
  Search search(problem, relations, indices);
  for (TensorId output : unproved) search.from(output);
  return search.ranked(unproved);
}

}  // namespace assay
