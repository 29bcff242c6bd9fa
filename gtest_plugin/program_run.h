// The state behind one Program: the context that captures or runs it, and what it has said about its outputs.
#pragma once

#include <map>
#include <string>

#include "assay/refinement.h"
#include "shared_ir/capture/program.h"

namespace assay {

struct Program::Run {
  struct Output {
    Placement placement;
    SourcePlace place;
  };

  ProgramContext& context;
  const RefinementSpec& spec;
  std::map<std::string, Output> outputs;
};

// The body as the capture and the run call it.
RankProgram rank_program(const RefinementSpec& spec, const ProgramBody& body);

}  // namespace assay
