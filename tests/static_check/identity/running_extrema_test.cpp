// Proof by evaluation of running extrema, of sorted rows as wholes and of what stands in their
// middle.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kRowsOfRuns = 2, kElementsOfRuns = 5;
const FormulaInput kRow{"x", {kRowsOfRuns, kElementsOfRuns}};
const FormulaInput kIntegerRow{"x", {kRowsOfRuns, kElementsOfRuns}, DType::kInt64};

/// Named in turn, of shapes of their own.
class Rows {
 public:
  explicit Rows(GraphBuilder& graph, DType dtype = DType::kFloat32, std::string prefix = "p")
      : graph_(graph), dtype_(dtype), prefix_(std::move(prefix)) {}

  TensorRef operator()(const std::string& op, std::vector<Argument> arguments, Shape shape) {
    return call(op, std::move(arguments), std::move(shape), dtype_);
  }
  TensorRef integers(const std::string& op, std::vector<Argument> arguments, Shape shape) {
    return call(op, std::move(arguments), std::move(shape), DType::kInt64);
  }
  /// Along the last dimension: values and places.
  std::vector<TensorRef> pair(const std::string& op, std::vector<Argument> arguments,
                              int64_t columns = kElementsOfRuns) {
    return graph_.call_many(
        prefix_ + std::to_string(count_++), "aten." + op, std::move(arguments),
        {{{kRowsOfRuns, columns}, dtype_}, {{kRowsOfRuns, columns}, DType::kInt64}});
  }
  std::vector<TensorRef> running(const std::string& op, TensorRef x,
                                 int64_t columns = kElementsOfRuns) {
    return pair(op, {x, 1}, columns);
  }
  TensorRef columns(TensorRef x, int64_t begin, int64_t end) {
    return (*this)("slice.Tensor", {x, 1, begin, end}, {kRowsOfRuns, end - begin});
  }
  TensorRef sum(TensorRef x) { return (*this)("sum.dim_IntList", {x, {1}}, {kRowsOfRuns}); }

 private:
  TensorRef call(const std::string& op, std::vector<Argument> arguments, Shape shape, DType dtype) {
    return graph_.call(prefix_ + std::to_string(count_++), "aten." + op, std::move(arguments),
                       std::move(shape), dtype);
  }

  GraphBuilder& graph_;
  DType dtype_;
  std::string prefix_;
  int count_ = 0;
};

Formula running(const std::string& op, DType dtype = DType::kFloat32) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    return Rows(graph, dtype).running(op, x)[0];
  };
}

/// Column by column the extremum of those up to it; `last`: of the last column, up to which.
Formula of_prefixes(const std::string& op, int64_t last, DType dtype = DType::kFloat32) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph, dtype);
    std::vector<Argument> columns;
    for (int64_t end = 1; end <= kElementsOfRuns; ++end) {
      const TensorRef part = rows.columns(x, 0, end == kElementsOfRuns ? last : end);
      columns.emplace_back(rows(op, {part, {1}}, {kRowsOfRuns}));
    }
    return rows("stack.default", {columns, 1}, {kRowsOfRuns, kElementsOfRuns});
  };
}

TEST(RunningExtrema, AreThoseOfPrefixes) {
  for (const auto& [all, each] :
       {std::pair{"cummax.default", "amax.default"}, std::pair{"cummin.default", "amin.default"}}) {
    EXPECT_TRUE(proves(formulas(running(all), of_prefixes(each, 5), kRow)));
    EXPECT_FALSE(proves(formulas(running(all), of_prefixes(each, 4), kRow)));
    EXPECT_TRUE(proves(
        formulas(running(all, DType::kInt64), of_prefixes(each, 5, DType::kInt64), kIntegerRow)));
    EXPECT_FALSE(proves(
        formulas(running(all, DType::kInt64), of_prefixes(each, 4, DType::kInt64), kIntegerRow)));
  }
  EXPECT_FALSE(proves(formulas(running("cummax.default"), of_prefixes("amin.default", 5), kRow)));
}

/// In two parts, of which the second goes on from the greatest of the first; `place`: or from the
/// first one's element there.
Formula in_parts(int64_t place) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    const TensorRef first = rows.running("cummax.default", rows.columns(x, 0, 2), 2)[0];
    const TensorRef second = rows.running("cummax.default", rows.columns(x, 2, 5), 3)[0];
    const TensorRef before = rows.columns(first, place, place + 1);
    const TensorRef rest = rows("maximum.default", {second, before}, {kRowsOfRuns, 3});
    return rows("cat.default", {{first, rest}, 1}, {kRowsOfRuns, kElementsOfRuns});
  };
}

TEST(RunningExtrema, GoOnFromThoseOfTheFirstPart) {
  EXPECT_TRUE(proves(formulas(running("cummax.default"), in_parts(1), kRow)));
  EXPECT_FALSE(proves(formulas(running("cummax.default"), in_parts(0), kRow)));
}

Formula turned(const std::string& op, bool twice) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    const TensorRef negative = rows("neg.default", {x}, {kRowsOfRuns, kElementsOfRuns});
    TensorRef found = rows.running(op, negative)[0];
    if (twice) found = rows.running(op, found)[0];
    return rows("neg.default", {found}, {kRowsOfRuns, kElementsOfRuns});
  };
}

TEST(RunningExtrema, OfNegativesAreTheOthersAndOfThemselvesThemselves) {
  EXPECT_TRUE(proves(formulas(running("cummin.default"), turned("cummax.default", false), kRow)));
  EXPECT_TRUE(proves(formulas(running("cummin.default"), turned("cummax.default", true), kRow)));
  EXPECT_FALSE(proves(formulas(running("cummin.default"), turned("cummin.default", false), kRow)));
}

/// What stands at the places of the running extremum, or at those of another one.
Formula at_places(const std::string& op) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    const TensorRef places = rows.running(op, x)[1];
    return rows("gather.default", {x, 1, places}, {kRowsOfRuns, kElementsOfRuns});
  };
}

TEST(RunningExtrema, StandAtTheirPlaces) {
  EXPECT_TRUE(proves(formulas(running("cummax.default"), at_places("cummax.default"), kRow)));
  EXPECT_TRUE(proves(formulas(running("cummin.default"), at_places("cummin.default"), kRow)));
  EXPECT_FALSE(proves(formulas(running("cummax.default"), at_places("cummin.default"), kRow)));
}

/// Where the greatest of all is: the last of equal ones, by running extrema; or the first.
Formula place_of_greatest(bool running) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    if (!running) return rows.integers("argmax.default", {x, 1}, {kRowsOfRuns});
    const TensorRef places = rows.running("cummax.default", x)[1];
    return rows.integers("select.int", {places, 1, kElementsOfRuns - 1}, {kRowsOfRuns});
  };
}

/// The same by the first in the turned row.
TensorRef last_of_equal(GraphBuilder& graph, TensorRef x, TensorRef) {
  Rows rows(graph);
  const TensorRef back = rows("flip.default", {x, {1}}, {kRowsOfRuns, kElementsOfRuns});
  const TensorRef place = rows.integers("argmax.default", {back, 1}, {kRowsOfRuns});
  return rows.integers("rsub.Scalar", {place, kElementsOfRuns - 1}, {kRowsOfRuns});
}

TEST(RunningExtrema, OfEqualNumbersTheLastIsMeant) {
  EXPECT_TRUE(proves(formulas(place_of_greatest(true), last_of_equal, kRow)));
  EXPECT_FALSE(proves(formulas(place_of_greatest(true), place_of_greatest(false), kRow)));
}

Formula middle(const std::string& op) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    return graph.call("middle", "aten." + op, {x}, {});
  };
}

Formula in_order(int64_t count, int64_t place, bool descending = false) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    const auto sorted = graph.call_many("sorted", "aten.sort.default", {x, -1, descending},
                                        {{{count}}, {{count}, DType::kInt64}});
    return graph.call("at", "aten.select.int", {sorted[0], 0, place}, {});
  };
}

TEST(SortedRows, TheMedianIsInTheMiddleAndOfTwoTheLesser) {
  for (const int64_t count : {2, 3, 4, 5}) {
    const FormulaInput row{"x", {count}};
    const int64_t place = (count - 1) / 2;
    EXPECT_TRUE(proves(formulas(middle("median.default"), in_order(count, place), row)));
    EXPECT_FALSE(proves(formulas(middle("median.default"), in_order(count, place + 1), row)));
    EXPECT_TRUE(
        proves(formulas(middle("median.default"), in_order(count, count - 1 - place, true), row)));
  }
}

TensorRef sum(GraphBuilder& graph, TensorRef x, TensorRef) { return Rows(graph).sum(x); }

Formula sum_of_sorted(bool descending, int64_t leave_out = 0) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    const TensorRef sorted = rows.pair("sort.default", {x, 1, descending})[0];
    return rows.sum(leave_out == 0 ? sorted : rows.columns(sorted, 0, kElementsOfRuns - leave_out));
  };
}

TEST(SortedRows, AddUpToTheRow) {
  for (const bool descending : {false, true}) {
    EXPECT_TRUE(proves(formulas(sum, sum_of_sorted(descending), kRow)));
    EXPECT_FALSE(proves(formulas(sum, sum_of_sorted(descending, 1), kRow)));
  }
}

/// The sum of the `count` greatest: of themselves, or of the row less the others.
Formula sum_of_greatest(int64_t count) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    return rows.sum(rows.pair("topk.default", {x, count}, count)[0]);
  };
}
Formula without_least(int64_t count) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    Rows rows(graph);
    const TensorRef sorted = rows.pair("sort.default", {x, 1, false})[0];
    const TensorRef least = rows.sum(rows.columns(sorted, 0, count));
    return rows("sub.Tensor", {rows.sum(x), least}, {kRowsOfRuns});
  };
}

TEST(SortedRows, TheGreatestAreTheRowWithoutTheLeast) {
  for (const int64_t count : {1, 2, 3, 4}) {
    EXPECT_TRUE(
        proves(formulas(sum_of_greatest(count), without_least(kElementsOfRuns - count), kRow)));
    EXPECT_FALSE(proves(
        formulas(sum_of_greatest(count), without_least(count == 1 ? 1 : 5 - count + 1), kRow)));
  }
}

/// Another row, in the order of the first, put back to where it was; `turned`: from the other end.
Formula there_and_back(bool turned, DType keys = DType::kFloat32) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Rows rows(graph);
    const TensorRef order = Rows(graph, keys, "keys").pair("sort.default", {x, 1, false})[1];
    TensorRef moved = rows("gather.default", {y, 1, order}, {kRowsOfRuns, kElementsOfRuns});
    if (turned) moved = rows("flip.default", {moved, {1}}, {kRowsOfRuns, kElementsOfRuns});
    const TensorRef zeros = rows("zeros_like.default", {y}, {kRowsOfRuns, kElementsOfRuns});
    return rows("scatter_add.default", {zeros, 1, order, moved}, {kRowsOfRuns, kElementsOfRuns});
  };
}

/// The same by the order of that order; `again`: by the order itself, once more.
Formula by_inverse(bool again) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Rows rows(graph);
    const TensorRef order = rows.pair("sort.default", {x, 1, false})[1];
    const TensorRef moved = rows("gather.default", {y, 1, order}, {kRowsOfRuns, kElementsOfRuns});
    const auto sorted = graph.call_many("inverse", "aten.sort.default", {order, 1, false},
                                        {{{kRowsOfRuns, kElementsOfRuns}, DType::kInt64},
                                         {{kRowsOfRuns, kElementsOfRuns}, DType::kInt64}});
    return rows("gather.default", {moved, 1, again ? order : sorted[1]},
                {kRowsOfRuns, kElementsOfRuns});
  };
}

TensorRef second(GraphBuilder& graph, TensorRef, TensorRef y) {
  return Rows(graph)("mul.Tensor", {y, 1}, {kRowsOfRuns, kElementsOfRuns});
}

TEST(SortedRows, WhatIsPutBackInItsOrderIsTheRow) {
  const FormulaInput other{"y", {kRowsOfRuns, kElementsOfRuns}};
  EXPECT_TRUE(proves(formulas(second, there_and_back(false), kRow, other)));
  EXPECT_FALSE(proves(formulas(second, there_and_back(true), kRow, other)));
  const DType integers = DType::kInt64;
  EXPECT_TRUE(proves(formulas(second, there_and_back(false, integers), kIntegerRow, other)));
  EXPECT_FALSE(proves(formulas(second, there_and_back(true, integers), kIntegerRow, other)));
  EXPECT_TRUE(proves(formulas(second, by_inverse(false), kRow, other)));
  EXPECT_FALSE(proves(formulas(second, by_inverse(true), kRow, other)));
}

}  // namespace
}  // namespace assay::test
