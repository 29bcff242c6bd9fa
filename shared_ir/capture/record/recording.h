// Records the operators that a piece of code calls, with LibTorch's dispatcher, into a Graph.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/import/unbacked/size_read.h"

namespace assay {

struct RecordingOptions {
  // Told the outputs of each node of the graph as soon as they are there; undefined where the
  // node's output is kNone. They are the program's own tensors: copy what must outlive the call, as
  // operators may write into them later. An operator called here is not recorded. The outputs of a
  // collective are told when an operator first reads them (as that operator sees them), or at
  // finish(), after the collective has completed.
  std::function<void(NodeId, std::span<const at::Tensor>)> on_outputs;

  // Tensors are meta tensors: operators give shapes and no values, factories make meta tensors
  // whatever device they are asked for, collectives send nothing, and reading a value (item(),
  // data_ptr()) is an error.
  bool shapes_only = false;

  // That item() reads a value is an error, of real tensors too: what the program does with it
  // nobody sees.
  bool refuse_items = false;

  // A view of elements that have a value already is a node, which gives it a copy of its own, as
  // what views show depends on values: memory that such a view shows is not written afterwards.
  bool copies_views = false;

  // What this recording should give: a node whose operator is the one of its place there has its
  // source and module. Much faster, because only for other nodes the caller is looked for (one that
  // the backward pass adds has none then). Must outlive the recording.
  const Graph* expected = nullptr;
};

// While it lives, every ATen operator that its thread calls, and that autograd calls for it,
// becomes a node: below autograd, so composite operators are decomposed and the backward pass is
// part of the graph. What is recorded does not depend on the values of tensors: the same program on
// meta tensors and on real ones gives the same nodes.
//
// The graph is functional: an operator that writes into a tensor is recorded as its functional
// form, views of written memory are made anew, and collectives all have the form of collectives.h.
// Each node has the line of the user's program that called it, and ModuleScope's path; a node of
// the backward pass has those of its forward operator, unless the user's own autograd function
// called it.
//
// A backend of a process group that calls ATen operators in Work::wait(), which the program calls,
// needs a RecordingPause there: they would be recorded as the program's own.
//
// Not seen: writes through data_ptr(), set_data() and .data(), and what runs on other threads than
// autograd's.
class Recording {
 public:
  // `name`: of the graph, for messages.
  explicit Recording(std::string name, RecordingOptions options = {});
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Declares a tensor that the program gets. Throws UserError when the name is taken.
  void input(const std::string& name, const at::Tensor& tensor);

  // Names a tensor that the program computed. Throws UserError when the name is taken or the tensor
  // is unknown.
  void output(const std::string& name, const at::Tensor& tensor);

  // Reads a size from a tensor of one integer. Throws UserError for another tensor and where it is
  // more than `at_most`, and SizesDependOnValues where there are shapes only.
  int64_t size_of(const at::Tensor& tensor, std::optional<int64_t> at_most = {});

  // Those that were read so far, in their order.
  const std::vector<SizeRead>& sizes_read() const;

  // Ends the recording. Names of other tensors come from their operators ("mm", "mm_1"; "split.0"
  // for one of several outputs), in the order of the nodes.
  Graph finish();

 private:
  struct Active;
  std::unique_ptr<Active> active_;
};

// While it lives, what its thread calls is not recorded: for what the program calls and the graph
// does not show, such as the insides of a backend of a process group.
class RecordingPause {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::DispatchKey::Fake};
};

}  // namespace assay
