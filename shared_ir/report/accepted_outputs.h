// What the user accepts without proof: outputs that leave the exit code 0 (conclude.h).
#pragma once

#include <optional>
#include <string>

#include "shared_ir/case/case.h"
#include "shared_ir/report/report.h"

namespace assay {

// Whether a sequential tensor is among those that the user lists.
bool accepts(const Accepted& accept, const std::string& tensor);

// True when every output that the proof leaves open, and every expectation that fails, is of a
// tensor that the user accepts without proof.
bool accepted(const StaticReport& proof, const std::optional<Accepted>& accept);

}  // namespace assay
