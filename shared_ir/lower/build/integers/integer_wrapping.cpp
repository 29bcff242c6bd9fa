// Where integers wrap around: they add and multiply modulo 2^bits, and what reads them as numbers
// gets them as their dtype holds them.
#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/build/builder.h"

namespace assay::lowering {

CoreId Builder::wrapped(CoreId x) {
  if (!is_integer(dtype(x)) || bounds_.fits(program_, x)) return x;
  if (dtype(x) == DType::kInt64 && !bounds_.wraps(program_, x)) return unwrapped(x);
  append(Prim::kMap, dtype(x), Shape(shape(x)), {x}).fn = cast_function(dtype(x));
  return last();
}

CoreId Builder::unwrapped(CoreId x) {
  const bool wide = dtype(x) == DType::kInt32 || dtype(x) == DType::kInt64;
  if (!wide) return wrapped(x);
  if (!bounds_.fits(program_, x)) {
    note(fmt::format("integers that are computed in {} do not wrap around", to_string(dtype(x))));
    program_.unwrapped.push_back(x);
  }
  return x;
}

std::vector<CoreId> Builder::wrapped(std::vector<CoreId> operands, uint32_t linear_in) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (i >= 32 || (linear_in >> i & 1U) == 0) operands[i] = wrapped(operands[i]);
  return operands;
}

}  // namespace assay::lowering
