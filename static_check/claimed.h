// Relations that were found, in report and certificate.
#pragma once

#include <string>
#include <vector>

#include "static_check/check.h"

namespace assay {

// What the report says of a tensor; where replicas were found, the certificate claims them.
TensorReport claimed(StaticResult& result, const std::string& tensor,
                     const std::vector<CleanExpr>& replicas, bool output);

}  // namespace assay
