// The state behind one Program: the context that captures or runs it, and what it has said about
// its outputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/refinement.h"
#include "shared_ir/capture/program.h"

namespace assay {

// The buffer that an output of the sequential program lies in.
struct FlatOutput {
  std::string name;
  Placement placement;               // of the buffer
  std::vector<std::string> members;  // names of outputs, in order
  bool operator==(const FlatOutput&) const = default;
};

// What a program says about its outputs.
struct DeclaredOutput {
  Placement placement;
  std::optional<FlatOutput> flat;
  SourcePlace place;
};
using DeclaredOutputs = std::map<std::string, DeclaredOutput>;

enum class Side : uint8_t { kSequential, kDistributed };

struct Program::Run {
  ProgramContext& context;
  const RefinementSpec& spec;
  Side side;
  DeclaredOutputs outputs;
};

// The program of one side as the capture and the run call it. The spec must outlive it. Each call
// leaves what the program said about its outputs in `outputs`, if that is given: do not share it
// among threads.
RankProgram rank_program(const RefinementSpec& spec, Side side, DeclaredOutputs* outputs = nullptr);

// The flat buffer that holds this input on the ranks; nullptr when there is none.
const FlatBufferSpec* buffer_of(const RefinementSpec& spec, const std::string& input);

}  // namespace assay
