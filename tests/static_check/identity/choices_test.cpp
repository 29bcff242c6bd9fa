// Proof by evaluation of what chooses by the order of a row: the greatest of parts is that of the
// whole, its place too, and equal numbers are told apart as the programs do.
#include <gtest/gtest.h>

#include <string>

#include "tests/static_check/formula_terms.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

/// Named in turn, of shapes of their own.
class ShapedCalls {
 public:
  explicit ShapedCalls(GraphBuilder& graph) : graph_(graph) {}

  TensorRef operator()(const std::string& op, std::vector<Argument> arguments, Shape shape,
                       DType dtype = DType::kFloat32) {
    return graph_.call("m" + std::to_string(count_++), "aten." + op, std::move(arguments),
                       std::move(shape), dtype);
  }
  TensorRef integers(const std::string& op, std::vector<Argument> arguments, Shape shape) {
    return (*this)(op, std::move(arguments), std::move(shape), DType::kInt64);
  }
  TensorRef flags(const std::string& op, std::vector<Argument> arguments, Shape shape) {
    return (*this)(op, std::move(arguments), std::move(shape), DType::kBool);
  }
  /// Of the last dimension: values and places.
  std::vector<TensorRef> topk(TensorRef x, int64_t count, int64_t rows = 4) {
    return graph_.call_many("m" + std::to_string(count_++), "aten.topk.default", {x, count},
                            {{{rows, count}}, {{rows, count}, DType::kInt64}});
  }

 private:
  GraphBuilder& graph_;
  int count_ = 0;
};

TensorRef argmax(GraphBuilder& graph, TensorRef x, TensorRef) {
  return ShapedCalls(graph).integers("argmax.default", {x, -1}, {4});
}

/// The greatest of columns 3 * half .. 3 * half + 2, and its place among all.
struct Half {
  TensorRef greatest, place;
};

Half half(ShapedCalls& program, TensorRef x, int64_t half, int64_t offset) {
  const TensorRef part = program("slice.Tensor", {x, 1, 3 * half, 3 * half + 3}, {4, 3});
  const TensorRef place = program.integers("argmax.default", {part, -1}, {4});
  return {program("amax.default", {part, {-1}}, {4}),
          program.integers("add.Scalar", {place, offset}, {4})};
}

/// The place in the half that has the greatest of both: the first of `order` where they are equal.
Formula argmax_of_maxima(int64_t first, int64_t second, int64_t offset = 3) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls program(graph);
    const Half halves[] = {half(program, x, 0, 0), half(program, x, 1, offset)};
    const TensorRef maxima =
        program("stack.default", {{halves[first].greatest, halves[second].greatest}}, {2, 4});
    const TensorRef places =
        program.integers("stack.default", {{halves[first].place, halves[second].place}}, {2, 4});
    const TensorRef which = program.integers("argmax.default", {maxima, 0, true}, {1, 4});
    const TensorRef chosen = program.integers("gather.default", {places, 0, which}, {1, 4});
    return program.integers("select.int", {chosen, 0, 0}, {4});
  };
}

TEST(Choices, ThePlaceOfTheGreatestIsThatOfTheGreatestOfParts) {
  EXPECT_TRUE(proves(formulas(argmax, argmax_of_maxima(0, 1))));
  EXPECT_FALSE(proves(formulas(argmax, argmax_of_maxima(0, 1, 4))));
}

TEST(Choices, OfEqualNumbersTheFirstIsMeant) {
  EXPECT_FALSE(proves(formulas(argmax, argmax_of_maxima(1, 0))));
}

/// The one place where the first half is greater, or `op` says so, and else the other.
Formula argmax_by_comparison(const std::string& op) {
  return [op](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls program(graph);
    const Half first = half(program, x, 0, 0), second = half(program, x, 1, 3);
    const TensorRef flag = program.flags(op, {first.greatest, second.greatest}, {4});
    return program.integers("where.self", {flag, first.place, second.place}, {4});
  };
}

TEST(Choices, MaximaAreComparedByWhereTheGreatestOfAllIs) {
  EXPECT_TRUE(proves(formulas(argmax, argmax_by_comparison("ge.Tensor"))));
  EXPECT_FALSE(proves(formulas(argmax, argmax_by_comparison("gt.Tensor"))));
  EXPECT_FALSE(proves(formulas(argmax, argmax_by_comparison("le.Tensor"))));
}

/// Of halves that have the greatest of all the `extremum` of their places, and `beside` elsewhere.
Formula argmax_by_equality(const std::string& extremum, int64_t beside) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls program(graph);
    const Half halves[] = {half(program, x, 0, 0), half(program, x, 1, 3)};
    const TensorRef greatest =
        program("maximum.default", {halves[0].greatest, halves[1].greatest}, {4});
    std::vector<TensorRef> places;
    for (const auto& [own, place] : halves) {
      const TensorRef flag = program.flags("eq.Tensor", {own, greatest}, {4});
      const TensorRef other = program.integers("full_like.default", {place, beside}, {4});
      places.push_back(program.integers("where.self", {flag, place, other}, {4}));
    }
    return program.integers(extremum, {places[0], places[1]}, {4});
  };
}

TEST(Choices, WhereBothHalvesHaveTheGreatestTheLeastPlaceIsTheFirst) {
  EXPECT_TRUE(proves(formulas(argmax, argmax_by_equality("minimum.default", 6))));
  EXPECT_FALSE(proves(formulas(argmax, argmax_by_equality("maximum.default", -1))));
  EXPECT_FALSE(proves(formulas(argmax, argmax_by_equality("minimum.default", 2))));
}

/// The place of the greater one of two, as a number: of x and y, or of y and x.
Formula greater_place(bool turned) {
  return [turned](GraphBuilder& graph, TensorRef x, TensorRef y) {
    ShapedCalls calls(graph);
    const TensorRef both = calls("stack.default", {{turned ? y : x, turned ? x : y}}, {2, 4, 6});
    const TensorRef place = calls.integers("argmax.default", {both, 0}, {4, 6});
    return turned ? calls.integers("rsub.Scalar", {place, 1}, {4, 6}) : place;
  };
}

TEST(Choices, OfTwoEqualNumbersTheFirstIsMeant) {
  EXPECT_TRUE(proves(formulas(greater_place(false), greater_place(false))));
  EXPECT_FALSE(proves(formulas(greater_place(false), greater_place(true))));
}

/// Whether the greatest of the first half is beyond that of the second.
Formula first_half_leads(const std::string& op) {
  return [op](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls calls(graph);
    const Half first = half(calls, x, 0, 0), second = half(calls, x, 1, 3);
    return calls.flags(op, {first.greatest, second.greatest}, {4});
  };
}

TEST(Choices, ComparisonsOfMaximaDifferWhereTheyAreEqual) {
  EXPECT_TRUE(proves(formulas(first_half_leads("ge.Tensor"), first_half_leads("ge.Tensor"))));
  EXPECT_FALSE(proves(formulas(first_half_leads("ge.Tensor"), first_half_leads("gt.Tensor"))));
}

TensorRef at_greatest(GraphBuilder& graph, TensorRef x, TensorRef) {
  ShapedCalls program(graph);
  const TensorRef place = program.integers("argmax.default", {x, -1, true}, {4, 1});
  return program("gather.default", {x, 1, place}, {4, 1});
}

Formula extreme(const std::string& op) {
  return [op](GraphBuilder& graph, TensorRef x, TensorRef) {
    return ShapedCalls(graph)(op, {x, {-1}, true}, {4, 1});
  };
}

TEST(Choices, WhatStandsWhereTheGreatestIsIsTheGreatest) {
  EXPECT_TRUE(proves(formulas(at_greatest, extreme("amax.default"))));
  EXPECT_FALSE(proves(formulas(at_greatest, extreme("amin.default"))));
}

/// Each of the greatest numbers where it was, 0 elsewhere; `turned`: in each other's places.
Formula greatest_scattered(int64_t count, bool turned) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls program(graph);
    const auto top = program.topk(x, count);
    const TensorRef zeros = program("zeros_like.default", {x}, {4, 6});
    const TensorRef values = turned ? program("flip.default", {top[0], {1}}, {4, count}) : top[0];
    return program("scatter.src", {zeros, 1, top[1], values}, {4, 6});
  };
}

Formula greatest_masked(int64_t count) {
  return [count](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls program(graph);
    const auto top = program.topk(x, count);
    const TensorRef rows = program.integers("one_hot.default", {top[1], 6}, {4, count, 6});
    const TensorRef mask = program.integers("sum.dim_IntList", {rows, {1}}, {4, 6});
    return program("mul.Tensor", {x, mask}, {4, 6});
  };
}

TEST(Choices, WhatIsScatteredFromTheTopIsMaskedByIt) {
  for (const int64_t count : {1, 2, 3}) {
    EXPECT_TRUE(proves(formulas(greatest_scattered(count, false), greatest_masked(count))));
    EXPECT_FALSE(proves(formulas(greatest_scattered(count, false), greatest_masked(count + 1))));
  }
  EXPECT_FALSE(proves(formulas(greatest_scattered(2, true), greatest_masked(2))));
}

/// The greatest probabilities of all, divided by their sum.
Formula renormalised(int64_t count, int64_t of_sum) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls calls(graph);
    const TensorRef all = calls("_softmax.default", {x, -1, false}, {4, 6});
    const TensorRef top = calls.topk(all, count)[0];
    const TensorRef summed = count == of_sum ? top : calls.topk(all, of_sum)[0];
    const TensorRef sum = calls("sum.dim_IntList", {summed, {-1}, true}, {4, 1});
    return calls("div.Tensor", {top, sum}, {4, count});
  };
}

/// The probabilities among the greatest logits.
Formula softmax_of_top(int64_t count) {
  return [count](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls calls(graph);
    return calls("_softmax.default", {calls.topk(x, count)[0], -1, false}, {4, count});
  };
}

/// The two greatest, values or places.
Formula greatest_two(bool places) {
  return [=](GraphBuilder& graph, TensorRef x, TensorRef) {
    return ShapedCalls(graph).topk(x, 2)[places ? 1 : 0];
  };
}

/// The same of what is gathered of the greatest of each half, `first` before the other one.
struct GatheredTop {
  bool places;
  int64_t of_each = 2, first = 0, offset = 3;

  TensorRef operator()(GraphBuilder& graph, TensorRef x, TensorRef) const {
    ShapedCalls program(graph);
    std::vector<TensorRef> values, where;
    for (const int64_t half : {first, 1 - first}) {
      const TensorRef part = program("slice.Tensor", {x, 1, 3 * half, 3 * half + 3}, {4, 3});
      const auto top = program.topk(part, of_each);
      values.push_back(top[0]);
      where.push_back(program.integers("add.Scalar", {top[1], half * offset}, {4, of_each}));
    }
    const TensorRef all = program("cat.default", {{values[0], values[1]}, 1}, {4, 2 * of_each});
    const auto top = program.topk(all, 2);
    if (!places) return top[0];
    const TensorRef found =
        program.integers("cat.default", {{where[0], where[1]}, 1}, {4, 2 * of_each});
    return program.integers("gather.default", {found, 1, top[1]}, {4, 2});
  }
};

TEST(Choices, TheFirstOfAllAreAmongTheFirstOfEachPart) {
  EXPECT_TRUE(proves(formulas(greatest_two(false), GatheredTop{false})));
  EXPECT_TRUE(proves(formulas(greatest_two(false), GatheredTop{false, 3, 1})));
  EXPECT_FALSE(proves(formulas(greatest_two(false), GatheredTop{false, 1})));
  EXPECT_TRUE(proves(formulas(greatest_two(true), GatheredTop{true})));
  EXPECT_TRUE(proves(formulas(greatest_two(true), GatheredTop{true, 3})));
  EXPECT_FALSE(proves(formulas(greatest_two(true), GatheredTop{true, 1})));
  EXPECT_FALSE(proves(formulas(greatest_two(true), GatheredTop{true, 2, 0, 2})));
}

TEST(Choices, OfEqualNumbersInTwoPartsTheFirstIsMeant) {
  EXPECT_FALSE(proves(formulas(greatest_two(true), GatheredTop{true, 2, 1})));
  EXPECT_FALSE(proves(formulas(greatest_two(true), GatheredTop{true, 3, 1})));
}

TEST(Choices, ExponentialsHaveTheOrderOfTheirExponents) {
  for (const int64_t count : {1, 2, 3}) {
    EXPECT_TRUE(proves(formulas(renormalised(count, count), softmax_of_top(count))));
    EXPECT_FALSE(proves(formulas(renormalised(count, count + 1), softmax_of_top(count))));
  }
}

Formula place_among_probabilities(const std::string& op) {
  return [op](GraphBuilder& graph, TensorRef x, TensorRef) {
    ShapedCalls calls(graph);
    const TensorRef all = calls("_softmax.default", {x, -1, false}, {4, 6});
    return calls.integers(op, {all, -1}, {4});
  };
}

TEST(Choices, TheMostProbableIsTheGreatestLogit) {
  EXPECT_TRUE(proves(formulas(argmax, place_among_probabilities("argmax.default"))));
  EXPECT_FALSE(proves(formulas(argmax, place_among_probabilities("argmin.default"))));
}

/// The row of a table at an index, from the half of the table in which it lies.
Formula row_of_halves(int64_t second) {
  return [second](GraphBuilder& graph, TensorRef table, TensorRef index) {
    ShapedCalls calls(graph);
    TensorRef sum{};
    for (const int64_t begin : {int64_t{0}, second}) {
      const TensorRef part = calls("slice.Tensor", {table, 0, begin, begin + 2}, {2, 6});
      const TensorRef before = calls.flags("lt.Scalar", {index, begin}, {3});
      const TensorRef behind = calls.flags("ge.Scalar", {index, begin + 2}, {3});
      const TensorRef outside = calls.flags("logical_or.default", {before, behind}, {3});
      const TensorRef local =
          calls.integers("masked_fill.Scalar",
                         {calls.integers("sub.Scalar", {index, begin}, {3}), outside, 0}, {3});
      const TensorRef rows = calls("embedding.default", {part, local}, {3, 6});
      const TensorRef squares = calls("mul.Tensor", {rows, rows}, {3, 6});
      const TensorRef mask = calls.flags("unsqueeze.default", {outside, 1}, {3, 1});
      const TensorRef own = calls("masked_fill.Scalar", {squares, mask, 0.0}, {3, 6});
      sum = begin == 0 ? own : calls("add.Tensor", {sum, own}, {3, 6});
    }
    return sum;
  };
}

TensorRef squared_row(GraphBuilder& graph, TensorRef table, TensorRef index) {
  ShapedCalls calls(graph);
  const TensorRef rows = calls("embedding.default", {table, index}, {3, 6});
  return calls("mul.Tensor", {rows, rows}, {3, 6});
}

TEST(Choices, WhatIsComputedOfAnIndexIsWhatItIsOfEachOfItsValues) {
  const FormulaInput table{"table", {4, 6}}, index{"index", {3}, DType::kInt64};
  EXPECT_TRUE(proves(formulas(squared_row, row_of_halves(2), table, index)));
  EXPECT_FALSE(proves(formulas(squared_row, row_of_halves(1), table, index)));
}

// What is taken from a row by an order, changed and put back where it was.
TEST(Choices, FunctionsOfWhatWasTakenAreTakenFromThem) {
  for (const char* function : {"relu", "tanh", "reciprocal", "sqrt"}) {
    const auto at_once = [&](Terms& t, TensorRef x, TensorRef) {
      return t.map(function, t.positive(x));
    };
    const auto in_order = [&](bool back) {
      return [&, back](Terms& t, TensorRef x, TensorRef y) {
        const TensorRef order = t.call("argsort.default", {y, -1, false}, DType::kInt64);
        const TensorRef inverse =
            back ? t.call("argsort.default", {order, -1, false}, DType::kInt64) : order;
        const TensorRef taken = t.call("gather.default", {t.positive(x), -1, order});
        return t.call("gather.default", {t.map(function, taken), -1, inverse});
      };
    };
    EXPECT_TRUE(equal(at_once, in_order(true))) << function;
    EXPECT_FALSE(equal(at_once, in_order(false))) << function;
  }
}

}  // namespace
}  // namespace assay::test
