#include "dynamic_check/replay/replay_module.h"

#include <fmt/format.h>

#include <exception>
#include <type_traits>

#include "dynamic_check/replay/replay.h"

extern "C" [[gnu::visibility("default")]] void assay_replay(const assay::Case* refinement,
                                                            const assay::Relation* relations,
                                                            int64_t relation_count,
                                                            assay::ReplayModuleResult* result) {
  try {
    const assay::ReplayResult found =
        assay::replay(*refinement, {relations, relations + relation_count});
    result->compared = found.compared;
    result->why_not = found.why_not;
    result->ran = found.compared > 0 || found.witness;
    if (!found.witness) return;
    result->differs = true;
    const assay::Witness& witness = *found.witness;
    result->tensor = witness.tensor;
    result->description =
        !witness.failure.empty()
            ? witness.failure
            : fmt::format(
                  "{} differs from {} by {:.2g} (relative norm, float64, seed {}, sizes divided by "
                  "{})",
                  witness.tensor, witness.expression, witness.error, witness.seed, witness.factor);
  } catch (const std::exception& error) {
    result->ran = false;
    result->why_not = error.what();
  }
}

static_assert(std::is_same_v<decltype(&assay_replay), assay::ReplayFunction>);
