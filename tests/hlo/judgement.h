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

}  // namespace assay::test
