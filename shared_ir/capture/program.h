// What a program under test sees, whether it is being captured (meta tensors, recorded collectives)
// or run for real. The same callable serves both, so the graph and the run are of the same code.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <optional>
#include <string>

#include "shared_ir/mesh.h"

namespace c10d {
class ProcessGroup;
}

namespace assay {

class ProgramContext {
 public:
  virtual ~ProgramContext() = default;

  // This rank's part of a declared input (its local shape). Requires grad where it was declared so.
  // Throws UserError when nothing of that name was declared.
  virtual at::Tensor input(const std::string& name) = 0;

  // Names a result of the program. Throws UserError when the name is taken.
  virtual void output(const std::string& name, const at::Tensor& tensor) = 0;

  // Reads a size from a tensor of one integer, such as one that nonzero finds or that another rank
  // sends. Throws UserError for another tensor and where the size is more than `at_most`;
  // SizesDependOnValues where the program is captured without values.
  virtual int64_t size_of(const at::Tensor& tensor, std::optional<int64_t> at_most) = 0;

  // The sequential program is rank 0 of an empty mesh.
  virtual Rank rank() const = 0;
  virtual const Mesh& mesh() const = 0;

  // The process group of this rank along a mesh axis; any c10d call on it is captured.
  // Throws UserError when the mesh has no such axis.
  virtual c10::intrusive_ptr<c10d::ProcessGroup> group(const std::string& axis) = 0;
};

using RankProgram = std::function<void(ProgramContext&)>;

}  // namespace assay
