// Programs whose collectives go on until they are waited for, in orders of which some cannot end.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/case/case.h"

namespace assay::test {

/// Steps of a rank, a letter each: "g" and "h" begin an all-reduce of x in that group, "G" and "H"
/// wait for the last one that was begun there, "b" is a barrier in group g.
struct StepsOfRanks {
  const char* name;
  std::vector<std::string> ranks;
};

/// y = 2 * ranks * x, which the ranks add up of an all-reduce in each group.
Case waiting_case(const StepsOfRanks& program);

const std::vector<StepsOfRanks>& deadlocks_of_waits();
const std::vector<StepsOfRanks>& waits_that_end();

}  // namespace assay::test
