#include "shared_ir/lower/builtins/index/constant_rows.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/constant_values.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// Rows start, start + step, ...
struct RowRun {
  Int start = 0, step = 1, count = 0;
  bool operator==(const RowRun&) const = default;
};

// nullopt where the indices are no constants, one is none of so many rows, or there are many runs.
std::optional<std::vector<RowRun>> row_runs(const Builder& builder, CoreId ids, Int rows) {
  constexpr size_t kMostRuns = 64;
  const auto values = constant_values(builder.program(), ids);
  if (!values || values->empty()) return std::nullopt;
  std::vector<RowRun> runs;
  for (const double value : *values) {
    const auto row = static_cast<Int>(value);
    if (row < 0 || row >= rows) return std::nullopt;
    if (!runs.empty()) {
      RowRun& last = runs.back();
      const Int step = row - (last.start + (last.count - 1) * last.step);
      if (step > 0 && (last.count == 1 || step == last.step)) {
        last.step = step;
        ++last.count;
        continue;
      }
    }
    if (runs.size() == kMostRuns) return std::nullopt;
    runs.push_back({row, 1, 1});
  }
  return runs;
}

}  // namespace

std::optional<CoreId> read_rows(Builder& builder, CoreId x, Int dim, CoreId ids) {
  const auto runs = row_runs(builder, ids, builder.shape(x)[dim]);
  if (!runs) return std::nullopt;
  std::vector<CoreId> pieces;
  for (const RowRun& run : *runs)
    pieces.push_back(builder.slice(x, dim, run.start, run.step, run.count));
  Shape shape = builder.shape(x);
  const Shape in_place = builder.shape(ids);
  const auto at = shape.erase(shape.begin() + dim);
  shape.insert(at, in_place.begin(), in_place.end());
  return builder.reshape(builder.cat(pieces, dim), shape);
}

std::optional<CoreId> added_rows(Builder& builder, CoreId gradient, CoreId ids, Int rows) {
  const auto runs = row_runs(builder, ids, rows);
  if (!runs) return std::nullopt;
  const Shape& shape = builder.shape(gradient);
  Shape flat(shape.begin() + builder.rank(ids), shape.end());
  flat.insert(flat.begin(), element_count(builder.shape(ids)));
  const CoreId values = builder.reshape(gradient, flat);
  std::vector<std::pair<RowRun, std::vector<CoreId>>> sums;  // of what is added to the same rows
  Int from = 0;
  for (const RowRun& run : *runs) {
    if (run.count > 1 && run.step > 1) return std::nullopt;
    const CoreId added = builder.slice(values, 0, from, 1, run.count);
    from += run.count;
    const auto same = std::ranges::find(sums, run, [](const auto& sum) { return sum.first; });
    if (same == sums.end())
      sums.push_back({run, {added}});
    else
      same->second.push_back(added);
  }
  std::vector<CoreId> terms;
  for (const auto& [run, added] : sums) {
    const auto zeros = [&](Int count, std::vector<CoreId>& pieces) {
      if (count == 0) return;
      flat[0] = count;
      pieces.push_back(builder.constant(Rational(0), builder.dtype(gradient), flat));
    };
    std::vector<CoreId> pieces;
    zeros(run.start, pieces);
    pieces.push_back(builder.linear(added, std::vector<Rational>(added.size(), Rational(1))));
    zeros(rows - run.start - run.count, pieces);
    terms.push_back(builder.cat(pieces, 0));
  }
  return builder.linear(terms, std::vector<Rational>(terms.size(), Rational(1)));
}

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
