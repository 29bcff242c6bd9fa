// Writes at integer indices: one that the indices name twice has no value that PyTorch determines,
// unless all that is written is the same; what is added to flags is "or". Each wrong program has a
// right twin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// A program of x [2, 3], w [2, 3] and indices [2, 3] into the columns.
using Program = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef w, TensorRef ids)>;

StaticReport report(DType dtype, const Program& sequential, const Program& rank,
                    const std::vector<Argument>& constant = {}) {
  CaseBuilder c(1);
  for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
    const TensorRef x = g->input("x", {2, 3}, dtype), w = g->input("w", {2, 3}, dtype);
    const TensorRef given = g->input("ids", {2, 3}, DType::kInt64);
    const TensorRef ids = constant.empty() ? given
                                           : g->call("fixed", "assay.constant",
                                                     {Argument(constant)}, {2, 3}, DType::kInt64);
    g->output((g == &c.sequential() ? sequential : rank)(*g, x, w, ids));
  }
  for (const char* name : {"x", "w", "ids"}) c.replicate(name);
  return static_check(c.build(), OperatorTable::builtin()).report;
}

Program scatter(const char* op, DType dtype, bool of_w = true) {
  return [=](GraphBuilder& g, TensorRef x, TensorRef w, TensorRef ids) {
    return g.call("y", op, {x, 1, ids, of_w ? Argument(w) : Argument(2)}, {2, 3}, dtype);
  };
}

std::vector<Argument> rows(const std::vector<std::vector<int64_t>>& numbers) {
  std::vector<Argument> result;
  for (const std::vector<int64_t>& row : numbers)
    result.emplace_back(std::vector<Argument>(row.begin(), row.end()));
  return result;
}

TEST(Scatter, ConstantIndicesOfSeveralDimensionsAreHeldAgainstWhatItAssumes) {
  const Program program = scatter("aten.scatter.src", DType::kFloat32);
  const auto of = [&](const std::vector<Argument>& ids) {
    return report(DType::kFloat32, program, program, ids);
  };
  const StaticReport once = of(rows({{0, 1, 2}, {1, 2, 0}}));
  EXPECT_EQ(once.verdict, Verdict::kProved);
  EXPECT_THAT(once.assumptions, Not(Contains(HasSubstr("twice"))));
  EXPECT_THAT(of(rows({{0, 1, 2}, {1, 1, 0}})).assumptions,
              Contains(HasSubstr("it writes an element twice")));
  const StaticReport unknown = of({});
  EXPECT_EQ(unknown.verdict, Verdict::kProved);
  EXPECT_THAT(unknown.assumptions, Contains("scatter writes no element twice"));
}

// Which one stays does not matter.
TEST(Scatter, OfOneValueMayWriteAnElementTwice) {
  const Program program = scatter("aten.scatter.value", DType::kFloat32, false);
  const StaticReport same = report(DType::kFloat32, program, program, rows({{0, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(same.verdict, Verdict::kProved);
  EXPECT_THAT(same.assumptions, Not(Contains(HasSubstr("twice"))));
  const Program added = [](GraphBuilder& g, TensorRef x, TensorRef, TensorRef ids) {
    const TensorRef two = g.call("two", "aten.full_like.default", {x, 2}, {2, 3});
    return g.call("y", "aten.scatter_add.default", {x, 1, ids, two}, {2, 3});
  };
  EXPECT_NE(report(DType::kFloat32, program, added).verdict, Verdict::kProved);
}

TEST(Scatter, OfOneValueAlongADimensionMayWriteItTwice) {
  const auto filled = [](int64_t value) -> Program {
    return [=](GraphBuilder& g, TensorRef x, TensorRef, TensorRef) {
      const TensorRef ids = g.call("columns", "assay.constant",
                                   {Argument(std::vector<Argument>{1, 1})}, {2}, DType::kInt64);
      return g.call("y", "aten.index_fill.int_Scalar", {x, 1, ids, value}, {2, 3});
    };
  };
  EXPECT_EQ(report(DType::kFloat32, filled(2), filled(2)).verdict, Verdict::kProved);
  EXPECT_NE(report(DType::kFloat32, filled(2), filled(4)).verdict, Verdict::kProved);
}

TEST(Scatter, FlagsThatAreAddedAreOr) {
  const auto number = [](int64_t factor, bool of_numbers) -> Program {
    return [=](GraphBuilder& g, TensorRef x, TensorRef w, TensorRef ids) {
      const auto as = [&](const char* name, TensorRef flags) {
        return g.call(name, "aten._to_copy.default", {flags, DType::kInt64}, {2, 3}, DType::kInt64);
      };
      const DType dtype = of_numbers ? DType::kInt64 : DType::kBool;
      if (of_numbers) x = as("xs", x), w = as("ws", w);
      const TensorRef sum =
          g.call("sum", "aten.scatter_add.default", {x, 1, ids, w}, {2, 3}, dtype);
      const TensorRef counted = of_numbers ? sum : as("counted", sum);
      return g.call("y", "aten.mul.Tensor", {counted, factor}, {2, 3}, DType::kInt64);
    };
  };
  EXPECT_EQ(report(DType::kBool, number(2, false), number(2, false)).verdict, Verdict::kProved);
  EXPECT_NE(report(DType::kBool, number(1, false), number(1, true)).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace assay::test
