#include "static_check/lift/reduction/reduced_dims.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"

namespace assay {

Int add_reduction_labels(Request& request, const Layout& layout, const Shape& size,
                         std::span<const Int> dims) {
  Int repeats = 1;
  request.out_dims = size.size() - dims.size();
  int32_t out_dim = 0;
  for (size_t d = 0; d < size.size(); ++d) {
    const bool reduced = contains(dims, d);
    for (const Mode& mode : layout.dims[d]) {
      if (reduced && mode.stride == 0) {
        repeats *= mode.size;
        continue;
      }
      RequestLabel label;
      label.tag = reduced ? InstanceLabel::Tag::kReduced : InstanceLabel::Tag::kParallel;
      label.size = mode.size;
      label.strides = {mode.stride};
      label.out_dim = reduced ? kNone : out_dim;
      request.labels.push_back(std::move(label));
    }
    out_dim += !reduced;
  }
  return repeats;
}

bool reduces(const Request& request) {
  return std::any_of(request.labels.begin(), request.labels.end(), [](const RequestLabel& label) {
    return label.tag == InstanceLabel::Tag::kReduced;
  });
}

}  // namespace assay
