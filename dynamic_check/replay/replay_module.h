// How a program that does not link LibTorch replays a case: libassay_replay.so is loaded with
// dlopen, and the one function below found in it with dlsym.
#pragma once

#include <cstdint>
#include <string>

#include "shared_ir/case.h"

namespace assay {

// What the module found.
struct ReplayModuleResult {
  bool ran = false;         // the graphs were run and something was compared
  std::string why_not;      // when not
  bool differs = false;     // a witness was found
  std::string tensor;       // of the witness: the sequential tensor
  std::string description;  // of the witness, one line: what it should equal, by how much it
                            // differs, the seed and size
  int64_t compared = 0;     // expressions compared
};

inline constexpr const char* kReplayModuleFile = "libassay_replay.so";
inline constexpr const char* kReplayFunction = "assay_replay";

// Type of the function. `relations`: inferred ones, may be null with `relation_count` 0. Never
// throws.
using ReplayFunction = void (*)(const Case* refinement, const Relation* relations,
                                int64_t relation_count, ReplayModuleResult* result);

}  // namespace assay
