// The graph of a program, from one run on meta tensors: no data, no devices, no communication.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/capture/program.h"
#include "shared_ir/graph.h"

namespace assay {

struct CaptureInput {
  std::string name;
  Shape shape;  // of this rank's part
  DType dtype = DType::kFloat32;
  bool requires_grad = false;
};

using CaptureSpec = std::vector<CaptureInput>;

// Runs `program` once as `rank` of `mesh` and returns what it computes (see recording.h). `name` is
// the graph's name. Collectives get the groups Mesh::group_name(rank, axis). Ranks are captured one
// after another.
//
// Throws UserError, with the line of the program, for what cannot be captured: reading the value of
// a tensor, tensors that were made outside, shapes that do not fit, shapes that depend on values,
// point-to-point communication.
Graph capture(const std::string& name, const CaptureSpec& inputs, Rank rank, const Mesh& mesh,
              const RankProgram& program);

}  // namespace assay
