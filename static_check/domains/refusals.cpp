#include "static_check/domains/refusals.h"

#include "static_check/domains/lost_writes.h"
#include "static_check/domains/partial_functions.h"
#include "static_check/domains/trials/contradicted_domains.h"
#include "static_check/domains/trials/indices_outside.h"
#include "static_check/domains/trials/met_infinities.h"
#include "static_check/domains/trials/wrapped_integers.h"
#include "static_check/domains/undefined_outputs.h"

namespace assay {

AssumedDomains assumed_of_domains(Problem& problem, const Certificate* proof) {
  if (proof != nullptr) {
    refuse_undefined_outputs(problem, *proof);
    refuse_lost_writes(problem);
    refuse_indices_outside(problem);
    refuse_met_infinities(problem, *proof);
    refuse_wrapped_integers(problem);
  }
  DomainAssumptions domains = domain_assumptions(problem, proof);
  AssumedDomains assumed;
  if (proof != nullptr) assumed.contrary = refuse_contradicted_domains(problem, *proof, domains);
  assumed.notes = std::move(domains.notes);
  return assumed;
}

}  // namespace assay
