// What a recorded program is found to mean here, beside what XLA computed.
#pragma once

#include <string>
#include <vector>

#include "tests/hlo/values.h"

namespace assay::test {

struct HloJudgement {
  enum class Outcome {
    kAgrees,
    kDiffers,
    kRefused,  // by the importer or the lowering
    kOpaque,   // an operator has no meaning: it is equal to itself alone
    kOutside,  // the inputs break what the meaning rests on
  };

  Outcome outcome;
  std::string why;
};

/// One judgement for each set of inputs; one alone where no run is needed for it.
std::vector<HloJudgement> judge(const HloValues& recorded);

/// What these inputs, in their order, break of the assumptions that a program of one rank lists,
/// and where `defined` of that its functions are defined; empty where they break none.
std::string broken_assumption(const std::string& text,
                              const std::vector<std::vector<double>>& inputs, bool defined);

}  // namespace assay::test
