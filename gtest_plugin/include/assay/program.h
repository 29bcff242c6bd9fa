// What the body of sequential(...) and distributed(...) works with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

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

  // This rank's part of an input, or of a flat buffer in the distributed program; the whole input
  // in the sequential program. Requires grad where it was declared so. Throws UserError when the
  // test declares no such input, places it On other ranks, or has it in a flat buffer only.
  at::Tensor operator[](const Input& input) const;

  // Names a result. The placement says what the distributed program promises: Replicate() unless it
  // says otherwise, so a reduction that is left out fails. The sequential program has one rank;
  // there, placements mean nothing. Every rank that holds the output names it, and no other. Throws
  // UserError when the name is taken.
  void output(const std::string& name, const at::Tensor& tensor,
              const Placement& placement = Replicate(),
              std::source_location place = std::source_location::current());

  // Names this rank's piece of a buffer in which the outputs `members` of the sequential program
  // lie flattened one after the other, from the first element on; what follows them is padding. For
  // the distributed program, which names the members in no other way. Throws UserError when a name
  // is taken.
  void flat_output(const std::string& name, const std::vector<std::string>& members,
                   const at::Tensor& piece, const Placement& placement,
                   std::source_location place = std::source_location::current());

  // Names the gradient of an input or weight "grad.NAME", with the placement of what it is the
  // gradient of. That of a flat buffer holds the gradients of its members.
  void gradient(const Input& input, const at::Tensor& tensor,
                std::source_location place = std::source_location::current());

  // Names what a training step makes of a weight, of an optimizer's state or of a flat buffer of
  // them "updated.NAME", with the placement of what it was. A flat buffer holds the updated
  // members.
  void updated(const Input& input, const at::Tensor& tensor,
               std::source_location place = std::source_location::current());

  // Calls autograd on `loss` (one element) and names the gradient of every input, weight and flat
  // buffer of this rank that requires one, after `finish` has done to it what the framework does
  // after the backward pass (a reduction over ranks, say). Throws UserError when the loss does not
  // depend on one of them: declare that one without gradient.
  using Finish = std::function<at::Tensor(const Input&, const at::Tensor& gradient)>;
  void gradients(const at::Tensor& loss, const Finish& finish = {},
                 std::source_location place = std::source_location::current());

  // The sum over the ranks along `axis`. Its gradient passes unchanged: every rank holds the same
  // result, and what follows computes the same loss on each. For another gradient write an autograd
  // function on group(axis).
  at::Tensor all_reduce(const at::Tensor& tensor, const std::string& axis) const;

  // The ranks along `axis`, for any c10d call. Throws UserError when the mesh has no such axis.
  ProcessGroupPtr group(const std::string& axis) const;

  // The value of a tensor of one integer, for shapes, slices and splits that depend on it; item()
  // is an error. The program works for every value, as numbers that are computed from sizes are
  // only sums and multiples of them: it does not branch on them. `at_most` is the largest value
  // that it can be, which a new tensor of this size needs. Throws UserError for another tensor,
  // and where the value is larger.
  int64_t size_of(const at::Tensor& count, std::optional<int64_t> at_most = {}) const;
  // Of each element of a vector.
  std::vector<int64_t> sizes_of(const at::Tensor& counts,
                                std::optional<int64_t> at_most = {}) const;

  // This rank in the mesh; 0 in the sequential program.
  Rank rank() const;
  // Its coordinate on an axis, and the axis's size. Throw UserError when the mesh has no such axis.
  int64_t coordinate(const std::string& axis) const;
  int64_t size(const std::string& axis) const;

 private:
  // Names what was made of an input or of a flat buffer, placed as `placement_of` says of theirs.
  void derived(const std::string& prefix, const Input& input, const at::Tensor& tensor,
               Placement (*placement_of)(const Placement&), std::source_location place);

  Run& run_;
};

}  // namespace assay
