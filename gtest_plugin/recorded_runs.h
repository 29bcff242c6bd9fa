// Runs of both programs on values, as graphs: for sizes that depend on them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assay/refinement.h"
#include "gtest_plugin/program_run.h"
#include "shared_ir/capture/fit/size_fit.h"
#include "shared_ir/case/case.h"

namespace assay {

struct ProgramRuns {
  std::vector<RecordedRun> ranks;  // of the program
  std::vector<DeclaredOutputs> outputs;
};

struct InputDraw {
  // Where sizes are the greatest and the least: all ids the first one and all flags set, or all ids
  // the last one and no flag set.
  enum class Kind : uint8_t { kRandom, kFirst, kLast };
  uint64_t seed = 0;
  Kind kind = Kind::kRandom;
};

// Runs one side once, as threads. `inputs_of`: a case with its inputs. Throws UserError where the
// program fails on them.
ProgramRuns record_run(const RefinementSpec& spec, Side side, const Case& inputs_of,
                       DType precision, const InputDraw& draw);

// The case before anything is captured: the programs' inputs alone.
Case case_of_inputs(const RefinementSpec& spec, DType precision);

}  // namespace assay
