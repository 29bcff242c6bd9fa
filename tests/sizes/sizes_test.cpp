// Verdicts for all sizes of symbols: right programs are proved for all, programs that are right at
// some sizes are not.
#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <ostream>

#include "shared_ir/base/module.h"
#include "static_check/symbolic/all_sizes.h"
#include "static_check/symbolic/symbolic_replay.h"
#include "tests/sizes/sized_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

constexpr const char* kMatrices =
    "x = [\"x@0\", \"x@1\"]\n"
    "a = [\"concat(a@0, a@1; dim=1)\"]\n"
    "b = [\"concat(b@0, b@1; dim=0)\"]";
constexpr const char* kReplicated = "x = [\"x@0\", \"x@1\"]";

// relu(x a) b; with a rank's columns of a and rows of b, the sum over ranks.
SizedGraph mlp(const std::string& batch, const std::string& width, bool sum_over_ranks) {
  SizedGraph graph;
  graph.input("x", batch + ", 8").input("a", "8, " + width).input("b", width + ", 8");
  graph.call("h", "aten.mm.default", "%x, %a", batch + ", " + width);
  graph.call("r", "aten.relu.default", "%h", batch + ", " + width);
  graph.call("y", "aten.mm.default", "%r, %b", batch + ", 8");
  if (sum_over_ranks)
    graph.call("z", "_c10d_functional.all_reduce.default", "%y, \"sum\", \"tp\"", batch + ", 8");
  return graph.outputs({sum_over_ranks ? "z" : "y"});
}

constexpr const char* kBiasedMatrices =
    "x = [\"x@0\", \"x@1\"]\n"
    "a = [\"concat(a@0, a@1; dim=1)\"]\n"
    "p = [\"concat(p@0, p@1; dim=0)\"]\n"
    "b = [\"concat(b@0, b@1; dim=0)\"]\n"
    "q = [\"q@0\", \"q@1\"]";

enum class Bias { kAfterTheSum, kOnEachRank };

// gelu(x a + p) b + q, the hidden size over the ranks.
SizedGraph biased_mlp(const std::string& width, bool sum_over_ranks, Bias bias) {
  SizedGraph graph;
  graph.input("x", "s0, 8").input("a", "8, " + width).input("p", width);
  graph.input("b", width + ", 8").input("q", "8");
  graph.call("h", "aten.addmm.default", "%p, %x, %a", "s0, " + width);
  graph.call("g", "aten.gelu.default", "%h", "s0, " + width);
  graph.call("m", "aten.mm.default", "%g, %b", "s0, 8");
  std::string last = "m";
  const auto add_bias = [&] {
    graph.call("w", "aten.add.Tensor", "%" + last + ", %q", "s0, 8");
    last = "w";
  };
  if (bias == Bias::kOnEachRank) add_bias();
  if (sum_over_ranks) {
    graph.call("z", "_c10d_functional.all_reduce.default", "%" + last + ", \"sum\", \"tp\"",
               "s0, 8");
    last = "z";
  }
  if (bias == Bias::kAfterTheSum) add_bias();
  return graph.outputs({last});
}

std::unique_ptr<SizedCase> biased_mlp_case(Bias bias) {
  return std::make_unique<SizedCase>(biased_mlp("h", false, Bias::kAfterTheSum),
                                     biased_mlp("h//2", true, bias), biased_mlp("h//2", true, bias),
                                     kBiasedMatrices,
                                     "s0 = [\"s0 >= 1\"]\nh = [\"h % 2 == 0\", \"h >= 2\"]");
}

// relu of rows [start, end) of x, or of all.
SizedGraph rows(const std::string& start, const std::string& end, const std::string& count) {
  SizedGraph graph;
  graph.input("x", "s0, 8");
  graph.call("p", "aten.slice.Tensor",
             "%x, 0, {\"sym\": \"" + start + "\"}, {\"sym\": \"" + end + "\"}", count + ", 8");
  return graph.call("y", "aten.relu.default", "%p", count + ", 8").outputs({"y"});
}
SizedGraph all_rows() {
  SizedGraph graph;
  return graph.input("x", "s0, 8").call("y", "aten.relu.default", "%x", "s0, 8").outputs({"y"});
}

SizedGraph mean(const std::string& count, bool over_ranks) {
  SizedGraph graph;
  graph.input("x", count + ", 8");
  graph.call("m", "aten.mean.dim", "%x, [0], false", "8");
  if (!over_ranks) return graph.outputs({"m"});
  graph.call("t", "_c10d_functional.all_reduce.default", "%m, \"sum\", \"tp\"", "8");
  return graph.call("d", "aten.div.Scalar", "%t, 2", "8").outputs({"d"});
}

// The squares of two tensors; in a bucket, of both at once.
SizedGraph squares(bool bucket) {
  SizedGraph graph;
  graph.input("a", "s0, 8").input("b", "4*s0");
  if (!bucket) {
    graph.call("u", "aten.mul.Tensor", "%a, %a", "s0, 8");
    return graph.call("v", "aten.mul.Tensor", "%b, %b", "4*s0").outputs({"u", "v"});
  }
  graph.call("f", "aten.view.default", "%a, [-1]", "8*s0");
  graph.call("c", "aten.cat.default", "[%f, %b]", "12*s0");
  graph.call("q", "aten.mul.Tensor", "%c, %c", "12*s0");
  graph.call("g", "aten.slice.Tensor", "%q, 0, 0, {\"sym\": \"8*s0\"}", "8*s0");
  graph.call("v", "aten.slice.Tensor", "%q, 0, {\"sym\": \"8*s0\"}, {\"sym\": \"12*s0\"}", "4*s0");
  graph.size("n", "s0");
  return graph.call("u", "aten.view.default", "%g, [%n, 8]", "s0, 8").outputs({"u", "v"});
}

// Softmax attention over a sequence, each rank with half of the heads.
SizedGraph attention(int heads) {
  const std::string h = std::to_string(heads), scores = h + ", s0, s0", whole = h + ", s0, 4";
  SizedGraph graph;
  graph.input("q", whole).input("k", whole).input("v", whole);
  graph.call("t", "aten.permute.default", "%k, [0, 2, 1]", h + ", 4, s0");
  graph.call("s", "aten.bmm.default", "%q, %t", scores);
  graph.call("p", "aten._softmax.default", "%s, -1, false", scores);
  return graph.call("y", "aten.bmm.default", "%p, %v", whole).outputs({"y"});
}

std::string by_heads() {
  std::string text;
  for (const char* name : {"q", "k", "v"})
    text += std::string(name) + " = [\"concat(" + name + "@0, " + name + "@1; dim=0)\"]\n";
  return text;
}

struct Right {
  const char* name;
  std::function<std::unique_ptr<SizedCase>()> make;
  std::vector<int64_t> sizes;  // of s0, some that satisfy the constraints
};

void PrintTo(const Right& right, std::ostream* out) { *out << right.name; }

const std::vector<Right>& right_cases() {
  static const std::vector<Right> cases = {
      {"Batch",
       [] {
         return std::make_unique<SizedCase>(mlp("s0", "16", false), mlp("s0", "8", true),
                                            mlp("s0", "8", true), kMatrices, "s0 = [\"s0 >= 1\"]");
       },
       {1, 2, 3, 8, 16, 17}},
      {"ShardedWidth",
       [] {
         return std::make_unique<SizedCase>(mlp("4", "s0", false), mlp("4", "s0//2", true),
                                            mlp("4", "s0//2", true), kMatrices,
                                            "s0 = [\"s0 % 2 == 0\", \"s0 >= 2\"]");
       },
       {2, 4, 8, 14, 16}},
      {"HalvesOfRows",
       [] {
         return std::make_unique<SizedCase>(all_rows(), rows("0", "s0//2", "s0//2"),
                                            rows("s0//2", "s0", "s0//2"), kReplicated,
                                            "s0 = [\"s0 % 2 == 0\", \"s0 >= 2\"]");
       },
       {2, 4, 8, 16, 18}},
      {"UnevenHalvesOfRows",
       [] {
         return std::make_unique<SizedCase>(all_rows(), rows("0", "s0//2", "s0//2"),
                                            rows("s0//2", "s0", "s0 - s0//2"), kReplicated,
                                            "s0 = [\"s0 >= 2\"]");
       },
       {2, 3, 4, 8, 9, 17}},
      {"ClampThatTheConstraintsAllow",
       [] {
         return std::make_unique<SizedCase>(all_rows(), rows("0", "512", "s0"),
                                            rows("0", "512", "s0"), kReplicated,
                                            "s0 = [\"2 <= s0 <= 512\"]");
       },
       {2, 8, 511, 512}},
      {"Mean",
       [] {
         return std::make_unique<SizedCase>(mean("2*s0", false), mean("s0", true), mean("s0", true),
                                            "x = [\"concat(x@0, x@1; dim=0)\"]",
                                            "s0 = [\"s0 >= 1\"]");
       },
       {1, 2, 3, 8, 9}},
      {"Bucket",
       [] {
         return std::make_unique<SizedCase>(squares(false), squares(true), squares(true),
                                            "a = [\"a@0\", \"a@1\"]\nb = [\"b@0\", \"b@1\"]",
                                            "s0 = [\"s0 >= 1\"]");
       },
       {1, 2, 3, 8, 9}},
      {"SequenceOfAttention",
       [] {
         return std::make_unique<SizedCase>(attention(6), attention(3), attention(3), by_heads(),
                                            "s0 = [\"s0 >= 1\"]");
       },
       {1, 2, 3, 4, 6, 7}},
  };
  return cases;
}

class RightAtAllSizes : public testing::TestWithParam<Right> {};

TEST_P(RightAtAllSizes, IsProvedForAll) {
  const auto folder = GetParam().make();
  const StaticReport report = check_all_sizes(folder->path(), {}).result.report;
  ASSERT_TRUE(report.sizes);
  EXPECT_EQ(report.verdict, Verdict::kProved);
  EXPECT_TRUE(report.sizes->all) << report.sizes->why;
}

// What soundness means: wherever the verdict is for all, an ordinary check at any sizes agrees, and
// the claims of its certificate hold when they are executed.
TEST_P(RightAtAllSizes, IsRightAtSizesThatItDidNotSee) {
  const auto folder = GetParam().make();
  for (const int64_t size : GetParam().sizes)
    EXPECT_TRUE(proves(load_case(folder->path(), {{"s0", size}}))) << "s0 = " << size;
}

INSTANTIATE_TEST_SUITE_P(Sizes, RightAtAllSizes, testing::ValuesIn(right_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(Sizes, AClampIsNoPassWithoutABound) {
  const SizedCase folder(all_rows(), rows("0", "512", "s0"), rows("0", "512", "s0"), kReplicated,
                         "s0 = [\"s0 >= 2\"]");
  const StaticReport report = check_all_sizes(folder.path(), {}).result.report;
  EXPECT_EQ(report.verdict, Verdict::kUnproved);
  ASSERT_TRUE(report.sizes);
  EXPECT_FALSE(report.sizes->all);
  ASSERT_FALSE(report.sizes->proved.empty());
  EXPECT_GT(report.sizes->example.at("s0"), 512);
  ASSERT_FALSE(report.failures.empty());
  EXPECT_EQ(report.failures.front().kind, "sizes");
  bool named = false;
  for (const auto& condition : report.sizes->proved.front().conditions)
    named |= condition.asked_by == "aten.slice.Tensor at model.py:2";
  EXPECT_TRUE(named) << "the operator that clamps is not named";
}

TEST(Sizes, HalvesThatOverlapAtOddSizesAreNoPass) {
  const SizedCase folder(all_rows(), rows("0", "s0//2", "s0//2"),
                         rows("s0//2", "2*(s0//2)", "s0//2"), kReplicated, "s0 = [\"s0 >= 2\"]");
  const StaticReport report = check_all_sizes(folder.path(), {}).result.report;
  EXPECT_NE(report.verdict, Verdict::kProved);
  ASSERT_TRUE(report.sizes);
  EXPECT_FALSE(report.sizes->all);
}

TEST(Sizes, AnOffsetThatFitsOneSizeIsProvedThereAlone) {
  const SizedCase folder(all_rows(), rows("0", "s0//2", "s0//2"), rows("3", "3 + s0//2", "s0//2"),
                         kReplicated, "s0 = [\"s0 % 2 == 0\", \"s0 >= 6\"]");
  EXPECT_TRUE(proves(load_case(folder.path(), {{"s0", 6}})));
  symbolic::ReplayedProof at_6;
  (*Module(symbolic::kReplayModule).function<symbolic::ReplayProof>(symbolic::kReplayProof))(
      {folder.path().string(), {{"s0", 6}}}, at_6);
  std::vector<std::string> conditions;
  for (const auto& condition : at_6.conditions) conditions.push_back(condition.text);
  // Elements from the first rank's first row to the second's: 3 rows of 8, and half of s0.
  EXPECT_THAT(conditions, testing::Contains(HasSubstr("4*s0 - 24 == 0")));
  EXPECT_NE(check_all_sizes(folder.path(), {}).result.report.verdict, Verdict::kProved);
}

TEST(Sizes, AHiddenSizeThatTheRanksShareIsProvedForAll) {
  const StaticReport report =
      check_all_sizes(biased_mlp_case(Bias::kAfterTheSum)->path(), {}).result.report;
  EXPECT_EQ(report.verdict, Verdict::kProved);
  ASSERT_TRUE(report.sizes);
  EXPECT_TRUE(report.sizes->all) << report.sizes->why;
}

TEST(Sizes, ABiasOnEachRankIsNoPass) {
  const StaticReport report =
      check_all_sizes(biased_mlp_case(Bias::kOnEachRank)->path(), {}).result.report;
  EXPECT_EQ(report.verdict, Verdict::kUnproved);
  ASSERT_TRUE(report.sizes);
  EXPECT_FALSE(report.sizes->all);
  EXPECT_TRUE(report.sizes->proved.empty());
}

TEST(Sizes, AMissingReductionIsNoPass) {
  const SizedCase folder(mlp("s0", "16", false), mlp("s0", "8", false), mlp("s0", "8", false),
                         kMatrices, "s0 = [\"s0 >= 1\"]");
  const StaticReport report = check_all_sizes(folder.path(), {}).result.report;
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_TRUE(report.verdict == Verdict::kUnproved || report.outputs[0].pending_sum);
}

std::string message_of(const SizedCase& folder) {
  try {
    check_all_sizes(folder.path(), {});
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SizesError, SaysAtWhichSizesShapesDoNotFit) {
  const SizedCase folder(all_rows(), rows("0", "s0//2", "s0"), rows("0", "s0//2", "s0"),
                         kReplicated, "s0 = [\"s0 == 6\"]");
  EXPECT_THAT(message_of(folder), HasSubstr("(with s0 = 6)"));
}

TEST(SizesError, SaysWhereConstraintsContradict) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated,
                         "s0 = [\"s0 % 2 == 0\", \"s0 % 4 == 1\"]");
  EXPECT_THAT(message_of(folder), HasSubstr("no sizes satisfy the constraints"));
}

TEST(SizesError, SaysWhichSymbolIsNotDefined) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated, "s1 = [\"s1 >= 2\"]");
  EXPECT_THAT(message_of(folder), HasSubstr("symbol 's0' is not defined"));
}

TEST(SizesError, WantsAConstraint) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated, "s0 = []");
  EXPECT_THAT(message_of(folder), HasSubstr("case.toml:10:1: symbol 's0' has no constraint"));
}

TEST(SizesError, NamesWhatIsNoSymbol) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated,
                         "s0 = [\"s0 >= 2\"]\n\"2x\" = [\"s0 >= 2\"]");
  EXPECT_THAT(message_of(folder), HasSubstr("case.toml:11:1: '2x' is no name of a symbol"));
}

TEST(SizesError, NothingIsAcceptedBesideAProofForAllSizes) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated,
                         "s0 = [\"s0 >= 2\"]\n[accept]\nunproved = [\"y\"]\nreason = \"later\"");
  EXPECT_THAT(message_of(folder), HasSubstr("case.toml:11:2: what is accepted is not checked"));
}

TEST(SizesError, SymbolsAreOfJsonGraphs) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated, "s0 = [\"s0 >= 2\"]");
  std::filesystem::rename(folder.path() / "rank1.json", folder.path() / "rank1.hlo.txt");
  folder.replace("rank1.json", "rank1.hlo.txt");
  EXPECT_THAT(message_of(folder),
              HasSubstr("case.toml:6:26: 'rank1.hlo.txt' cannot have the symbols of this case"));
}

TEST(SizesError, ConstraintsDoNotDivideByZero) {
  const SizedCase folder(all_rows(), all_rows(), all_rows(), kReplicated,
                         "s0 = [\"s0 // s1 == -2\"]\ns1 = [\"s1 <= 0\", \"s0 >= 2\"]");
  EXPECT_THAT(message_of(folder), HasSubstr("no error"));
  const SizedCase zero(all_rows(), all_rows(), all_rows(), kReplicated,
                       "s0 = [\"s0 // s1 == 2\"]\ns1 = [\"s1 == 0\"]");
  EXPECT_THAT(message_of(zero), HasSubstr("no sizes satisfy the constraints"));
}

// The graphs that are saved have one choice of sizes, and so have the symbols.
TEST(Sizes, ASavedCaseIsTheOneThatIsLoaded) {
  const SizedCase folder(all_rows(), rows("0", "s0//2", "s0//2"), rows("s0//2", "s0", "s0//2"),
                         kReplicated, "s0 = [\"s0 % 2 == 0\", \"s0 >= 2\"]");
  const auto texts = [](const Case& refinement) {
    std::vector<std::string> result;
    for (const Constraint& constraint : refinement.symbols.at(0).constraints)
      result.push_back(constraint.text);
    return result;
  };
  const auto saved = folder.path() / "saved", again = folder.path() / "again";
  save_case(load_case(folder.path(), {{"s0", 6}}), saved);
  const Case loaded = load_case(saved, {{"s0", 6}});
  EXPECT_THAT(texts(loaded), testing::ElementsAre("s0 % 2 == 0", "s0 >= 2", "s0 == 6"));
  EXPECT_EQ(loaded.ranks[1].inputs.size(), 1u);
  save_case(loaded, again);
  EXPECT_THAT(texts(load_case(again, {{"s0", 6}})), testing::ElementsAreArray(texts(loaded)));
  EXPECT_THROW(load_case(saved, {{"s0", 8}}), UserError);
  EXPECT_EQ(check_all_sizes(saved, {}).result.report.verdict, Verdict::kProved);
}

TEST(SizesReport, IsReadBackFromJson) {
  CaseReport report;
  report.name = "sized";
  report.statics.emplace();
  SizesReport& sizes = report.statics->sizes.emplace();
  sizes.symbols = {{"s0", {"s0 >= 2"}, 6}};
  sizes.proved = {{{{"s0", 6}}, {{"512 - s0 >= 0", "aten.slice.Tensor at model.py:2"}}}};
  sizes.example = {{"s0", 513}};
  sizes.why = "there it is unproved";
  const std::string json = to_json({{report}});
  EXPECT_EQ(to_json(report_from_json(json, "report.json")), json);
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("proved for some, not for all where s0 >= 2"));
  EXPECT_THAT(text, HasSubstr("512 - s0 >= 0   asked by aten.slice.Tensor at model.py:2"));
  EXPECT_THAT(text, HasSubstr("left, for example, is s0 = 513"));
}

}  // namespace
}  // namespace assay::test
