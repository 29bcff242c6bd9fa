// The state behind one Program: the context that captures or runs it, and what it has said about
// its outputs.
#pragma once

#include <map>
#include <string>

#include "assay/refinement.h"
#include "shared_ir/capture/program.h"

namespace assay {

// What a program says about its outputs.
struct DeclaredOutput {
  Placement placement;
  SourcePlace place;
};
using DeclaredOutputs = std::map<std::string, DeclaredOutput>;

struct Program::Run {
  ProgramContext& context;
  const RefinementSpec& spec;
  DeclaredOutputs outputs;
};

// The body as the capture and the run call it. Both spec and body must outlive it. Each call leaves
// what the program said about its outputs in `outputs`, if that is given: do not share it among
// threads.
RankProgram rank_program(const RefinementSpec& spec, const ProgramBody& body,
                         DeclaredOutputs* outputs = nullptr);

}  // namespace assay
