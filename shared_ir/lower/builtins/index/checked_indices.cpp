#include "shared_ir/lower/builtins/index/checked_indices.h"

#include <fmt/format.h>

#include "shared_ir/lower/builtins/constant_values.h"

namespace assay::lowering {
namespace {

// What the program's own constants say about indices of a table of that many rows; an assumption
// where they are none.
void check_indices(Call& call, CoreId ids, Int rows, std::optional<Int> beside) {
  const auto values = constant_values(call.builder().program(), ids);
  if (!values) {
    if (const auto most = call.builder().largest_constant(ids);
        most && is_number(rows) && *most > static_cast<double>(rows))
      call.unsupported(
          "constant indices, too many to look at, that may lie outside of their table");
    if (call.builder().are_negative(ids) && !beside)
      call.unsupported("an index that counts from the end");
    return call.builder().note(
        "indices of gathers and scatters lie in their tables' ranges, none counts from the end");
  }
  for (const double value : *values) {
    const auto index = static_cast<Int>(value);
    if (index == beside) continue;
    if (index < -rows || index >= rows)
      call.fail(fmt::format("index {} of a table of {} rows", index, rows));
    if (index < 0) call.unsupported("an index that counts from the end");
  }
}

}  // namespace

CoreId checked_ids(Call& call, CoreId ids) {
  if (!is_integer(call.builder().dtype(ids))) call.fail("indices must be integers");
  return ids;
}

std::optional<Int> beside_rows(Call& call, size_t i, Int rows) {
  if (!call.has(i) || call.builder().no_target_ignored()) return std::nullopt;
  const Int index = call.integer(i);
  return 0 <= index && index < rows ? std::nullopt : std::optional(index);
}

CoreId one_hot_of(Call& call, CoreId ids, Int classes, DType dtype, std::optional<Int> beside) {
  check_indices(call, ids, classes, beside);
  return call.builder().one_hot(checked_ids(call, ids), classes, dtype, beside);
}

}  // namespace assay::lowering
