#include "shared_ir/lower/builtins/index/constant_rows.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/constant_values.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

std::optional<CoreId> written_rows(Call& call, CoreId x, Int dim, CoreId ids, CoreId values,
                                   bool accumulate) {
  constexpr size_t kFewConstantRows = 8;
  Builder& builder = call.builder();
  const auto rows = constant_values(builder.program(), ids);
  if (!rows || rows->empty() || rows->size() > kFewConstantRows) return std::nullopt;
  Shape shape = builder.shape(x);
  const Int size = shape[dim];
  shape[dim] = static_cast<Int>(rows->size());
  values = builder.reshape(values, shape);
  const auto sum = [&](CoreId a, CoreId b) {
    return builder.linear({a, b}, {Rational(1), Rational(1)});
  };
  std::map<Int, CoreId> written;
  for (size_t i = 0; i < rows->size(); ++i) {
    const auto index = static_cast<Int>((*rows)[i]);
    if (index < -size || index >= size)
      call.fail(fmt::format("index {} of a table of {} rows", index, size));
    const Int row = index < 0 ? size + index : index;
    const CoreId value = builder.slice(values, dim, static_cast<Int>(i), 1, 1);
    const auto before = written.find(row);
    if (before == written.end())
      written[row] = accumulate ? sum(builder.slice(x, dim, row, 1, 1), value) : value;
    else if (accumulate)
      before->second = sum(before->second, value);
    else
      call.unsupported("it writes an element twice");
  }
  std::vector<CoreId> pieces;
  Int end = 0;  // of what is done
  const auto leave_until = [&](Int row) {
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

CoreId from_the_start(Builder& builder, CoreId ids, Int rows) {
  const auto values = constant_values(builder.program(), ids);
  const auto counts = [&](double index) {
    return index < 0 && index >= static_cast<double>(-rows);
  };
  if (!values || std::none_of(values->begin(), values->end(), counts)) return ids;
  const Shape shape = builder.shape(ids);
  const CoreId zero = builder.constant(Rational(0), builder.dtype(ids), shape);
  const CoreId below = builder.map("lt", {ids, zero}, DType::kBool, 0);
  const CoreId times = builder.cast(below, builder.dtype(ids));
  return builder.linear({ids, times}, {Rational(1), Rational(rows)});
}

}  // namespace assay::lowering
