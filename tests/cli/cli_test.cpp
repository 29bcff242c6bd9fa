// The commands that check, list and print.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "shared_ir/report/report.h"
#include "tests/cli/run_assay.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/small_case.h"

namespace assay {
namespace {

using test::Outcome;
using test::quoted;
using test::ScratchFolder;
using testing::HasSubstr;
using testing::Not;

Outcome run(const std::string& arguments, const std::string& environment = "") {
  return test::run_assay(arguments, environment);
}

std::string read(const std::filesystem::path& file) { return test::read_file(file); }

TEST(CheckCommand, ProvesACorrectCaseAndItsCertificateHolds) {
  ScratchFolder folder;
  test::write_files(folder, test::small_case_files());
  const Outcome outcome = run("check --static-only --verify" + quoted(folder.path()));
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("small: proved"));
  EXPECT_THAT(outcome.text, HasSubstr("the certificate was replayed"));
}

TEST(CheckCommand, DoesNotProveAWrongProgram) {
  ScratchFolder folder;
  auto files = test::small_case_files();
  test::apply({"rank1.json", "aten.relu.default", "aten.tanh.default"}, &files);
  test::write_files(folder, files);
  const Outcome outcome = run("check --static-only" + quoted(folder.path()));
  EXPECT_EQ(outcome.exit, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("small: unproved"));
}

TEST(CheckCommand, WritesJsonHtmlAndJUnit) {
  ScratchFolder folder;
  test::write_files(folder, test::small_case_files());
  const auto json = folder.path() / "out.json", html = folder.path() / "out.html",
             junit = folder.path() / "out.xml";
  const Outcome outcome = run("check --static-only --relations" + quoted(folder.path()) + "--json" +
                              quoted(json) + "--html" + quoted(html) + "--junit" + quoted(junit));
  ASSERT_EQ(outcome.exit, 0) << outcome.text;
  const Report report = report_from_json(read(json), json.string());
  ASSERT_EQ(report.cases.size(), 1u);
  EXPECT_EQ(report.cases[0].verdict, Verdict::kProved);
  EXPECT_FALSE(report.cases[0].statics->tensors.empty());
  EXPECT_THAT(read(html), HasSubstr("small"));
  EXPECT_THAT(read(junit), HasSubstr("failures=\"0\""));
  const Outcome printed = run("report" + quoted(json));
  EXPECT_EQ(printed.exit, 0);
  EXPECT_THAT(printed.text, HasSubstr("small: proved"));
}

TEST(ReportCommand, PlotsTheTolerancesOfARun) {
  ScratchFolder folder;
  const auto json = folder.path() / "run.json", svg = folder.path() / "run.svg";
  CaseReport ran;
  ran.name = "mlp";
  ran.exit = 0;
  ran.dynamic.emplace().tolerances = {{"x", 1e-4, 1e-6, "aten.mm.default", "mlp.cpp:3", true}};
  std::ofstream(json) << to_json({{ran}});
  EXPECT_EQ(run("report" + quoted(json) + "--plot" + quoted(svg)).exit, 0);
  EXPECT_THAT(read(svg), HasSubstr("mlp, : error against tolerance"));

  ran.dynamic.reset();
  std::ofstream(json) << to_json({{ran}});
  const Outcome nothing = run("report" + quoted(json) + "--plot" + quoted(svg));
  EXPECT_EQ(nothing.exit, 2);
  EXPECT_THAT(nothing.text, HasSubstr("no case of the report was run"));
}

TEST(CheckCommand, ExitCodeIsTheLargestOverTheCases) {
  ScratchFolder good, bad;
  test::write_files(good, test::small_case_files());
  auto files = test::small_case_files();
  files["case.toml"] = "nonsense";
  test::write_files(bad, files);
  const Outcome outcome =
      run("check --static-only --jobs 2" + quoted(bad.path()) + quoted(good.path()));
  EXPECT_EQ(outcome.exit, 2) << outcome.text;
  EXPECT_LT(outcome.text.find("error"), outcome.text.find("small: proved"));
}

TEST(CheckCommand, SaysWhyItLooksForNoWitnessWhenThereIsNoModule) {
  ScratchFolder folder;
  auto files = test::small_case_files();
  test::apply({"rank1.json", "aten.relu.default", "aten.tanh.default"}, &files);
  test::write_files(folder, files);
  const auto program = folder.path() / "bin" / "assay";
  std::filesystem::create_directories(program.parent_path());
  std::filesystem::copy_file(ASSAY_PROGRAM, program);
  const std::string command = quoted(program) + "check" + quoted(folder.path()) + "2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  std::string text;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 1);
  EXPECT_THAT(text,
              HasSubstr("not replayed on numbers: libassay_witness.so is in no folder of modules"));
}

class BadInput : public testing::TestWithParam<test::BadCase> {};

TEST_P(BadInput, ExitsWithTwoAndNamesThePlace) {
  ScratchFolder folder;
  auto files = test::small_case_files();
  test::apply(GetParam().damage, &files);
  test::write_files(folder, files);
  const Outcome outcome = run("check --static-only" + quoted(folder.path()));
  EXPECT_EQ(outcome.exit, 2) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr((folder.path() / GetParam().place).string()));
  EXPECT_THAT(outcome.text, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Damaged, BadInput, testing::ValuesIn(test::bad_cases()),
                         [](const auto& param) { return param.param.name; });

TEST(BadInput, GroupsThatACollectiveDoesNotFindExitWithTwo) {
  ScratchFolder folder;
  auto files = test::small_case_files();
  for (const std::string name : {"rank0.json", "rank1.json"}) {
    test::apply(
        {name, R"("target":"aten.relu.default","args":[{"node":"x"}])",
         R"("target":"_c10d_functional.all_reduce.default","args":[{"node":"x"},"sum","dp:0"])"},
        &files);
  }
  test::write_files(folder, files);
  const Outcome outcome = run("check --static-only" + quoted(folder.path()));
  EXPECT_EQ(outcome.exit, 2) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("dp:0"));
  EXPECT_THAT(outcome.text, HasSubstr("model.py:7"));
}

TEST(Usage, WrongCommandsAndOptionsExitWithTwo) {
  for (const std::string arguments :
       {"", "prove", "check", "check --no-such-option x", "check --jobs 0 x", "report", "compare",
        "report /nowhere.json", "check /nowhere"}) {
    EXPECT_EQ(run(arguments).exit, 2) << arguments;
  }
  EXPECT_EQ(run("--help").exit, 0);
}

TEST(OpsCommand, ListsDeclaredOperators) {
  const Outcome outcome = run("ops");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(outcome.text, HasSubstr("aten.mm"));
}

TEST(OpsCommand, CountsPyTorchsCoreOperators) {
  const Outcome outcome = run("ops --coverage");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(outcome.text, HasSubstr("core ATen operators: 193"));
  EXPECT_THAT(outcome.text, HasSubstr("aten.nonzero.default: its shape depends on data"));
  EXPECT_THAT(outcome.text, HasSubstr("aten.as_strided.default: a view by its strides"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("aten.convolution")));
  EXPECT_THAT(outcome.text, HasSubstr("core                        193  captured  189"));
  EXPECT_THAT(outcome.text, HasSubstr("aten.bincount.default: the shapes of its results depend"));
  EXPECT_THAT(outcome.text, HasSubstr("Megatron-core"));
}

TEST(LemmasCommand, ListsWhatShipsOrWhatAFileHas) {
  const Outcome all = run("lemmas");
  EXPECT_EQ(all.exit, 0);
  EXPECT_THAT(
      all.text,
      HasSubstr("softmax_shift: softmax[d](x + c) = softmax[d](x) where independent(c, d)"));
  ScratchFolder folder;
  folder.write("mine.toml", "[twice]\nleft = \"2 * x\"\nright = \"x + x\"\nsource = \"own\"\n");
  const Outcome mine = run("lemmas" + quoted(folder.path() / "mine.toml"));
  EXPECT_EQ(mine.exit, 0);
  EXPECT_EQ(mine.text, "twice: 2 * x = x + x\n");
}

TEST(LemmasCommand, CertifiesAndItsExitCodeSaysSo) {
  ScratchFolder folder;
  folder.write("right.toml", "[twice]\nleft = \"2 * x\"\nright = \"x + x\"\nsource = \"own\"\n");
  folder.write("wrong.toml", "[twice]\nleft = \"2 * x\"\nright = \"x + 1\"\nsource = \"own\"\n");
  folder.write("malformed.toml", "[twice]\nleft = \"2 * \"\nright = \"x\"\nsource = \"own\"\n");
  const Outcome right = run("lemmas --certify" + quoted(folder.path() / "right.toml"));
  EXPECT_EQ(right.exit, 0) << right.text;
  EXPECT_THAT(right.text, HasSubstr("1 of 1 lemmas certified"));
  const Outcome wrong = run("lemmas --certify" + quoted(folder.path() / "wrong.toml"));
  EXPECT_EQ(wrong.exit, 1);
  EXPECT_THAT(wrong.text, HasSubstr("twice: NOT certified"));
  const Outcome malformed = run("lemmas --certify" + quoted(folder.path() / "malformed.toml"));
  EXPECT_EQ(malformed.exit, 2);
  EXPECT_THAT(malformed.text, HasSubstr("malformed.toml:2:13"));
}

TEST(StaticOnly, LoadsNeitherLibTorchNorZ3) {
  ScratchFolder folder;
  test::write_files(folder, test::small_case_files());
  const Outcome outcome = run("check --static-only" + quoted(folder.path()), "LD_DEBUG=files,libs");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(outcome.text, HasSubstr("libstdc++"));  // the listing works
  for (const char* library : {"libtorch", "libc10", "libz3", "libassay_witness"}) {
    EXPECT_THAT(outcome.text, Not(HasSubstr(library)));
  }
}

TEST(CapturedGraphs, Qwen2IsProvedAndItsOutputIsReplicated) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  ScratchFolder folder;
  const auto json = folder.path() / "out.json";
  const Outcome outcome =
      run("check --static-only" + quoted(test::captured_graphs() / "qwen2-tp2") + "--json" +
          quoted(json));
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  const Report report = report_from_json(read(json), json.string());
  ASSERT_EQ(report.cases.size(), 1u);
  ASSERT_TRUE(report.cases[0].statics);
  for (const TensorReport& output : report.cases[0].statics->outputs) {
    if (output.name != "getitem_34") continue;
    EXPECT_THAT(output.relation, testing::UnorderedElementsAre("getitem_34@0", "getitem_34@1"));
    return;
  }
  FAIL() << "getitem_34 is not reported";
}

}  // namespace
}  // namespace assay
