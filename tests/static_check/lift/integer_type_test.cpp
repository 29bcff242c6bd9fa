// Types are part of what an operator means: integers wrap around as theirs does, flags add up to
// "or", functions that nothing is known of are others for other dtypes. Each wrong program has a
// right twin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

using ProgramOfX = std::function<TensorRef(GraphBuilder&, TensorRef x)>;

struct TypeTwins {
  std::string name;
  DType dtype;  // of x [4], which every rank has
  DType result;
  ProgramOfX sequential, wrong, right;
};

Case typed_case(const TypeTwins& twins, const ProgramOfX& rank) {
  CaseBuilder c(2);
  c.sequential().output(
      "y", twins.sequential(c.sequential(), c.sequential().input("x", {4}, twins.dtype)));
  for (int r = 0; r < 2; ++r)
    c.rank(r).output("y", rank(c.rank(r), c.rank(r).input("x", {4}, twins.dtype)));
  c.replicate("x");
  return c.build();
}

std::string next_tensor_name(const GraphBuilder& g) {
  return "t" + std::to_string(g.graph().nodes.size());
}

TensorRef elements(GraphBuilder& g, const char* op, std::vector<Argument> args, DType dtype) {
  return g.call(next_tensor_name(g), op, std::move(args), {4}, dtype);
}

TensorRef as(GraphBuilder& g, TensorRef x, DType dtype) {
  return elements(g, "aten._to_copy.default", {x, dtype}, dtype);
}

// result(op(x, operand)), or of x and itself.
ProgramOfX then_as(const char* op, DType dtype, DType result,
                   std::optional<Argument> operand = {}) {
  return [=](GraphBuilder& g, TensorRef x) {
    return as(g, elements(g, op, {x, operand ? *operand : Argument(x)}, dtype), result);
  };
}

// op(result(x), operand).
ProgramOfX of_cast(const char* op, DType result, std::optional<Argument> operand = {}) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef wide = as(g, x, result);
    return elements(g, op, {wide, operand ? *operand : Argument(wide)}, result);
  };
}

// float(number + number), each a full tensor of `dtype`, plus float(x).
ProgramOfX constants(DType dtype, int64_t a, int64_t b) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef left = elements(g, "aten.full.default", {{4}, a, dtype}, dtype);
    const TensorRef sum = elements(g, "aten.add.Tensor", {left, b}, dtype);
    return elements(g, "aten.add.Tensor", {as(g, sum, DType::kFloat32), as(g, x, DType::kFloat32)},
                    DType::kFloat32);
  };
}

ProgramOfX number(double value) {
  return [=](GraphBuilder& g, TensorRef x) {
    return elements(g, "aten.add.Tensor", {as(g, x, DType::kFloat32), value}, DType::kFloat32);
  };
}

// What nobody declared, of x as `dtype`.
ProgramOfX undeclared(DType dtype, DType result) {
  return [=](GraphBuilder& g, TensorRef x) {
    return as(g, elements(g, "user.bits.default", {as(g, x, dtype)}, dtype), result);
  };
}

ProgramOfX flags(const char* reduction, int factor) {
  return [=](GraphBuilder& g, TensorRef x) {
    if (*reduction != 0)
      x = g.call(next_tensor_name(g), "_c10d_functional.all_reduce.default", {x, reduction, "tp"},
                 {4}, DType::kBool);
    const TensorRef number = as(g, x, DType::kInt64);
    return factor == 1 ? number : elements(g, "aten.mul.Tensor", {number, factor}, DType::kInt64);
  };
}

ProgramOfX rms_norm(DType dtype) {
  return [=](GraphBuilder& g, TensorRef x) {
    return as(g,
              elements(g, "aten.rms_norm.default", {as(g, x, dtype), {4}, NoArg{}, NoArg{}}, dtype),
              DType::kFloat32);
  };
}

ProgramOfX counted(double start, double step, DType dtype) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef steps =
        elements(g, "aten.arange.start_step", {start, start + 4 * step, step, dtype}, dtype);
    return elements(g, "aten.add.Tensor", {as(g, steps, DType::kFloat32), x}, DType::kFloat32);
  };
}

// The same as the numbers from 0 on, converted after the start is added to them.
ProgramOfX counted_apart(int64_t start, DType dtype) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef steps = elements(g, "aten.arange.default", {4, DType::kInt64}, DType::kInt64);
    const TensorRef numbers = elements(g, "aten.add.Tensor", {steps, start}, DType::kInt64);
    const TensorRef stored = as(g, as(g, numbers, dtype), DType::kFloat32);
    return elements(g, "aten.add.Tensor", {stored, x}, DType::kFloat32);
  };
}

std::vector<TypeTwins> twins() {
  constexpr DType kFloat = DType::kFloat32;
  std::vector<TypeTwins> result;
  for (const DType dtype : {DType::kUint8, DType::kInt8, DType::kInt16, DType::kInt32}) {
    const std::string type(to_string(dtype));
    result.push_back({"Sum_" + type, dtype, kFloat, then_as("aten.add.Tensor", dtype, kFloat),
                      of_cast("aten.mul.Tensor", kFloat, 2),
                      then_as("aten.mul.Tensor", dtype, kFloat, 2)});
    result.push_back({"Product_" + type, dtype, kFloat, then_as("aten.mul.Tensor", dtype, kFloat),
                      of_cast("aten.mul.Tensor", kFloat),
                      then_as("aten.mul.Tensor", dtype, kFloat)});
    result.push_back({"Power_" + type, dtype, kFloat,
                      then_as("aten.pow.Tensor_Scalar", dtype, kFloat, 2),
                      of_cast("aten.pow.Tensor_Scalar", kFloat, 2),
                      then_as("aten.pow.Tensor_Scalar", dtype, kFloat, 2)});
    result.push_back({"Comparison_" + type, dtype, DType::kBool,
                      [=](GraphBuilder& g, TensorRef x) {
                        const TensorRef more = elements(g, "aten.add.Tensor", {x, 1}, dtype);
                        return elements(g, "aten.gt.Tensor", {more, x}, DType::kBool);
                      },
                      [=](GraphBuilder& g, TensorRef x) {
                        return elements(g, "aten.eq.Tensor", {x, x}, DType::kBool);
                      },
                      [=](GraphBuilder& g, TensorRef x) {
                        const TensorRef more = elements(g, "aten.add.Tensor", {x, 1}, dtype);
                        return elements(g, "aten.gt.Tensor", {more, x}, DType::kBool);
                      }});
  }
  result.push_back({"Widened", DType::kUint8, DType::kInt64,
                    then_as("aten.add.Tensor", DType::kUint8, DType::kInt64),
                    of_cast("aten.mul.Tensor", DType::kInt64, 2),
                    then_as("aten.mul.Tensor", DType::kUint8, DType::kInt64, 2)});
  result.push_back({"ConstantByte", DType::kFloat32, kFloat, constants(DType::kUint8, 200, 100),
                    number(300), number(44)});
  result.push_back({"ConstantSigned", DType::kFloat32, kFloat, constants(DType::kInt8, 100, 100),
                    number(200), number(-56)});
  result.push_back({"ConstantInt", DType::kFloat32, kFloat, constants(DType::kInt32, 2147483647, 1),
                    number(2147483648.0), number(-2147483648.0)});
  for (const double beyond : {-1.0, 300.0}) {
    const ProgramOfX converted = [=](GraphBuilder& g, TensorRef x) {
      const TensorRef full = elements(g, "aten.full.default", {{4}, beyond, kFloat}, kFloat);
      return elements(g, "aten.add.Tensor",
                      {as(g, as(g, full, DType::kUint8), kFloat), as(g, x, kFloat)}, kFloat);
    };
    result.push_back({beyond < 0 ? "FloatBelowBytes" : "FloatAboveBytes", DType::kFloat32, kFloat,
                      converted, number(beyond < 0 ? 255 : 44), converted});
  }
  result.push_back({"UndeclaredOfOtherWidth", DType::kInt8, DType::kInt32,
                    undeclared(DType::kInt8, DType::kInt32),
                    undeclared(DType::kInt32, DType::kInt32),
                    undeclared(DType::kInt8, DType::kInt32)});
  result.push_back({"UndeclaredOfOtherFloat", DType::kFloat32, kFloat,
                    undeclared(DType::kFloat32, kFloat), undeclared(DType::kBFloat16, kFloat),
                    undeclared(DType::kFloat32, kFloat)});
  result.push_back(
      {"FlagsAddUpToOr", DType::kBool, DType::kInt64, flags("", 2), flags("sum", 1), flags("", 2)});
  result.push_back(
      {"SumOfFlags", DType::kBool, DType::kInt64, flags("", 1), flags("sum", 2), flags("sum", 1)});
  result.push_back({"MaximumOfFlags", DType::kBool, DType::kInt64, flags("", 1), flags("max", 2),
                    flags("max", 1)});
  result.push_back({"ProductOfFlags", DType::kBool, DType::kInt64, flags("", 1),
                    flags("product", 2), flags("product", 1)});
  result.push_back({"EpsilonOfFloat64", DType::kFloat32, kFloat, rms_norm(DType::kFloat32),
                    rms_norm(DType::kFloat64), rms_norm(DType::kFloat32)});
  result.push_back({"EpsilonOfBFloat16", DType::kFloat32, kFloat, rms_norm(DType::kBFloat16),
                    rms_norm(DType::kFloat64), rms_norm(DType::kFloat32)});
  result.push_back({"CountingFromAHalf", DType::kFloat32, kFloat, counted(0.5, 1, DType::kInt64),
                    counted(0.5, 1, DType::kFloat32), counted(0, 1, DType::kInt64)});
  result.push_back({"CountingByHalves", DType::kFloat32, kFloat, counted(0, 1.5, DType::kInt32),
                    counted(0, 1.5, DType::kFloat32), counted(0, 1, DType::kInt32)});
  result.push_back({"CountingBeyondTheType", DType::kFloat32, kFloat,
                    counted(300, 1, DType::kBFloat16), counted(300, 1, DType::kFloat32),
                    counted_apart(300, DType::kBFloat16)});
  result.push_back({"CountingWithinTheType", DType::kFloat32, kFloat,
                    counted(200, 1, DType::kBFloat16), counted(201, 1, DType::kFloat32),
                    counted(200, 1, DType::kFloat32)});
  result.push_back({"BoundWithAFraction", DType::kInt32, kFloat,
                    then_as("aten.hardtanh.default", DType::kInt32, kFloat, -1.5),
                    of_cast("aten.hardtanh.default", kFloat, -1.5),
                    then_as("aten.hardtanh.default", DType::kInt32, kFloat, -1)});
  result.push_back({"BoundThatWraps", DType::kUint8, kFloat,
                    then_as("aten.clamp_min.default", DType::kUint8, kFloat, -1),
                    of_cast("aten.clamp_min.default", kFloat, -1),
                    then_as("aten.clamp_min.default", DType::kUint8, kFloat, 255)});
  return result;
}

class IntegerTypes : public testing::TestWithParam<TypeTwins> {};

Verdict verdict_of(const TypeTwins& twins, const ProgramOfX& rank) {
  return static_check(typed_case(twins, rank), OperatorTable::builtin()).report.verdict;
}

// An undeclared operator's result is not proved, but the report says "unsupported".
TEST_P(IntegerTypes, TheWrongProgramIsNotProved) {
  const Verdict verdict = verdict_of(GetParam(), GetParam().wrong);
  EXPECT_TRUE(verdict == Verdict::kUnproved || verdict == Verdict::kUnsupported)
      << to_string(verdict);
}

TEST_P(IntegerTypes, TheTwinIsProved) {
  EXPECT_EQ(verdict_of(GetParam(), GetParam().right), Verdict::kProved);
}

INSTANTIATE_TEST_SUITE_P(All, IntegerTypes, testing::ValuesIn(twins()),
                         [](const auto& twin) { return twin.param.name; });

// What no program reaches in practice is an assumption, which the report lists.
TEST(IntegerTypes, LongIntegersThatAreComputedAreTakenNotToWrap) {
  const auto doubled = [](GraphBuilder& g, TensorRef x) {
    return as(g, elements(g, "aten.mul.Tensor", {x, 2}, DType::kInt64), DType::kFloat32);
  };
  const auto added = [](GraphBuilder& g, TensorRef x) {
    return elements(g, "aten.add.Tensor", {as(g, x, DType::kFloat32), as(g, x, DType::kFloat32)},
                    DType::kFloat32);
  };
  const StaticReport report =
      static_check(typed_case({"", DType::kInt64, DType::kFloat32, doubled, added, {}}, added),
                   OperatorTable::builtin())
          .report;
  EXPECT_EQ(report.verdict, Verdict::kProved);
  EXPECT_THAT(report.assumptions,
              testing::Contains("integers that are computed in int64 do not wrap around"));
}

TEST(IntegerTypes, AFractionIsNoFactorOfIntegers) {
  const auto scaled = [](double factor) {
    const ProgramOfX program = [=](GraphBuilder& g, TensorRef x) {
      const TensorRef sum = elements(g, "aten.addcmul.default", {x, x, x}, DType::kInt64);
      g.keyword("value", factor);
      return as(g, sum, DType::kFloat32);
    };
    return typed_case({"", DType::kInt64, DType::kFloat32, program, {}, {}}, program);
  };
  EXPECT_TRUE(proves(scaled(2)));
  EXPECT_THROW(prove(scaled(0.5)), UserError);
}

TEST(IntegerTypes, FlagsThatAreAddedNoTimesAreLeftOut) {
  const auto sum = [](GraphBuilder& g, TensorRef x, std::optional<int64_t> alpha) {
    const TensorRef none = elements(g, "aten.ne.Tensor", {x, x}, DType::kBool);
    const TensorRef both = elements(g, "aten.add.Tensor", {none, x}, DType::kBool);
    if (alpha) g.keyword("alpha", *alpha);
    return as(g, both, DType::kFloat32);
  };
  const auto with = [&](std::optional<int64_t> alpha) -> ProgramOfX {
    return [=](GraphBuilder& g, TensorRef x) { return sum(g, x, alpha); };
  };
  const auto twins = [&](std::optional<int64_t> alpha) {
    return TypeTwins{"", DType::kBool, DType::kFloat32, with(std::nullopt), with(alpha), {}};
  };
  EXPECT_TRUE(proves(typed_case(twins(1), with(1))));
  EXPECT_FALSE(proves(typed_case(twins(0), with(0))));
  EXPECT_THROW(prove(typed_case(twins(2), with(2))), UserError);
}

// What counts in int64 leaves fractions out from the first: of 0, 1.5, ... below 6 it makes 0 to 5.
TEST(IntegerTypes, LongIntegersCountAsManyAsThereAreIntegers) {
  const auto counts = [](double step, int64_t number) {
    const ProgramOfX program = [=](GraphBuilder& g, TensorRef) {
      const TensorRef steps =
          g.call("steps", "aten.arange.start_step", {0.0, 6.0, step}, {number}, DType::kInt64);
      return g.call("rows", "aten.slice.Tensor", {steps, 0, 0, 4}, {4}, DType::kInt64);
    };
    return typed_case({"", DType::kFloat32, DType::kInt64, program, {}, {}}, program);
  };
  EXPECT_TRUE(proves(counts(1.5, 6)));
  EXPECT_THROW(prove(counts(1.5, 4)), UserError);
  EXPECT_THROW(prove(counts(0.5, 12)), UserError);
}

TEST(IntegerTypes, NothingHasNoMaximum) {
  const auto largest = [](int64_t count, DType dtype) {
    CaseBuilder c(1);
    for (GraphBuilder* g : {&c.sequential(), &c.rank(0)}) {
      const TensorRef some = g->call("some", "aten.slice.Tensor",
                                     {g->input("x", {4}, dtype), 0, 0, count}, {count}, dtype);
      g->output("y", g->call("y", "aten.amax.default", {some, {0}}, {}, dtype));
    }
    c.replicate("x");
    return c.build();
  };
  EXPECT_TRUE(proves(largest(2, DType::kInt32)));
  EXPECT_THROW(prove(largest(0, DType::kFloat32)), UserError);
  EXPECT_THROW(prove(largest(0, DType::kInt32)), UserError);
}

TEST(IntegerTypes, FlagsHaveNoAverage) {
  const TypeTwins twins{"", DType::kBool, DType::kInt64, flags("", 1), flags("avg", 1), {}};
  EXPECT_THROW(static_check(typed_case(twins, twins.wrong), OperatorTable::builtin()), UserError);
}

/// x as int32; on the rank by way of float64, which holds more than int32 does.
TEST(IntegerTypes, AConversionByWayOfFloatingNumbersStaysInItsRange) {
  CaseBuilder builder(1);
  const auto convert = [](GraphBuilder& graph, TensorRef x, const char* name, DType to) {
    const TensorRef result = graph.call(name, "aten._to_copy.default", {x}, {4}, to);
    graph.keyword("dtype", to);
    return result;
  };
  GraphBuilder& whole = builder.sequential();
  whole.output(convert(whole, whole.input("x", {4}, DType::kInt64), "y", DType::kInt32));
  GraphBuilder& rank = builder.rank(0);
  const TensorRef x = rank.input("x", {4}, DType::kInt64);
  rank.output(convert(rank, convert(rank, x, "f", DType::kFloat64), "y", DType::kInt32));
  builder.replicate("x");
  const StaticResult result = prove(builder.build());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_THAT(result.report.assumptions,
              testing::Contains("conversions from float64 to int32 stay in its range"));
}

}  // namespace
}  // namespace assay::test
