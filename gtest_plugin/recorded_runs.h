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

// Runs one side once, as threads. `inputs_of`: a case with its inputs, whose values depend on the
// seed. Throws UserError where the program fails on them.
ProgramRuns record_run(const RefinementSpec& spec, Side side, const Case& inputs_of,
                       DType precision, uint64_t seed);

// The case before anything is captured: the programs' inputs alone.
Case case_of_inputs(const RefinementSpec& spec, DType precision);

}  // namespace assay
