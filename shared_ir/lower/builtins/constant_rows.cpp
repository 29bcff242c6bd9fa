#include "shared_ir/lower/builtins/constant_rows.h"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/constant_values.h"

namespace assay::lowering {

std::optional<CoreId> written_rows(Call& call, CoreId x, int64_t dim, CoreId ids, CoreId values,
                                   bool accumulate) {
  constexpr size_t kFewRows = 8;
  Builder& builder = call.builder();
  const auto rows = constant_values(builder.program(), ids);
  if (!rows || rows->empty() || rows->size() > kFewRows) return std::nullopt;
  Shape shape = builder.shape(x);
  const int64_t size = shape[dim];
  shape[dim] = static_cast<int64_t>(rows->size());
  values = builder.reshape(values, shape);
  const auto sum = [&](CoreId a, CoreId b) {
    return builder.linear({a, b}, {Rational(1), Rational(1)});
  };
  std::map<int64_t, CoreId> written;
  for (size_t i = 0; i < rows->size(); ++i) {
    const auto index = static_cast<int64_t>((*rows)[i]);
    if (index < -size || index >= size)
      call.fail(fmt::format("index {} of a table of {} rows", index, size));
    const int64_t row = index < 0 ? size + index : index;
    const CoreId value = builder.slice(values, dim, static_cast<int64_t>(i), 1, 1);
    const auto before = written.find(row);
    if (before == written.end())
      written[row] = accumulate ? sum(builder.slice(x, dim, row, 1, 1), value) : value;
    else if (accumulate)
      before->second = sum(before->second, value);
    else
      call.unsupported("it writes an element twice");
  }
  std::vector<CoreId> pieces;
  int64_t end = 0;  // of what is done
  const auto leave_until = [&](int64_t row) {
    if (row > end) pieces.push_back(builder.slice(x, dim, end, 1, row - end));
  };
  for (const auto& [row, value] : written) {
    leave_until(row);
    pieces.push_back(value);
    end = row + 1;
  }
  leave_until(size);
  return builder.cat(pieces, dim);
}

}  // namespace assay::lowering
