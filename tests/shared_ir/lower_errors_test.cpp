// What lowering says about graphs and declarations that do not fit, and about operators that
// nothing is known of.
#include <gmock/gmock.h>

#include "shared_ir/lower/declaration.h"
#include "tests/shared_ir/operator_call.h"

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
}

}  // namespace
}  // namespace assay::test
