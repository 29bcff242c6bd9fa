#include "static_check/claimed.h"

#include "static_check/diagnose/diagnose.h"

namespace assay {

TensorReport claimed(StaticResult& result, const std::string& tensor,
                     const std::vector<CleanExpr>& replicas, bool output) {
  TensorReport report;
  report.name = tensor;
  for (const CleanExpr& replica : replicas) report.relation.push_back(to_string(replica));
  report.pending_sum = is_pending_sum(replicas);
  if (replicas.empty()) return report;
  report.verdict = Verdict::kProved;
  result.certificate.relations.push_back({tensor, replicas, output});
  return report;
}

}  // namespace assay
