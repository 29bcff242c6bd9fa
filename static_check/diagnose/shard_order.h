// Shards that are gathered in another order than they lie in the sequential tensor.
#pragma once

#include <string>

#include "shared_ir/report/report.h"
#include "static_check/problem/problem.h"

namespace assay {

// Names the first all_gather of the ranks whose result is out of order; leaves the report as it is
// where there is none.
void describe_shard_order(const Problem& problem, FailureReport& report);

// NAME@RANK of what a rank's operator computes; the operator where that is not used.
std::string name_of_output(const Problem& problem, Rank rank, const Node& node);

}  // namespace assay
