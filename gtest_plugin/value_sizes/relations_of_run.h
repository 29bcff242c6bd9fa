// What a run can compare of what was proved about programs of fixed sizes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"

namespace assay {

struct RelationsOfRun {
  std::vector<Relation> relations;
  std::vector<std::map<std::string, CleanExpr>> views;  // per rank
  size_t left_out = 0;                                  // relations
};

// Those of tensors that the run has in the same size. `proved`: the case with padded sizes.
RelationsOfRun relations_of_run(const Case& proved, const Case& run,
                                const std::vector<Relation>& relations,
                                const std::vector<std::map<std::string, CleanExpr>>& views);

}  // namespace assay
