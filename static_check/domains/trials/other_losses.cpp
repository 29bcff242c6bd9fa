#include "static_check/domains/trials/other_losses.h"

#include <fmt/format.h>

#include "static_check/domains/trials/claims.h"
#include "static_check/domains/trials/input_numbers.h"
#include "static_check/domains/trials/trials.h"

namespace assay {

void refuse_other_losses(const Problem& exact, const Certificate& proof, const RankLoss& ignoring) {
  const Trials trials(exact);
  if (trials.are_too_large()) return;
  const Claims claims(exact, proof);
  for (size_t draw = 0; draw < InputNumbers::kDraws; ++draw) {
    const auto trial = trials.run(draw);
    if (!trial) continue;
    const double rounding = trial_rounding(greatest_magnitude(*trial));
    for (const ClaimedNumbers& numbers : claims.numbers(*trial))
      if (const auto apart = difference(numbers, rounding))
        throw UserError(
            ignoring.source,
            fmt::format("{} ignores targets as the specification does, and where some are ignored "
                        "the ranks give {:.6g} and the specification {:.6g}",
                        ignoring.name, apart->second, apart->first),
            "what is added to the loss has to leave these targets out, too; or, where no target is "
            "ignored, say so in the case: [assume] ignored_targets = \"none\" (in a test, "
            "options().no_target_ignored = true)");
  }
}

}  // namespace assay
