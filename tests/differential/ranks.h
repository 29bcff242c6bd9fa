// Programs of several ranks: drawn programs with collectives, that every rank runs on inputs of its
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/mesh.h"
#include "tests/differential/program.h"

namespace assay::test {

struct RanksProgram {
  Graph graph;  // of every rank
  Groups groups;
  std::vector<std::vector<ReferenceTensor>> values;  // by rank, and input of the graph

  Rank ranks() const { return static_cast<Rank>(values.size()); }
};

// A drawn program with one to three collectives of two or three ranks in it, functional, in place
// and into memory that is given, each waited for up to two calls later. nullopt where the drawn
// program lends itself to none.
std::optional<RanksProgram> draw_ranks(const ProgramOperators& operators, uint64_t seed);

// "t4" on rank 1.
std::string name_on_rank(const std::string& tensor, Rank rank);

// All ranks in lockstep as one program without collectives: what each gives is written out in
// PyTorch's operators, in fresh memory or copied to where it goes. A tensor of a rank is named
// name_on_rank().
DrawnProgram in_lockstep(const RanksProgram& program);

std::string text_of(const RanksProgram& program);

}  // namespace assay::test
