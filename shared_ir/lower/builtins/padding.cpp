#include "shared_ir/lower/builtins/padding.h"

#include <algorithm>
#include <cmath>

#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

CoreId padded(Call& call, CoreId x, Int dim, Int before, Int after, double number) {
  constexpr Int kWidest = Int{1} << 40;
  for (const Int width : {before, after})
    if (width < -kWidest || width > kWidest) call.fail("a width beyond 2^40");
  Builder& builder = call.builder();
  // PyTorch converts the number to the tensor's type, towards zero.
  const DType dtype = builder.dtype(x);
  if (is_bool(dtype)) number = number == 0 ? 0 : 1;
  if (is_integer(dtype)) number = std::trunc(number);
  Shape shape = builder.shape(x);
  const Int start = std::max<Int>(-before, 0);
  const Int count = shape[dim] - start - std::max<Int>(-after, 0);
  if (count < 0) call.fail("more is cut off than there is");
  std::vector<CoreId> pieces;
  const auto add_width = [&](Int width) {
    shape[dim] = width;
    if (width > 0) pieces.push_back(builder.constant(number, dtype, shape));
  };
  add_width(before);
  pieces.push_back(builder.slice(x, dim, start, 1, count));
  add_width(after);
  return builder.cat(pieces, dim);
}

CoreId spaced(Call& call, CoreId x, Int dim, Int step) {
  if (step == 1) return x;
  Builder& builder = call.builder();
  Shape split = builder.shape(x), joined = split;
  split.insert(split.begin() + dim + 1, 1);
  joined[dim] = times(joined[dim], step);
  const CoreId rows = padded(call, builder.reshape(x, split), dim + 1, 0, step - 1, 0);
  return builder.slice(builder.reshape(rows, joined), dim, 0, 1, joined[dim] - step + 1);
}

}  // namespace assay::lowering
