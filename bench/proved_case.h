// A case that refines and whose proof is found: what the static bench measures.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/core.h"
#include "shared_ir/operator_table/operator_table.h"
#include "static_check/check.h"

namespace assay::bench {

struct ProvedCase {
  std::filesystem::path folder;
  Case refinement;
  OperatorTable operators;
  CoreProgram sequential;
  std::vector<CoreProgram> ranks;
  StaticResult result;  // with relations of inner tensors
};

struct Survey {
  std::vector<std::unique_ptr<ProvedCase>> proved;
  // Cases that should refine and are not proved: name and why.
  std::vector<std::pair<std::string, std::string>> not_proved;
};

// Checks every case once. Cases that are known to violate are in neither list.
Survey survey(const std::vector<std::filesystem::path>& folders);

}  // namespace assay::bench
