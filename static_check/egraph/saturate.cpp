#include "static_check/egraph/saturate.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/egraph/match.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// Terms that are looked at for one match that a rule may find.
constexpr Int kVisitsPerMatch = 4'000;

// A rule that finds more than its limit, or looks too long, waits for a while and may find twice as
// much when it is back: sums and products of many operands do not starve the rest.
struct Scheduled {
  Rule rule;
  size_t limit = 500;
  int waits_until = 0;
};

class Saturation {
 public:
  Saturation(EGraph& graph, const std::vector<Lemma>& lemmas, const std::vector<Goal>& goals,
             const SaturationLimits& limits)
      : graph_(graph), goals_(goals), limits_(limits), deadline_(Clock::now() + limits.time) {
    for (size_t i = 0; i < lemmas.size(); ++i)
      for (const bool forward : {true, false}) {
        Rule rule(lemmas[i], static_cast<int32_t>(i), forward);
        if (rule.usable()) rules_.push_back({std::move(rule)});
      }
  }

  StopReason run() {
    graph_.rebuild();
    for (int iteration = 0; iteration < limits_.iterations; ++iteration) {
      if (reached()) return StopReason::kGoal;
      const size_t before = graph_.size();
      changed_ = waited_ = false;
      if (const auto stopped = apply_all(iteration)) return *stopped;
      if (!changed_ && !waited_ && graph_.size() == before) return StopReason::kSaturated;
    }
    return reached() ? StopReason::kGoal : StopReason::kIterations;
  }

 private:
  bool reached() const {
    return std::all_of(goals_.begin(), goals_.end(),
                       [&](const Goal& goal) { return graph_.same(goal.left, goal.right); });
  }

  // Matches are found before any is applied.
  std::optional<StopReason> apply_all(int iteration) {
    std::vector<std::pair<const Rule*, Rule::Match>> found;
    for (Scheduled& one : rules_) {
      waited_ |= iteration < one.waits_until;
      if (iteration < one.waits_until) continue;
      auto matches =
          one.rule.matches(graph_, one.limit, static_cast<Int>(one.limit) * kVisitsPerMatch);
      if (!matches.all) {
        one.limit *= 2;
        one.waits_until = iteration + 2;
        waited_ = true;
        continue;
      }
      for (auto& match : matches.found) found.emplace_back(&one.rule, std::move(match));
      if (Clock::now() > deadline_) return StopReason::kTime;
    }
    for (const auto& [rule, match] : found) {
      if (auto instance = rule->instantiate(graph_, match)) apply(*rule, std::move(*instance));
      if (graph_.size() > limits_.terms) return finish(StopReason::kTerms);
      if (Clock::now() > deadline_) return finish(StopReason::kTime);
    }
    graph_.rebuild();
    return std::nullopt;
  }

  StopReason finish(StopReason reason) {
    graph_.rebuild();
    return reached() ? StopReason::kGoal : reason;
  }

  void apply(const Rule& rule, Rule::Instance instance) {
    const TermId left = rule.forward() ? instance.pattern : instance.replacement;
    const TermId right = rule.forward() ? instance.replacement : instance.pattern;
    changed_ |= graph_.unite(left, right, std::move(instance.reason));
  }

  EGraph& graph_;
  const std::vector<Goal>& goals_;
  const SaturationLimits& limits_;
  Clock::time_point deadline_;
  std::vector<Scheduled> rules_;
  bool changed_ = false, waited_ = false;
};

}  // namespace

std::string to_string(StopReason reason, const SaturationLimits& limits) {
  switch (reason) {
    case StopReason::kGoal:
      return "the terms are equal";
    case StopReason::kSaturated:
      return "the lemmas say nothing more";
    case StopReason::kTerms:
      return "the limit of " + std::to_string(limits.terms) + " terms was reached";
    case StopReason::kIterations:
      return "the limit of " + std::to_string(limits.iterations) + " iterations was reached";
    case StopReason::kTime:
      return "the limit of " + std::to_string(limits.time.count()) + " ms was reached";
    case StopReason::kSteps:
      return "the proof has more than " + std::to_string(limits.steps) + " steps";
  }
  return {};
}

StopReason saturate(EGraph& graph, const std::vector<Lemma>& lemmas, const std::vector<Goal>& goals,
                    const SaturationLimits& limits) {
  return Saturation(graph, lemmas, goals, limits).run();
}

}  // namespace assay
