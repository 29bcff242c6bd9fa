#include "shared_ir/report/run_verdict.h"

namespace assay {

std::string_view name_in_json(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kAgrees:
      return "proved";
    case RunVerdict::kDeviates:
      return "refuted";
    case RunVerdict::kInconclusive:
      return "unproved";
    case RunVerdict::kStuck:
      return "timeout";
    case RunVerdict::kFailed:
      return "error";
  }
  return "error";
}

}  // namespace assay
