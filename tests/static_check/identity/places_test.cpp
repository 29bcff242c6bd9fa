// Proof by evaluation of what is done to the first ones of a sorted row where they stand: routers
// and samplers that hide all others, or put back what they computed of these alone.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int64_t kSortedRows = 2, kSortedColumns = 6;
const Shape kSorted = {kSortedRows, kSortedColumns};

/// Of rows of numbers.
class SortedCalls {
 public:
  explicit SortedCalls(GraphBuilder& graph) : graph_(graph) {}

  TensorRef operator()(const std::string& op, std::vector<Argument> arguments,
                       Shape shape = kSorted, DType dtype = DType::kFloat32) {
    return graph_.call("m" + std::to_string(count_++), "aten." + op, std::move(arguments),
                       std::move(shape), dtype);
  }
  /// Values and places.
  std::vector<TensorRef> topk(TensorRef x, int64_t count) {
    return graph_.call_many("m" + std::to_string(count_++), "aten.topk.default", {x, count},
                            {{{kSortedRows, count}}, {{kSortedRows, count}, DType::kInt64}});
  }
  TensorRef softmax(TensorRef x, int64_t columns = kSortedColumns) {
    return (*this)("_softmax.default", {x, -1, false}, {kSortedRows, columns});
  }
  /// The numbers at these places, and this one elsewhere.
  TensorRef put(TensorRef x, double elsewhere, TensorRef places, TensorRef numbers) {
    return (*this)("scatter.src",
                   {(*this)("full_like.default", {x, elsewhere}), 1, places, numbers});
  }

 private:
  GraphBuilder& graph_;
  int count_ = 0;
};

/// Where all but the first ones are minus infinity.
Formula softmax_of_shown(int64_t count) {
  return [count](GraphBuilder& graph, TensorRef x, TensorRef) {
    SortedCalls rows(graph);
    const auto top = rows.topk(x, count);
    return rows.softmax(rows.put(x, -INFINITY, top[1], top[0]));
  };
}

/// Of the first ones, put back.
Formula softmax_put_back(int64_t count) {
  return [count](GraphBuilder& graph, TensorRef x, TensorRef) {
    SortedCalls rows(graph);
    const auto top = rows.topk(x, count);
    return rows.put(x, 0, top[1], rows.softmax(top[0], count));
  };
}

bool equal_rows(const Formula& a, const Formula& b) {
  return proves(formulas(a, b, {"x", kSorted}, {"y", kSorted}));
}

TEST(Places, ASoftmaxOfWhatIsShownIsPutBack) {
  EXPECT_TRUE(equal_rows(softmax_of_shown(2), softmax_put_back(2)));
  EXPECT_TRUE(equal_rows(softmax_of_shown(3), softmax_put_back(3)));
  EXPECT_FALSE(equal_rows(softmax_of_shown(2), softmax_put_back(3)));
  EXPECT_FALSE(equal_rows(softmax_of_shown(3), softmax_put_back(2)));
}

/// The greatest of the first ones, of these where they are shown, or of the others.
Formula greatest(int64_t count, bool shown) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    SortedCalls rows(graph);
    const auto top = rows.topk(x, count);
    const TensorRef of = shown ? rows.put(x, -INFINITY, top[1], top[0]) : top[0];
    return rows("amax.default", {of, std::vector<Argument>{1}}, {kSortedRows});
  };
}

Formula greatest_of_others(int64_t count) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    SortedCalls rows(graph);
    const auto top = rows.topk(x, count);
    const TensorRef none = rows("full_like.default", {top[0], -INFINITY}, {kSortedRows, count});
    const TensorRef others = rows("scatter.src", {x, 1, top[1], none});
    return rows("amax.default", {others, std::vector<Argument>{1}}, {kSortedRows});
  };
}

Formula at_place(int64_t place) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    SortedCalls rows(graph);
    const auto top = rows.topk(x, place + 1);
    return rows("select.int", {top[0], 1, place}, {kSortedRows});
  };
}

TEST(Places, TheGreatestStandsAtTheFirst) {
  EXPECT_TRUE(equal_rows(greatest(3, false), at_place(0)));
  EXPECT_TRUE(equal_rows(greatest(3, true), at_place(0)));
  EXPECT_TRUE(equal_rows(greatest_of_others(2), at_place(2)));
  EXPECT_FALSE(equal_rows(greatest_of_others(2), at_place(1)));
  EXPECT_FALSE(equal_rows(greatest(3, true), at_place(1)));
}

}  // namespace
}  // namespace assay::test
