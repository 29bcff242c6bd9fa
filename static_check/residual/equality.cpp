#include "static_check/residual/equality.h"

#include <functional>

#include "static_check/egraph/explain.h"
#include "static_check/residual/numbers.h"
#include "static_check/residual/terms.h"

namespace assay {
namespace {

// Leaves, their definitions, and the sizes of the dimensions, in a graph.
class Residual {
 public:
  Residual(const LemmaProof& terms, const LemmaTable& lemmas) : terms_(terms), lemmas_(lemmas) {
    std::vector<DimId> dims;
    for (const LemmaProof::Dim& dim : terms.dims) dims.push_back(graph_.dim(dim.name, dim.size));
    for (size_t i = 0; i < terms.leaves.size(); ++i) {
      TermFacts facts;
      for (size_t d = 0; d < dims.size(); ++d)
        if (terms.leaves[i].strides[d] != 0) facts.dims |= uint64_t{1} << dims[d];
      graph_.declare(leaf_name(static_cast<int32_t>(i)), facts);
    }
    for (size_t i = 0; i < terms.definitions.size(); ++i) {
      Reason reason;
      reason.kind = Reason::Kind::kGiven;
      reason.lemma = static_cast<int32_t>(i);
      const TermId leaf = graph_.add(make_variable(leaf_name(terms.definitions[i].leaf)));
      graph_.unite(leaf, graph_.add(terms.definitions[i].formula), std::move(reason));
    }
    for (const LemmaProof::Dim& dim : terms.dims) {
      Formula size;
      size.kind = Formula::Kind::kSize;
      size.dim = dim.name;
      const Formula reciprocal = make_call("reciprocal", {size});
      graph_.add(make_call("mul", {make_number(-1), reciprocal}));
    }
  }

  // Fills in `steps` where the reason is kGoal.
  StopReason prove(const SaturationLimits& limits, std::vector<LemmaProof::Step>& steps) {
    const Goal goal{graph_.add(make_variable(leaf_name(terms_.left))),
                    graph_.add(right_side(terms_))};
    const StopReason reason = saturate(graph_, lemmas_.lemmas(), {goal}, limits);
    if (reason != StopReason::kGoal) return reason;
    const auto explanation = explain(graph_, goal.left, goal.right, limits.steps);
    if (!explanation) return StopReason::kSteps;
    for (const RewriteStep& step : *explanation) steps.push_back(recorded(step));
    return reason;
  }

 private:
  LemmaProof::Step recorded(const RewriteStep& step) const {
    LemmaProof::Step made;
    made.forward = step.forward;
    made.path = step.path;
    switch (step.kind) {
      case Reason::Kind::kLemma: {
        const Lemma& lemma = lemmas_.lemmas()[static_cast<size_t>(step.index)];
        made.kind = LemmaProof::Step::Kind::kLemma;
        made.lemma = lemma.name;
        size_t i = 0;
        for (const std::string& name : variables_of(lemma))
          made.variables[name] = step.variables[i++];
        i = 0;
        for (const std::string& name : dims_of(lemma)) made.dims[name] = step.dims[i++];
        break;
      }
      case Reason::Kind::kGiven:
        made.kind = LemmaProof::Step::Kind::kDefinition;
        made.definition = step.index;
        break;
      default:
        made.kind = LemmaProof::Step::Kind::kArithmetic;
        made.replacement = step.replacement;
    }
    return made;
  }

  const LemmaProof& terms_;
  const LemmaTable& lemmas_;
  EGraph graph_;
};

}  // namespace

EqualityAttempt prove_equal(const Lifting& lifting, const LemmaTable& lemmas, AtomId left,
                            AtomId right, LemmaBudget& budget) {
  if (--budget.pairs < 0 || budget.saturations <= 0 || budget.evaluations <= 0) return {};
  auto proof = terms_of(lifting, left, right);
  if (!proof) return {};
  const auto factor = common_factor(*proof, budget.evaluations);
  if (!factor) return {};
  proof->factor = *factor;
  const StopReason reason = Residual(*proof, lemmas).prove(budget.limits, proof->steps);
  if (reason == StopReason::kGoal) return {std::move(proof), std::nullopt};
  --budget.saturations;
  return {std::nullopt, reason};
}

}  // namespace assay
