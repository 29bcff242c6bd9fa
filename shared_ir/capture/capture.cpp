#include "shared_ir/capture/capture.h"

#include <ATen/ops/empty.h>

#include "shared_ir/capture/capture_context.h"
#include "shared_ir/capture/torch/meta_kernels.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {

Graph capture(const std::string& name, const CaptureSpec& inputs, Rank rank, const Mesh& mesh,
              const RankProgram& program) {
  std::map<std::string, at::Tensor> tensors;
  for (const CaptureInput& input : inputs) {
    const auto options = at::TensorOptions().dtype(to_scalar_type(input.dtype)).device(c10::kMeta);
    at::Tensor& tensor = tensors[input.name];
    tensor = at::empty(input.shape, options).set_requires_grad(input.requires_grad);
    forbid_writes(tensor);
  }
  Recording recording(name, {.on_outputs = {}, .shapes_only = true});
  for (const CaptureInput& input : inputs) recording.input(input.name, tensors.at(input.name));
  const auto context = make_capture_context(recording, std::move(tensors), rank, mesh);
  try {
    program(*context);
  } catch (const c10::Error& error) {
    throw UserError({}, name + ": " + error.what_without_backtrace(),
                    "a captured program has no values: it cannot look into the memory of its "
                    "tensors");
  }
  Graph graph = recording.finish();
  validate(graph);
  return graph;
}

}  // namespace assay
