// What is known of memory, and what is refused.
#include <algorithm>

#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

TEST(Memory, SumsOverRanksAreWrittenInPlace) {
  const auto reduced = [](const char* op) {
    CaseBuilder c(2);
    GraphBuilder& s = c.sequential();
    s.output(s.call("y", "aten.mul.Scalar", {s.input("x", {4, 4}), 2}, {4, 4}));
    for (int r = 0; r < 2; ++r) {
      GraphBuilder& g = c.rank(r);
      const TensorRef x = g.input("x", {4, 4});
      const TensorRef bucket = g.call("bucket", "aten.clone.default", {x}, {4, 4});
      g.call("sum", op, {bucket, "sum", "tp"}, {4, 4});
      g.output(g.call("y", "aten.view.default", {bucket, {4, 4}}, {4, 4}));
    }
    c.replicate("x");
    c.expect("y", {"y@0", "y@1"});
    return c.build();
  };
  EXPECT_TRUE(proves(reduced("_c10d_functional.all_reduce_.default")));
  EXPECT_FALSE(prove(reduced("_c10d_functional.all_reduce.default")).report.verdict ==
               Verdict::kProved);
}

TEST(Memory, AnUnknownOperatorIsAFunctionAsLongAsNobodyReadsItsOperands) {
  const auto program = [](bool read_again) {
    return [read_again](GraphBuilder& g, const Inputs& in) {
      const TensorRef operand = plus_one(g, in.x);
      const TensorRef result = g.call("r", "own.twist.default", {operand}, {4, 4});
      return relu(g, read_again ? operand : result);
    };
  };
  EXPECT_TRUE(is_proved(program(false), program(false)));
  EXPECT_FALSE(is_proved(one_more, program(true)));
}

TEST(Memory, WhatCommunicatesIsNoFunctionOfItsOperands) {
  const MemoryProgram reduced = [](GraphBuilder& g, const Inputs& in) {
    return relu(g, g.call("sum", "c10d_functional.all_reduce.default", {in.x, "sum", "", {0, 1}, 2},
                          {4, 4}));
  };
  EXPECT_FALSE(is_proved(reduced, reduced));
}

TEST(Memory, ThatInputsLieApartIsAnAssumptionWhereOneIsWritten) {
  const auto assumes = [](const MemoryProgram& program) {
    const std::vector<std::string> all = prove(case_of(one_more, program)).report.assumptions;
    return std::count(all.begin(), all.end(),
                      "an input that is written shares its memory with no other input") == 1;
  };
  EXPECT_TRUE(assumes([](GraphBuilder& g, const Inputs& in) {
    add_one(g, in.x);
    return relu(g, in.x);
  }));
  EXPECT_FALSE(assumes([](GraphBuilder& g, const Inputs& in) {
    const TensorRef copy = g.call("copy", "aten.clone.default", {in.x}, {4, 4});
    add_one(g, copy);
    return relu(g, copy);
  }));
}

TEST(Memory, StridesTellAViewFromWhatMayBeACopy) {
  const auto program = [](const std::vector<int64_t>& strides) {
    return [strides](GraphBuilder& g, const Inputs& in) {
      g.strides(in.x, strides);
      add_one(g, g.call("flat", "aten.reshape.default", {in.x, {16}}, {16}));
      return relu(g, in.x);
    };
  };
  EXPECT_TRUE(is_proved(one_more, program({4, 1})));
  EXPECT_FALSE(is_proved(unchanged, program({4, 1})));
  EXPECT_FALSE(is_proved(one_more, program({1, 4})));
}

TEST(Memory, ReadsByStridesAreThoseOfTheLayout) {
  const auto aliased = [](const std::vector<int64_t>& own, std::vector<Argument> given) {
    return [own, given](GraphBuilder& g, const Inputs& in) {
      g.strides(in.x, own);
      return relu(g, g.call("alias", "aten._reshape_alias.default",
                            {in.x, {4, 4}, std::vector<Argument>(given)}, {4, 4}));
    };
  };
  EXPECT_TRUE(is_proved(unchanged, aliased({4, 1}, {4, 1})));
  EXPECT_TRUE(is_proved(unchanged, aliased({1, 4}, {1, 4})));
  EXPECT_FALSE(is_proved(unchanged, aliased({4, 1}, {1, 4})));
  EXPECT_FALSE(is_proved(unchanged, aliased({1, 4}, {4, 1})));
}

TEST(Memory, AnOutputThatIsAnInputIsComparedAsAnyOther) {
  const auto given = [](GraphBuilder&, const Inputs& in) { return in.x; };
  EXPECT_FALSE(
      is_proved(given, [](GraphBuilder& g, const Inputs&) { return zeros(g, "y", {4, 4}); }));
  EXPECT_TRUE(is_proved(given, given));
}

}  // namespace
}  // namespace assay::test
