#include "static_check/egraph/explain.h"

namespace assay {
namespace {

struct TooLong {};

class Explanation {
 public:
  Explanation(const EGraph& graph, size_t most) : graph_(graph), most_(most) {}

  void between(TermId from, TermId to) {
    if (from == to) return;
    for (const EGraph::Link& link : graph_.links(from, to)) {
      if (link.reason->kind == Reason::Kind::kCongruence)
        operands(link.from, link.to);
      else
        step(link);
    }
  }

  std::vector<RewriteStep> steps;

 private:
  // The same call: its operands change one by one.
  void operands(TermId from, TermId to) {
    const auto before = graph_.operands(from), after = graph_.operands(to);
    for (size_t i = 0; i < before.size(); ++i) {
      path_.push_back(static_cast<int32_t>(i));
      between(before[i], after[i]);
      path_.pop_back();
    }
  }

  void step(const EGraph::Link& link) {
    if (steps.size() == most_) throw TooLong{};
    RewriteStep made;
    made.kind = link.reason->kind;
    made.index = link.reason->lemma;
    made.forward = link.forward;
    made.path = path_;
    made.replacement = graph_.formula(link.to);
    for (const TermId variable : link.reason->variables)
      made.variables.push_back(graph_.formula(variable));
    for (const DimId dim : link.reason->dims) made.dims.push_back(graph_.dim_name(dim));
    steps.push_back(std::move(made));
  }

  const EGraph& graph_;
  size_t most_;
  std::vector<int32_t> path_;
};

}  // namespace

std::optional<std::vector<RewriteStep>> explain(const EGraph& graph, TermId from, TermId to,
                                                size_t most) {
  Explanation explanation(graph, most);
  try {
    explanation.between(from, to);
  } catch (const TooLong&) {
    return std::nullopt;
  }
  return std::move(explanation.steps);
}

}  // namespace assay
