#include "dynamic_check/question/hooks.h"

#include "dynamic_check/numbers/numbers.h"

namespace assay {

CompletionHook delayed_completion(uint64_t seed) {
  return [seed](const CollectiveStart& call) {
    // Members decide alone, so that they complete in different orders.
    const RandomKey key{seed, call.group + "/" + std::to_string(call.rank)};
    return random_bits(key, static_cast<uint64_t>(call.index)) % 2 == 0 ? Completion::kAtOnce
                                                                        : Completion::kAtWait;
  };
}

}  // namespace assay
