// What is wrong with sizes that depend on values, and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/import/fx_json/fx_json.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& nodes) {
  const std::string text =
      R"({"format":"fx-json","version":1,"rank":0,"nodes":[
{"op":"placeholder","name":"x","target":"x","args":[],"kwargs":{},"value":{"dtype":"float32","shape":[4,3]}},
{"op":"placeholder","name":"flags","target":"flags","args":[],"kwargs":{},"value":{"dtype":"bool","shape":[4]}},
{"op":"placeholder","name":"counts","target":"counts","args":[],"kwargs":{},"value":{"dtype":"int64","shape":[2]}},
)" + nodes +
      R"({"op":"output","name":"output","target":"output","args":[[{"node":"y"}]],"kwargs":{}}
]})";
  try {
    parse_fx_json(text, "g.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string call(const std::string& name, const std::string& target, const std::string& args,
                 const std::string& value, const std::string& rest = "") {
  return R"({"op":"call_function","name":")" + name + R"(","target":")" + target + R"(","args":[)" +
         args + R"(],"kwargs":{},"source":"model.py:7","value":)" + value + rest + "},\n";
}

std::string tensor(const std::string& shape, const std::string& dtype = "float32") {
  return R"({"dtype":")" + dtype + R"(","shape":[)" + shape + "]}";
}

const std::string kFound =
    call("at", "aten.nonzero.default", R"({"node":"flags"})", tensor(R"("u0",1)", "int64"));
const std::string kRows =
    call("rows", "aten.index.Tensor", R"({"node":"x"},[{"node":"flags"}])", tensor(R"("u0",3)"));
const std::string kSum = call("y", "aten.sum.default", R"({"node":"rows"})", tensor(""));
const std::string kFirst =
    call("first", "aten.select.int", R"({"node":"counts"},0,0)", tensor("", "int64"));
const std::string kItem = call("n", "aten.item.default", R"({"node":"first"})", R"({"sym":"u1"})");

TEST(UnbackedErrors, ARightProgramIsRead) { EXPECT_EQ(error_of(kRows + kSum), "accepted"); }

TEST(UnbackedErrors, ASizeIsMadeBeforeItIsUsed) {
  const std::string error = error_of(
      call("y", "aten.slice.Tensor", R"({"node":"x"},0,0,{"sym":"u7"})", tensor(R"("u7",3)")));
  EXPECT_THAT(error, HasSubstr("model.py:7"));
  EXPECT_THAT(error, HasSubstr("size 'u7' is used, and no operator before has made it"));
}

TEST(UnbackedErrors, ASymbolStandsForOneNumber) {
  const std::string other = call("other", "aten.masked_select.default",
                                 R"({"node":"x"},{"node":"wide"})", tensor(R"("u0")"));
  const std::string wide =
      call("wide", "aten.gt.Scalar", R"({"node":"x"},0)", tensor("4,3", "bool"));
  EXPECT_THAT(error_of(kRows + wide + other + kSum),
              HasSubstr("symbol 'u0' stands for two numbers"));
  // Equal flags are found twice.
  EXPECT_EQ(error_of(kFound + kRows + kSum), "accepted");
}

TEST(UnbackedErrors, ASymbolIsReadOnce) {
  const std::string again =
      call("m", "aten.item.default", R"({"node":"first"})", R"({"sym":"u1"})");
  EXPECT_THAT(error_of(kFirst + kItem + again + kRows + kSum),
              HasSubstr("symbol 'u1' is defined twice"));
}

TEST(UnbackedErrors, ATensorHasABound) {
  const std::string made =
      call("rows", "aten.zeros.default", R"([{"sym":"u1"},3])", tensor(R"("u1",3)"));
  EXPECT_THAT(error_of(kFirst + kItem + made + kSum), HasSubstr("torch._check(size <= 64)"));
  const std::string bound =
      R"({"op":"call_function","name":"le","target":"<built-in function le>","args":[{"node":"n"},8],"kwargs":{}},)"
      "\n"
      R"({"op":"call_function","name":"check","target":"aten._assert_scalar.default","args":[{"node":"le"},"no"],"kwargs":{}},)"
      "\n";
  EXPECT_EQ(error_of(kFirst + kItem + bound + made + kSum), "accepted");
}

TEST(UnbackedErrors, AnOutputHasAFixedSize) {
  EXPECT_THAT(error_of(call("y", "aten.index.Tensor", R"({"node":"x"},[{"node":"flags"}])",
                            tensor(R"("u0",3)"))),
              HasSubstr("'y' is an output, and its size depends on values"));
}

TEST(UnbackedErrors, AnOperatorWithoutARuleIsNamed) {
  const std::string error =
      error_of(kRows + call("y", "aten.std.default", R"({"node":"rows"})", tensor("")));
  EXPECT_THAT(error, HasSubstr("model.py:7"));
  EXPECT_THAT(error, HasSubstr("aten.std.default"));
  EXPECT_THAT(error, HasSubstr("has no rule for sizes that depend on values"));
}

TEST(UnbackedErrors, ItWritesNoMemory) {
  EXPECT_THAT(
      error_of(kRows + call("z", "aten.relu_.default", R"({"node":"rows"})", tensor(R"("u0",3)")) +
               kSum),
      HasSubstr("may write into memory"));
}

TEST(UnbackedErrors, InputsHaveTheirSizesInTheCase) {
  EXPECT_THAT(error_of(call("n", "aten.sym_size.int", R"({"node":"x"},0)", R"({"sym":"s0"})") +
                       call("y", "aten.slice.Tensor", R"({"node":"x"},0,0,{"node":"n"})",
                            tensor(R"("s0",3)"))),
              HasSubstr("[symbols] of case.toml"));
}

}  // namespace
}  // namespace assay
