// Equality saturation: all lemmas, in both directions, until the goal is reached or a bound is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "shared_ir/proof/lemma.h"
#include "static_check/egraph/egraph.h"

namespace assay {

struct SaturationLimits {
  size_t terms = 20'000;
  int iterations = 12;
  std::chrono::milliseconds time{5'000};
  size_t steps = 10'000;  // of the proof that is read off
};

enum class StopReason : uint8_t { kGoal, kSaturated, kTerms, kIterations, kTime, kSteps };

// "the terms are equal", "the lemmas say nothing more", "the limit of 20000 terms was reached", ...
std::string to_string(StopReason reason, const SaturationLimits& limits);

struct Goal {
  TermId left;
  TermId right;
};

// Stops as soon as all goals are terms of one class each. Reasons in the graph count lemmas by
// their position in `lemmas`; forward means from left to right.
StopReason saturate(EGraph& graph, const std::vector<Lemma>& lemmas, const std::vector<Goal>& goals,
                    const SaturationLimits& limits = {});

}  // namespace assay
