// A collective goes on until it is waited for: what it fills is not read and what it sends is not
// written before. Everything else may go on beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

TensorRef all_reduce(GraphBuilder& g, TensorRef x) {
  return g.call("reduced", "_c10d_functional.all_reduce.default", {x, "sum", "tp"}, g.shape(x));
}
TensorRef all_gather(GraphBuilder& g, TensorRef x) {
  return g.call("gathered", "_c10d_functional.all_gather_into_tensor.default", {x, 2, "tp"},
                {8, 4});
}
TensorRef wait(GraphBuilder& g, TensorRef x) {
  return g.call("waited", "_c10d_functional.wait_tensor.default", {x}, g.shape(x));
}
TensorRef twice(GraphBuilder& g, TensorRef x) {
  return g.call("twice", "aten.mul.Tensor", {x, 2}, g.shape(x));
}

/// What a rank does with its input x [4, 4], and what it should be of the sequential x.
struct Flight {
  const char* name;
  std::function<TensorRef(GraphBuilder&, TensorRef)> rank, sequential;
  const char* refusal = "";
};

StaticReport flight_report(const Flight& flight) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  s.output(relu(s, flight.sequential(s, s.input("x", {4, 4}))));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    g.output(relu(g, flight.rank(g, g.input("x", {4, 4}))));
  }
  c.replicate("x");
  c.expect("y", {"y@0", "y@1"});
  return prove(c.build()).report;
}

const Flight kRight[] = {
    {"WaitedForFirst", [](GraphBuilder& g, TensorRef x) { return wait(g, all_reduce(g, x)); },
     twice},
    {"ViewsMoveNoData",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef reduced = all_reduce(g, x), view = rows(g, "view", reduced, 0, 4);
       wait(g, reduced);
       return view;
     },
     twice},
    {"AllReduceHasCopiedItsOperand",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef reduced = all_reduce(g, x);
       add_one(g, x);
       return wait(g, reduced);
     },
     twice},
    {"AnotherPieceOfABucketIsWritten",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef bucket = g.call("bucket", "aten.clone.default", {x}, {4, 4});
       const TensorRef top = rows(g, "top", bucket, 0, 2), bottom = rows(g, "bottom", bucket, 2, 4);
       in_place(g, "_c10d_functional.all_reduce_.default", {top, "sum", "tp"}, top);
       in_place(g, "aten.mul_.Tensor", {bottom, 2}, bottom);
       wait(g, top);
       return bucket;
     },
     twice},
    {"WhatIsGatheredIsReadBeside",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef gathered = all_gather(g, x), more = twice(g, x);
       wait(g, gathered);
       return more;
     },
     twice},
};

const Flight kEarly[] = {
    {"ItsResultIsRead",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef reduced = all_reduce(g, x), more = twice(g, reduced);
       wait(g, reduced);
       return more;
     },
     twice, "reads 'reduced' while node 'reduced'"},
    {"TheWrittenOperandIsReadByAnotherView",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef view = rows(g, "view", x, 0, 4);
       in_place(g, "_c10d_functional.all_reduce_.default", {x, "sum", "tp"}, x);
       const TensorRef copy = g.call("copy", "aten.clone.default", {view}, {4, 4});
       wait(g, x);
       return copy;
     },
     twice, "reads 'view'"},
    {"ItsResultIsWritten",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef reduced = all_reduce(g, x);
       add_one(g, reduced);
       return wait(g, reduced);
     },
     twice, "writes 'reduced'"},
    {"WhatItGathersIsWritten",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef gathered = all_gather(g, x);
       add_one(g, x);
       return wait(g, gathered);
     },
     [](GraphBuilder& g, TensorRef x) { return cat(g, {x, x}, {8, 4}); },
     "writes 'x' while node 'gathered' (_c10d_functional.all_gather_into_tensor.default) may still "
     "read it"},
    {"AnOverlappingPieceIsRead",
     [](GraphBuilder& g, TensorRef x) {
       const TensorRef top = rows(g, "top", x, 0, 3), bottom = rows(g, "bottom", x, 2, 4);
       in_place(g, "_c10d_functional.all_reduce_.default", {top, "sum", "tp"}, top);
       const TensorRef copy = g.call("copy", "aten.clone.default", {bottom}, {2, 4});
       wait(g, top);
       return cat(g, {rows(g, "a", x, 0, 2), copy});
     },
     twice, "reads 'bottom'"},
};

std::string flight_name(const testing::TestParamInfo<Flight>& info) { return info.param.name; }

class RightFlights : public testing::TestWithParam<Flight> {};
TEST_P(RightFlights, AreProved) { EXPECT_EQ(flight_report(GetParam()).verdict, Verdict::kProved); }
INSTANTIATE_TEST_SUITE_P(All, RightFlights, testing::ValuesIn(kRight), flight_name);

class EarlyUses : public testing::TestWithParam<Flight> {};
TEST_P(EarlyUses, AreRefusedWithBothNodes) {
  try {
    flight_report(GetParam());
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.message(), testing::HasSubstr(GetParam().refusal));
    EXPECT_THAT(error.message(), testing::HasSubstr("waits for that only later"));
  }
}
INSTANTIATE_TEST_SUITE_P(All, EarlyUses, testing::ValuesIn(kEarly), flight_name);

TEST(NobodyWaits, IsAnAssumption) {
  const StaticReport report = flight_report({"", all_reduce, twice});
  EXPECT_EQ(report.verdict, Verdict::kProved);
  EXPECT_THAT(report.assumptions,
              testing::Contains(testing::HasSubstr("the program never waits for it")));
}

}  // namespace
}  // namespace assay::test
