// In-place operators: their results are those of their functional forms, and who reads the memory
// that they have changed by another name sees the change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

using RankProgram = std::function<TensorRef(GraphBuilder&, TensorRef x)>;

TensorRef relu_of(GraphBuilder& g, TensorRef x) {
  return g.call("y", "aten.relu.default", {x}, {2, 3});
}

/// The sequential program gives relu(x + x), the ranks what `program` gives of x.
Case ranks_run(const RankProgram& program) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  const TensorRef x = s.input("x", {2, 3});
  s.output(relu_of(s, s.call("sum", "aten.add.Tensor", {x, x}, {2, 3})));
  for (int r = 0; r < 2; ++r) c.rank(r).output(program(c.rank(r), c.rank(r).input("x", {2, 3})));
  c.replicate("x");
  return c.build();
}

TensorRef doubled_in_place(GraphBuilder& g, TensorRef x) {
  return g.call("sum", "aten.add_.Tensor", {x, x}, g.shape(x));
}

std::string refusal_of(const RankProgram& program) {
  try {
    prove(ranks_run(program));
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(InPlace, ResultsAreThoseOfTheFunctionalForm) {
  EXPECT_TRUE(proves(
      ranks_run([](GraphBuilder& g, TensorRef x) { return relu_of(g, doubled_in_place(g, x)); })));
  EXPECT_FALSE(proves(ranks_run([](GraphBuilder& g, TensorRef x) {
    return relu_of(g, g.call("sum", "aten.sub_.Tensor", {x, x}, {2, 3}));
  })));
}

TEST(InPlace, ChangedMemoryIsReadByItsOldName) {
  EXPECT_TRUE(proves(ranks_run([](GraphBuilder& g, TensorRef x) {
    doubled_in_place(g, x);
    return relu_of(g, x);
  })));
}

TEST(InPlace, ChangedMemoryIsReadThroughAView) {
  EXPECT_TRUE(proves(ranks_run([](GraphBuilder& g, TensorRef x) {
    doubled_in_place(g, g.call("flat", "aten.view.default", {x, {6}}, {6}));
    return relu_of(g, x);
  })));
}

TEST(InPlace, OutputsAreWhatTheirMemoryHoldsAtTheEnd) {
  const auto changed_after = [](const char* change) {
    return [change](GraphBuilder& g, TensorRef x) {
      const TensorRef sum = g.call("sum", "aten.add.Tensor", {x, x}, {2, 3});
      const TensorRef y = g.call("y", "aten.clone.default", {sum}, {2, 3});
      g.call("after", change, {y}, {2, 3});
      return y;
    };
  };
  EXPECT_TRUE(proves(ranks_run(changed_after("aten.relu_.default"))));
  EXPECT_FALSE(proves(ranks_run(changed_after("aten.neg_.default"))));
}

TEST(InPlace, AnInputThatIsChangedIsNotGivenOutByItsName) {
  EXPECT_THAT(refusal_of([](GraphBuilder& g, TensorRef x) {
                doubled_in_place(g, x);
                return x;
              }),
              HasSubstr("node 'sum' (aten.add_.Tensor): changes 'x', which the graph gives out"));
}

}  // namespace
}  // namespace assay::test
