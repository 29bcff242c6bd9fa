// Checking one case, from its folder to its report.
#pragma once

#include <chrono>
#include <string>

#include "shared_ir/report/report.h"

namespace assay::cli {

struct CheckOptions {
  std::chrono::milliseconds timeout{60'000};
  bool static_only = false;  // nothing is run on numbers
  bool verify = false;       // replay the certificate through the independent checker
  bool relations = false;    // report inner tensors too
};

// Never throws: bad input gives exit 2, an error of ours exit 3.
CaseReport check_one(const std::string& path, const CheckOptions& options);

}  // namespace assay::cli
