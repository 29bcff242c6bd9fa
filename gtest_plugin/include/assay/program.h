// What the body of sequential(...) and distributed(...) works with.
#pragma once

#include <cstdint>
#include <functional>
#include <source_location>
#include <string>

#include "assay/placement.h"
#include "assay/torch_fwd.h"
#include "shared_ir/mesh.h"

namespace assay {

// A declared input or weight. Cheap to copy.
struct Input {
  std::string name;
};

// One run of a program on one rank: first on meta tensors to capture its graph, then on real ones.
// The body is called several times, in several threads, and must do the same each time.
class Program {
 public:
  struct Run;  // gtest_plugin/program_run.h
  explicit Program(Run& run) : run_(run) {}

  // This rank's part of an input (of the whole in the sequential program). Requires grad where it
  // was declared so. Throws UserError when the test declares no such input, or places it On other
  // ranks.
  at::Tensor operator[](const Input& input) const;

  // Names a result. The placement says what the distributed program promises: Replicate() unless it
  // says otherwise, so a reduction that is left out fails. The sequential program has one rank;
  // there, placements mean nothing. Every rank that holds the output names it, and no other. Throws
  // UserError when the name is taken.
  void output(const std::string& name, const at::Tensor& tensor,
              const Placement& placement = Replicate(),
              std::source_location place = std::source_location::current());

  // Names the gradient of an input or weight "grad.NAME", with the placement of what it is the
  // gradient of.
  void gradient(const Input& input, const at::Tensor& tensor,
                std::source_location place = std::source_location::current());

  // Names what a training step makes of a weight or of an optimizer's state "updated.NAME", with
  // the placement of what it was.
  void updated(const Input& input, const at::Tensor& tensor,
               std::source_location place = std::source_location::current());

  // Calls autograd on `loss` (one element) and names the gradient of every input and weight of this
  // rank that requires one, after `finish` has done to it what the framework does after the
  // backward pass (a reduction over ranks, say). Throws UserError when the loss does not depend on
  // one of them: declare that one without gradient.
  using Finish = std::function<at::Tensor(const Input&, const at::Tensor& gradient)>;
  void gradients(const at::Tensor& loss, const Finish& finish = {},
                 std::source_location place = std::source_location::current());

  // The sum over the ranks along `axis`. Its gradient passes unchanged: every rank holds the same
  // result, and what follows computes the same loss on each. For another gradient write an autograd
  // function on group(axis).
  at::Tensor all_reduce(const at::Tensor& tensor, const std::string& axis) const;

  // The ranks along `axis`, for any c10d call. Throws UserError when the mesh has no such axis.
  ProcessGroupPtr group(const std::string& axis) const;

  // This rank in the mesh; 0 in the sequential program.
  Rank rank() const;
  // Its coordinate on an axis, and the axis's size. Throw UserError when the mesh has no such axis.
  int64_t coordinate(const std::string& axis) const;
  int64_t size(const std::string& axis) const;

 private:
  Run& run_;
};

}  // namespace assay
