// The user's programs, as they run.
#pragma once

#include <vector>

#include "dynamic_check/question/question.h"
#include "shared_ir/capture/program.h"

namespace assay {

// The programs under test. They are those that were captured into the case.
struct Programs {
  RankProgram sequential;
  RankProgram distributed;
  // Makes the self-made inputs of one rank before the run: output(input name, this rank's part).
  // May be empty.
  RankProgram parameters;
  Mesh mesh;  // of the distributed program
  std::vector<DynamicInput> inputs;
};

}  // namespace assay
