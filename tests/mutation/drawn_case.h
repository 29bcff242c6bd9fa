// Drawn programs as cases, and what their mutants come to.
#pragma once

#include <string>

#include "tests/mutation/judge.h"

namespace assay::test {

CleanExpr on_rank(const std::string& tensor, Rank rank);

struct DrawnTally {
  size_t different = 0, equal_and_proved = 0, equal_and_unproved = 0, invalid = 0;
};

// Judges the first few mutants, in an order that depends on `seed`: none is proved that differs or
// reads what is in flight. `text` says what the program is.
void judge_mutants(const Case& drawn, const std::string& text, uint64_t seed, DrawnTally& tally);

void print(const DrawnTally& tally);

}  // namespace assay::test
