// Memory that nothing has written, and what is no number, cancels nothing: neither in a difference
// nor as 0 times it. What masks and slices leave out of it is as good as any other.
#include <gtest/gtest.h>
#include <algorithm>

#include "tests/static_check/memory/memory_program.h"

namespace assay::test {
namespace {

TensorRef empty(GraphBuilder& g, const std::string& name, Shape shape = {4, 4}) {
  std::vector<Argument> sizes;
  for (const int64_t size : shape) sizes.emplace_back(size);
  return g.call(name, "aten.empty.memory_format", {Argument(sizes)}, std::move(shape));
}
TensorRef sum(GraphBuilder& g, const std::string& name, TensorRef a, TensorRef b) {
  return g.call(name, "aten.add.Tensor", {a, b}, g.shape(a));
}
TensorRef difference(GraphBuilder& g, const std::string& name, TensorRef a, TensorRef b) {
  return g.call(name, "aten.sub.Tensor", {a, b}, g.shape(a));
}
/// x + of - of.
TensorRef and_back(GraphBuilder& g, TensorRef x, TensorRef of) {
  return difference(g, "back", sum(g, "there", x, of), of);
}
TensorRef full(GraphBuilder& g, double value) {
  return g.call("full", "aten.full.default", {{4, 4}, value}, {4, 4});
}

struct Undefined {
  const char* name;
  MemoryProgram wrong;
};

const Undefined kUndefined[] = {
    {"EmptyMemory",
     [](GraphBuilder& g, const Inputs& in) { return relu(g, and_back(g, in.x, empty(g, "e"))); }},
    {"AFunctionOfEmptyMemory",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, and_back(g, in.x, g.call("f", "aten.tanh.default", {empty(g, "e")}, {4, 4})));
     }},
    {"ZeroTimesEmptyMemory",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef zero = g.call("zero", "aten.mul.Tensor", {empty(g, "e"), 0}, {4, 4});
       return relu(g, sum(g, "more", in.x, zero));
     }},
    {"ZerosTimesEmptyMemoryAsMatrices",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef zero =
           g.call("zero", "aten.mm.default", {zeros(g, "zeros", {4, 4}), empty(g, "e")}, {4, 4});
       return relu(g, sum(g, "more", in.x, zero));
     }},
    {"HalfOfItEmpty",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, and_back(g, in.x, cat(g, {in.z, empty(g, "e", {2, 4})})));
     }},
    {"WrittenByNothing",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef e = zeros(g, "e", {4, 4});
       g.call("unwritten", "aten.new_empty.out", {in.x, {4, 4}}, {4, 4});
       g.keyword("out", e);
       return relu(g, and_back(g, in.x, e));
     }},
    {"TheReciprocalOf0",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g,
                   and_back(g, in.x, g.call("r", "aten.reciprocal.default", {full(g, 0)}, {4, 4})));
     }},
    {"ZeroTimesTheReciprocalOf0",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef r = g.call("r", "aten.reciprocal.default", {full(g, 0)}, {4, 4});
       return relu(g, sum(g, "more", in.x, g.call("zero", "aten.mul.Tensor", {r, 0}, {4, 4})));
     }},
    {"ADivisionByWhatIs0",
     [](GraphBuilder& g, const Inputs& in) {
       const TensorRef none = difference(g, "none", in.x, in.x);
       const TensorRef quotient =
           g.call("quotient", "aten.div.Tensor", {zeros(g, "zeros", {4, 4}), none}, {4, 4});
       return relu(g, sum(g, "more", in.x, quotient));
     }},
    {"TheRemainderBy0",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, and_back(g, in.x, g.call("r", "aten.remainder.Scalar", {in.x, 0.0}, {4, 4})));
     }},
    {"TheLogarithmOfANegativeNumber",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, and_back(g, in.x, g.call("l", "aten.log.default", {full(g, -1)}, {4, 4})));
     }},
    {"Infinity",
     [](GraphBuilder& g, const Inputs& in) {
       return relu(g, and_back(g, in.x, full(g, std::numeric_limits<double>::infinity())));
     }},
};

class UndefinedCancels : public testing::TestWithParam<Undefined> {};
TEST_P(UndefinedCancels, Nothing) {
  const MemoryProgram unchanged = [](GraphBuilder& g, const Inputs& in) { return relu(g, in.x); };
  EXPECT_FALSE(is_proved(unchanged, GetParam().wrong));
}
INSTANTIATE_TEST_SUITE_P(All, UndefinedCancels, testing::ValuesIn(kUndefined),
                         [](const auto& one) { return std::string(one.param.name); });

// No relation speaks of what has no value, also where the proof fails for another reason.
TEST(UndefinedTensors, HaveNoRelations) {
  const auto relates_quotient = [](bool by_zeros) {
    const auto program = [](bool wrong_output, bool divides_by_zeros) {
      return [=](GraphBuilder& g, const Inputs& in) {
        const TensorRef divisor = divides_by_zeros ? difference(g, "none", in.x, in.x) : in.x;
        g.call("quotient", "aten.div.Tensor", {zeros(g, "zeros", {4, 4}), divisor}, {4, 4});
        return relu(g, wrong_output ? plus_one(g, in.x, "wrong") : in.x);
      };
    };
    const Case refinement = case_of(program(false, false), program(true, by_zeros));
    const StaticResult result = static_check(refinement, OperatorTable::builtin());
    EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
    return std::ranges::any_of(result.certificate.relations,
                               [](const auto& claim) { return claim.tensor == "quotient"; });
  };
  EXPECT_TRUE(relates_quotient(false));
  EXPECT_FALSE(relates_quotient(true));
}

TEST(UnwrittenMemory, IsLeftOutBySlicesMasksAndWrites) {
  const MemoryProgram unchanged = [](GraphBuilder& g, const Inputs& in) { return relu(g, in.x); };
  EXPECT_TRUE(is_proved(unchanged, [](GraphBuilder& g, const Inputs& in) {
    const TensorRef padded = cat(g, {in.x, empty(g, "e", {2, 4})}, {6, 4});
    const TensorRef more = g.call("more", "aten.mul.Tensor", {padded, 2}, {6, 4});
    const TensorRef same = g.call("same", "aten.div.Tensor", {more, 2}, {6, 4});
    return relu(g, rows(g, "cut", same, 0, 4));
  }));
  EXPECT_TRUE(is_proved(unchanged, [](GraphBuilder& g, const Inputs& in) {
    const TensorRef mask =
        g.call("mask", "aten.full.default", {{4, 4}, true}, {4, 4}, DType::kBool);
    return relu(g, g.call("kept", "aten.where.self", {mask, in.x, empty(g, "e")}, {4, 4}));
  }));
  EXPECT_TRUE(is_proved(unchanged, [](GraphBuilder& g, const Inputs& in) {
    const TensorRef memory = empty(g, "e");
    copy_into(g, memory, in.x);
    return relu(g, memory);
  }));
}

}  // namespace
}  // namespace assay::test
