#include "tests/differential/shrink.h"

#include <algorithm>
#include <set>

namespace assay::test {
namespace {

using Property = std::function<bool(const DrawnCall&)>;

bool accept(DrawnCall& call, DrawnCall smaller, const Property& property) {
  smaller.graph.nodes[0] = smaller.kernel;
  if (!property(smaller)) return false;
  call = std::move(smaller);
  return true;
}

bool without_an_argument(DrawnCall& call, const Property& property) {
  for (size_t i = 0; i < call.kernel.kwargs.size(); ++i) {
    DrawnCall smaller = call;
    smaller.kernel.kwargs.erase(smaller.kernel.kwargs.begin() + static_cast<std::ptrdiff_t>(i));
    if (accept(call, std::move(smaller), property)) return true;
  }
  if (call.kernel.args.empty() || std::holds_alternative<TensorArg>(call.kernel.args.back().value))
    return false;
  DrawnCall smaller = call;
  smaller.kernel.args.pop_back();
  return accept(call, std::move(smaller), property);
}

// All dimensions of that size, so that shapes go on to fit; the first elements stay.
bool with_smaller(int64_t size, DrawnCall& call, const Property& property) {
  DrawnCall smaller = call;
  for (size_t i = 0; i < call.values.size(); ++i) {
    Shape& shape = smaller.graph.tensors[i].shape;
    std::ranges::replace(shape, size, size - 1);
    smaller.values[i].shape = shape;
    smaller.values[i].values.resize(static_cast<size_t>(element_count(shape)));
  }
  return accept(call, std::move(smaller), property);
}

bool with_smaller_sizes(DrawnCall& call, const Property& property) {
  std::set<int64_t, std::greater<>> sizes;
  for (const ReferenceTensor& value : call.values)
    sizes.insert(value.shape.begin(), value.shape.end());
  return std::ranges::any_of(
      sizes, [&](int64_t size) { return size > 0 && with_smaller(size, call, property); });
}

bool with_a_zero(DrawnCall& call, const Property& property) {
  for (size_t i = 0; i < call.values.size(); ++i) {
    for (size_t k = 0; k < call.values[i].values.size(); ++k) {
      if (call.values[i].values[k] == 0) continue;
      DrawnCall smaller = call;
      smaller.values[i].values[k] = 0;
      if (accept(call, std::move(smaller), property)) return true;
    }
  }
  return false;
}

}  // namespace

DrawnCall shrink(DrawnCall call, const Property& property) {
  while (without_an_argument(call, property) || with_smaller_sizes(call, property) ||
         with_a_zero(call, property)) {
  }
  return call;
}

}  // namespace assay::test
