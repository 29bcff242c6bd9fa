// What lowering says about graphs and declarations that do not fit, and about operators that
// nothing is known of.
#include <gmock/gmock.h>

#include <limits>

#include "shared_ir/lower/declare/declaration.h"
#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LowerErrors, NameGraphNodeOperatorAndSource) {
  std::string error = error_of(
      [] { OperatorCall("aten.t.default").tensor({1, 2, 3}, {}).gives({3, 2, 1}).lower(); });
  EXPECT_THAT(error, HasSubstr("model.py:12"));
  EXPECT_THAT(error,
              HasSubstr("example: node 'out0' (aten.t.default): t: a tensor of 3 dimensions"));
}

TEST(LowerErrors, RecordedShapeAndKindMustBeTheDeclarations) {
  EXPECT_THAT(
      error_of([] { OperatorCall("aten.neg.default").tensor({2}, {}).gives({3}).lower(); }),
      HasSubstr("'out0' is recorded as float32 [3], but its declaration gives float32 [2]"));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.neg.default").tensor({2}, {}).gives(DType::kInt64, {2}).lower();
              }),
              HasSubstr("recorded as int64 [2]"));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.neg.default").ids({2}, {}).gives(DType::kInt32, {2}).lower();
              }),
              HasSubstr("recorded as int32 [2]"));
}

// PyTorch makes such a call all the same, and stops where it does not fit.
TEST(LowerErrors, AreThoseOfCallsThatNobodyUsesToo) {
  const auto rows = [](int dim) {
    OperatorCall("aten.unbind.int").tensor({2}, {}).number(dim).lower();
  };
  EXPECT_EQ(error_of([&] { rows(-1); }), "no error");
  EXPECT_THAT(error_of([&] { rows(-2); }), HasSubstr("model.py:12"));
  EXPECT_THAT(error_of([&] { rows(-2); }), HasSubstr("(aten.unbind.int)"));
  const auto pieces = [](int size) {
    OperatorCall("aten.split_with_sizes.default").tensor({4}, {}).numbers({1, size}).lower();
  };
  EXPECT_EQ(error_of([&] { pieces(3); }), "no error");
  EXPECT_NE(error_of([&] { pieces(4); }), "no error");
  const auto largest = [](int dim) {
    OperatorCall("aten.max.dim")
        .tensor({2, 2}, {})
        .number(dim)
        .gives_nothing_used()
        .gives_nothing_used()
        .lower();
  };
  EXPECT_EQ(error_of([&] { largest(1); }), "no error");
  EXPECT_NE(error_of([&] { largest(2); }), "no error");
  // Nothing says which type it has, and nothing needs to.
  EXPECT_EQ(error_of([] { OperatorCall("aten.zeros.default").numbers({2}).lower(); }), "no error");
}

TEST(LowerErrors, ArgumentsMustMatchTheSchema) {
  EXPECT_THAT(
      error_of([] { OperatorCall("aten.mm.default").tensor({2, 2}, {}).gives({2, 2}).lower(); }),
      HasSubstr("argument 'mat2' is missing"));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.neg.default").tensor({2}, {}).number(1).gives({2}).lower();
              }),
              HasSubstr("2 arguments given"));
  EXPECT_THAT(
      error_of([] {
        OperatorCall("aten.neg.default").tensor({2}, {}).number(1.0).as("alpha").gives({2}).lower();
      }),
      HasSubstr("no parameter 'alpha'"));
  EXPECT_THAT(
      error_of([] {
        OperatorCall("aten.neg.default").tensor({2}, {}).number(1.0).as("self").gives({2}).lower();
      }),
      HasSubstr("'self' is given twice"));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.neg.default").tensor({2}, {}).gives({2}).gives({2}).lower();
              }),
              HasSubstr("2 outputs recorded"));
}

TEST(LowerErrors, GroupsMustContainTheRank) {
  auto call = OperatorCall("_c10d_functional.all_reduce.default")
                  .tensor({2}, {})
                  .text("sum")
                  .text("tp:0")
                  .gives({2});
  EXPECT_THAT(error_of([&] { call.lower(OperatorTable::builtin(), {}); }),
              HasSubstr("unknown process group 'tp:0'"));
  EXPECT_THAT(error_of([&] { call.lower(OperatorTable::builtin(), {{"tp:0", {1, 2}}}); }),
              HasSubstr("does not contain rank 0"));
  EXPECT_EQ(call.lower(OperatorTable::builtin(), {{"tp:0", {0}}}).ops.size(), 1u);
  EXPECT_EQ(call.lower(OperatorTable::builtin(), {{"tp:0", {1, 0}}}).collectives[0].ranks,
            (std::vector<Rank>{1, 0}));
}

TEST(LowerOpaque, UndeclaredOperatorsAreFunctionsOfTheirOperandsAndAttributes) {
  auto fn = [](int64_t attribute) {
    CoreProgram program =
        OperatorCall("my.op").tensor({2}, {}).number(attribute).gives({2}).gives({3}).lower();
    EXPECT_EQ(program.opaque, std::vector<std::string>{"my.op"});
    EXPECT_NE(program.ops[1].fn, program.ops[2].fn);
    return program.ops[1].fn;
  };
  EXPECT_EQ(fn(3), fn(3));
  EXPECT_NE(fn(3), fn(4));
}

TEST(OperatorTable, FindsOperatorsByAnySpelling) {
  OperatorTable table = OperatorTable::builtin();
  EXPECT_NE(table.find("aten.mm.default"), nullptr);
  EXPECT_EQ(table.find("aten.mm.default"), table.find("aten::mm"));
  EXPECT_EQ(table.find("aten.mm.default"), table.find("aten.mm"));
  EXPECT_EQ(table.find("aten.mm.other"), nullptr);
}

TEST(OperatorTable, EveryShippedDeclarationParses) {
  OperatorTable table = OperatorTable::builtin();
  for (const std::string& name : table.names()) EXPECT_NO_THROW(table.find(name)) << name;
  EXPECT_GT(table.names().size(), 150u);
}

TEST(OperatorTable, UsersDeclareOperatorsInALine) {
  OperatorTable table = OperatorTable::builtin();
  table.add_text(
      "[\"my.double\"]\nschema = 'x!, by=2'\nwrites.x = 'scale(x, by)'\nassume = 'doubling is "
      "exact'\n",
      "mine.toml");
  CoreProgram program =
      OperatorCall("my.double").tensor({1}, {3}).gives_nothing_used().gives({1}).lower(table);
  EXPECT_EQ(program.ops.back().coefs, std::vector<Rational>{Rational(2)});
  EXPECT_THAT(program.notes, ElementsAre("doubling is exact"));
}

TEST(OperatorTable, ReportsWhereADeclarationIsWrong) {
  auto error = [](const std::string& body) {
    OperatorTable table = OperatorTable::builtin();
    return error_of([&] { table.add_text("# mine\n[\"my.op\"]\n" + body, "mine.toml"); });
  };
  EXPECT_THAT(error("schema = 'x'\nreturns = 'bad(x)'\n"),
              HasSubstr("mine.toml:4:12: unknown builtin 'bad'"));
  EXPECT_THAT(error("schema = 'x'\nreturns = 'add(x, y)'\n"),
              HasSubstr("mine.toml:4:19: unknown name 'y'"));
  EXPECT_THAT(error("schema = 'x'\nreturns = 'add(x'\n"), HasSubstr("expected ')'"));
  EXPECT_THAT(error("schema = 'x'\nreturns = 'add(x)'\n"),
              HasSubstr("wrong number of arguments: add(a, b, alpha=1)"));
  EXPECT_THAT(error("schema = 'x, x'\nreturns = 'x'\n"), HasSubstr("parameter 'x' occurs twice"));
  EXPECT_THAT(error("schema = 'x!'\nreturns = 'x'\n"),
              HasSubstr("does not say what it writes into 'x'"));
  EXPECT_THAT(error("schema = 'x'\nwrites.x = 'x'\n"), HasSubstr("not marked with '!'"));
  EXPECT_THAT(error("schema = 'x'\nlet.a = 'b'\nlet.b = 'a'\nreturns = 'a'\n"),
              HasSubstr("uses itself"));
  EXPECT_THAT(error("schema = 'x'\n"), HasSubstr("returns and writes nothing"));
  EXPECT_THAT(error("schema = 'x'\nreturn = 'x'\n"), HasSubstr("unknown key 'return'"));
  EXPECT_THAT(error("returns = 'x'\n"), HasSubstr("has no schema"));
  EXPECT_THAT(error("schema = 'x\n"), HasSubstr("mine.toml:3"));
  EXPECT_THAT(error("schema = 'x'\nreturns = 'x'\n[\"aten.mm\"]\nschema = 'x'\nreturns = 'x'\n"),
              HasSubstr("'aten.mm' is declared twice"));
  EXPECT_THAT(error("schema = 'x'\nreturns = 'x'\n [\"a.first\"]\nschema = 'y'\nreturns = 'y'\n"),
              HasSubstr("operator 'my.op': expected its table alone"));
  const auto nested = [](int depth) {
    return "schema = 'x'\nreturns = '" + std::string(depth, '[') + "x" + std::string(depth, ']') +
           "'\n";
  };
  EXPECT_EQ(error(nested(20)), "no error");
  EXPECT_THAT(error(nested(100'000)), HasSubstr("nested too deeply"));
  std::string key = "a";
  for (int i = 0; i < 300'000; ++i) key += ".a";
  EXPECT_THAT(error(key + " = 1\n"), HasSubstr("mine.toml:3:1: a key of too many parts"));
}

// Each let holds the one before it twice.
OperatorTable with_growing_lets(int lets, const std::string& item) {
  std::string text = "[\"my.op\"]\nschema = 'x'\nlet.a0 = " + item + "\n";
  for (int i = 1; i < lets; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    text += "let.a" + std::to_string(i) + " = '[" + before + ", " + before + "]'\n";
  }
  OperatorTable table;
  table.add_text(text + "returns = 'map(\"f({a" + std::to_string(lets - 1) + "})\", x)'\n",
                 "m.toml");
  return table;
}

TEST(LowerErrors, LetsDoNotGrowWithoutBound) {
  const auto lowered = [](int lets) {
    return error_of([&] {
      OperatorCall("my.op").tensor({2}, {}).gives({2}).lower(with_growing_lets(lets, "'1'"));
    });
  };
  EXPECT_EQ(lowered(5), "no error");
  EXPECT_THAT(lowered(60), HasSubstr("makes too large lists or texts"));
  EXPECT_THAT(error_of([] { with_growing_lets(70, "'1'"); }), HasSubstr("more than 64 lets"));
}

TEST(LowerErrors, SizesDoNotLeave64BitsAndNodesStayOfBoundedSize) {
  constexpr int64_t kMany = int64_t{1} << 40;
  const std::string too_large = "its sizes leave 64 bits, or it is too many operators at once";
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.repeat.default")
                    .tensor({kMany}, {})
                    .numbers({kMany, kMany})
                    .gives({1, 1})
                    .lower();
              }),
              HasSubstr(too_large));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.view.default")
                    .tensor({4}, {})
                    .numbers({kMany, kMany})
                    .gives({4})
                    .lower();
              }),
              HasSubstr(too_large));
  EXPECT_THAT(
      error_of([] { OperatorCall("aten.unbind.int").tensor({kMany}, {}).gives({}).lower(); }),
      HasSubstr(too_large));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.split.Tensor").tensor({kMany}, {}).number(1).gives({1}).lower();
              }),
              HasSubstr(too_large));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.chunk.default").tensor({0}, {}).number(kMany).gives({0}).lower();
              }),
              HasSubstr(too_large));
  EXPECT_THAT(
      error_of([] {
        OperatorCall("aten.arange.default").number(1e30).gives(DType::kFloat32, {1}).lower();
      }),
      HasSubstr(too_large));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.arange.start")
                    .number(std::numeric_limits<int64_t>::min())
                    .number(1)
                    .gives(DType::kInt64, {1})
                    .lower();
              }),
              HasSubstr(too_large));
  EXPECT_THAT(error_of([] {
                OperatorCall("aten.diagonal.default")
                    .tensor({2, 3}, {})
                    .number(std::numeric_limits<int64_t>::min())
                    .gives({0})
                    .lower();
              }),
              HasSubstr(too_large));
}

TEST(LowerErrors, ConvolutionsAndTheirGradientsFitTheirWeights) {
  OperatorTable table;
  table.add_text(
      "[\"my.conv\"]\nschema = 'x, w'\nreturns = 'convolution(x, w, 1, 0, 1, 1)'\n"
      "[\"my.dx\"]\nschema = 'g, w'\nreturns = 'convolution_dx(g, w, [2, 3, 5], 1, 0, 1, 1)'\n"
      "[\"my.dw\"]\nschema = 'g, x'\nreturns = 'convolution_dw(g, x, [4, 3, 2], 1, 0, 1, 1)'\n",
      "m.toml");
  const auto error = [&](const char* op, DType dtype, const Shape& a, const Shape& b) {
    return error_of(
        [&] { OperatorCall(op).tensor(dtype, a, {}).tensor(b, {}).gives({0}).lower(table); });
  };
  const DType own = DType::kFloat32, other = DType::kFloat16;
  EXPECT_THAT(error("my.conv", other, {2, 3, 5}, {4, 3, 2}), HasSubstr("dtypes differ"));
  EXPECT_THAT(error("my.conv", own, {2, 3, 5}, {4, 3, 2}), HasSubstr("is recorded as"));
  EXPECT_THAT(error("my.conv", own, {2, 3, 5}, {4, 3, 0}), HasSubstr("window is empty"));
  EXPECT_THAT(error("my.dx", own, {2}, {4, 3, 2}), HasSubstr("the weight's outputs"));
  EXPECT_THAT(error("my.dx", own, {2, 4, 4}, {4, 3, 2}), HasSubstr("is recorded as"));
  EXPECT_THAT(error("my.dw", own, {2, 5, 4}, {2, 3, 5}), HasSubstr("the weight's outputs"));
  EXPECT_THAT(error("my.dw", own, {2, 4, 3}, {2, 3, 5}), HasSubstr("sizes of the convolution"));
  EXPECT_THAT(error("my.dw", own, {2, 4, 4}, {2, 3, 5}), HasSubstr("is recorded as"));
}

// A call whose sums have too many terms to write down is an operator that nothing is known of, and
// no row of them is made first: sizes of a capture can be of any number.
TEST(LowerErrors, SumsOfTooManyRowsAreUnknownOperators) {
  const auto last = [](const OperatorCall& call) { return call.lower().ops.back().prim; };
  const auto bins = [&](int64_t rows) {
    return last(OperatorCall("aten.adaptive_avg_pool1d.default")
                    .tensor({1, rows}, {})
                    .numbers({3})
                    .gives({1, 3}));
  };
  EXPECT_EQ(bins(10), Prim::kCat);
  EXPECT_EQ(bins(int64_t{1} << 60), Prim::kOpaque);
  const auto cut_windows = [&](int64_t rows) {
    return last(OperatorCall("aten.avg_pool1d.default")
                    .tensor({1, rows}, {})
                    .numbers({rows - 1})
                    .numbers({1})
                    .numbers({1})
                    .flag(true)
                    .gives({1, 4}));
  };
  EXPECT_EQ(cut_windows(10), Prim::kCat);
  EXPECT_EQ(cut_windows(int64_t{1} << 40), Prim::kOpaque);
}

TEST(LowerErrors, LinearOperandsAreTheFirst32) {
  std::string operands;
  for (int i = 0; i < 33; ++i) operands += ", linear(x)";
  OperatorTable table;
  table.add_text("[\"my.op\"]\nschema = 'x'\nreturns = 'map(\"f\"" + operands + ")'\n", "m.toml");
  EXPECT_THAT(error_of([&] { OperatorCall("my.op").tensor({2}, {}).gives({2}).lower(table); }),
              HasSubstr("behind the first 32"));
}

}  // namespace
}  // namespace assay::test
