#include "shared_ir/lower/builtins/overwrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/lower/build/sizes.h"
#include "shared_ir/lower/builtins/broadcast.h"

namespace assay::lowering {
namespace {

// Periods of x, each with a row in place of its first element: rows beside each other.
CoreId interleaved(Builder& builder, CoreId x, CoreId rows, Int dim, Int step) {
  const Shape whole = builder.shape(x);
  Shape periods = whole, first = builder.shape(rows);
  periods[dim] = first[dim];
  periods.insert(periods.begin() + dim + 1, step);
  first.insert(first.begin() + dim + 1, 1);
  const CoreId rest = builder.slice(builder.reshape(x, periods), dim + 1, 1, 1, step - 1);
  return builder.reshape(builder.cat({builder.reshape(rows, first), rest}, dim + 1), whole);
}

}  // namespace

CoreId overwritten(Call& call, CoreId x, CoreId rows, Int dim, const Places& places) {
  Builder& builder = call.builder();
  Shape shape = builder.shape(x);
  const Int size = shape[dim];
  const auto& [start, step, count] = places;
  shape[dim] = count;
  rows = broadcast_to(builder, builder.cast(rows, builder.dtype(x)),
                      broadcast_shape(call, {builder.shape(rows), shape}));
  if (builder.shape(rows) != shape)
    call.fail(fmt::format("shape [{}] is put where [{}] fits", fmt::join(builder.shape(rows), ", "),
                          fmt::join(shape, ", ")));
  if (size == 0) return x;
  std::vector<CoreId> pieces;
  Int end = start;  // up to here x is in pieces
  if (start > 0) pieces.push_back(builder.slice(x, dim, 0, 1, start));
  if (step == 1 && count > 0) {
    pieces.push_back(rows);
    end += count;
  } else if (count > 0) {
    // The last row may stand in less than a whole period.
    const Int periods = start + times(count, step) <= size ? count : count - 1;
    if (periods > 0) {
      const Int stretch = times(periods, step);
      pieces.push_back(interleaved(builder, builder.slice(x, dim, start, 1, stretch),
                                   builder.slice(rows, dim, 0, 1, periods), dim, step));
      end += stretch;
    }
    if (periods < count) {
      pieces.push_back(builder.slice(rows, dim, periods, 1, 1));
      end += 1;
    }
  }
  if (end < size) pieces.push_back(builder.slice(x, dim, end, 1, size - end));
  return builder.cat(pieces, dim);
}

}  // namespace assay::lowering
