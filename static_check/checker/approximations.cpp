// Accepted approximations: assumptions of a proof, held to what the user accepts.
#include <algorithm>

#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

bool has_relation(const Certificate& certificate, const std::string& tensor) {
  return std::any_of(certificate.relations.begin(), certificate.relations.end(),
                     [&](const auto& covered) { return covered.tensor == tensor; });
}

}  // namespace

void check_approximations(const Certificate& certificate,
                          const std::vector<Approximation>& accepted) {
  const auto& assumed = certificate.approximations;
  if (assumed.size() != accepted.size())
    throw Rejection{"a number of approximations that is not the case's"};
  for (size_t i = 0; i < assumed.size(); ++i)
    if (assumed[i].tensor != accepted[i].tensor || assumed[i].replicas != accepted[i].replicas)
      throw Rejection{"an approximation of " + assumed[i].tensor + " that nobody accepts"};
}

void check_approximated_operands(Joint& joint, const std::vector<ApproximatedOperands>& operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Certificate::Approximated& assumed = joint.certificate.approximations[i];
    const std::string what = "approximation of " + assumed.tensor;
    const std::vector<std::string>& sequential = operands[i].sequential;
    for (const std::string& operand : sequential)
      if (!has_relation(joint.certificate, operand))
        throw Rejection{what + ": its operand " + operand + " has no relation"};
    if (assumed.operands.size() != operands[i].ranks.size())
      throw Rejection{what + ": a number of operands that is not its operators'"};
    for (size_t j = 0; j < assumed.operands.size(); ++j) {
      for_each_leaf(assumed.operands[j], [&](const CleanExpr& leaf) {
        if (std::find(sequential.begin(), sequential.end(), leaf.name) == sequential.end())
          throw Rejection{what + ": its operator does not read " + leaf.name};
      });
      check_equal(joint, what, assumed.operands[j], operands[i].ranks[j]);
    }
  }
}

}  // namespace assay::checker
