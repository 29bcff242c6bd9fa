// Labels of a request whose operands are seen element by element: digits that all layouts share.
#include <algorithm>

#include "static_check/algebra/layout.h"
#include "static_check/lift/operators.h"

namespace assay {

void add_parallel_labels(Request& request, std::span<const Layout* const> layouts,
                         const Shape& size) {
  request.out_dims = size.size();
  request.labels.reserve(size.size());
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == 1) continue;
    const Modes& first = layouts.front()->dims[d];
    const bool same_digits = std::all_of(layouts.begin(), layouts.end(), [&](const Layout* layout) {
      const Modes& modes = layout->dims[d];
      return std::equal(modes.begin(), modes.end(), first.begin(), first.end(),
                        [](const Mode& a, const Mode& b) { return a.size == b.size; });
    });
    if (same_digits) {
      for (size_t i = 0; i < first.size(); ++i) {
        RequestLabel& label = request.labels.emplace_back();
        label.size = first[i].size;
        label.out_dim = static_cast<int32_t>(d);
        for (const Layout* layout : layouts) label.strides.push_back(layout->dims[d][i].stride);
      }
      continue;
    }
    std::vector<const Modes*> modes;
    for (const Layout* layout : layouts) modes.push_back(&layout->dims[d]);
    const auto digits = common_digits(modes);
    if (!digits) throw NotLifted{"the digits of two operands do not nest"};
    const size_t count = digits->empty() ? 0 : digits->front().size();
    for (size_t i = 0; i < count; ++i) {
      RequestLabel label;
      label.size = digits->front()[i].size;
      label.out_dim = static_cast<int32_t>(d);
      for (const auto& operand : *digits) label.strides.push_back(operand[i].stride);
      request.labels.push_back(std::move(label));
    }
  }
}

}  // namespace assay
