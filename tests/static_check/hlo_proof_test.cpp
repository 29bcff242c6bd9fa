// Programs in HLO text: proved where they refine, at any depth and degree; not where a collective,
// a group, a contraction or a constant is wrong.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/captured_graphs.h"
#include "tests/support/claims/replay.h"
#include "tests/support/hlo_llama.h"
#include "tests/support/prove.h"
#include "tests/support/small_case.h"

namespace assay::test {
namespace {

StaticResult check_files(const std::map<std::string, std::string>& files) {
  const ScratchFolder folder;
  write_files(folder, files);
  return static_check(load_case(folder.path()), OperatorTable::builtin());
}

// The captured case with the n-th (from 0) occurrence of a text in the distributed module replaced.
std::map<std::string, std::string> captured_with(const std::string& from, const std::string& to,
                                                 int n = 0) {
  std::map<std::string, std::string> files;
  for (const std::string name : {"case.toml", "sequential.hlo.txt", "distributed.hlo.txt"}) {
    std::ifstream stream(captured_graphs() / "llama3-tp2-l1-hlo" / name, std::ios::binary);
    files[name].assign(std::istreambuf_iterator<char>(stream), {});
  }
  std::string& module = files["distributed.hlo.txt"];
  size_t at = module.find(from);
  for (; n > 0 && at != std::string::npos; --n) at = module.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) module.replace(at, from.size(), to);
  return files;
}

TEST(HloCase, ProvesAsItsConversionDoes) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const OperatorTable operators = OperatorTable::builtin();
  const StaticResult converted =
      static_check(load_case(captured_graphs() / "llama3-tp2-l1"), operators);
  const StaticResult text =
      static_check(load_case(captured_graphs() / "llama3-tp2-l1-hlo"), operators);
  EXPECT_EQ(text.report.verdict, Verdict::kProved);
  ASSERT_EQ(text.report.outputs.size(), converted.report.outputs.size());
  for (size_t i = 0; i < text.report.outputs.size(); ++i) {
    EXPECT_EQ(text.report.outputs[i].name, converted.report.outputs[i].name);
    EXPECT_EQ(text.report.outputs[i].relation, converted.report.outputs[i].relation);
  }
}

struct Mutation {
  std::string name, from, to;
  int occurrence = 0;
};

void PrintTo(const Mutation& mutation, std::ostream* out) { *out << mutation.name; }

class HloMutation : public testing::TestWithParam<Mutation> {};

TEST_P(HloMutation, IsNotProved) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const auto& [name, from, to, occurrence] = GetParam();
  const StaticResult result = check_files(captured_with(from, to, occurrence));
  EXPECT_NE(result.report.verdict, Verdict::kProved);
  EXPECT_NE(result.report.verdict, Verdict::kError);
  EXPECT_FALSE(result.report.failures.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Captured, HloMutation,
    testing::Values(
        Mutation{"GroupsOfOneRank", "replica_groups={{0,1}}", "replica_groups={{0},{1}}"},
        Mutation{"GroupsOfOneRankInTheMlp", "replica_groups={{0,1}}", "replica_groups={{0},{1}}",
                 1},
        Mutation{"NoAllReduce", "add(%all-reduce.127, %p0.1)", "add(%reshape.126, %p0.1)"},
        Mutation{"MaximumForSum", "ROOT %add.131 = f16[] add(", "ROOT %add.131 = f16[] maximum("},
        Mutation{"AnotherContractedDimension",
                 "dot(%divide.117, %reshape.120), lhs_batch_dims={0,1}, lhs_contracting_dims={3}",
                 "dot(%divide.117, %reshape.120), lhs_batch_dims={0,1}, lhs_contracting_dims={2}"},
        Mutation{"AnotherSlice", "slice={[0:256], [1280:1536]}", "slice={[0:256], [1024:1280]}"},
        Mutation{"AnotherScale", "constant.85 = f16[] constant(8)",
                 "constant.85 = f16[] constant(16)"},
        Mutation{"AnotherFill", "constant(-30000)", "constant(-20000)"},
        Mutation{"AnotherEpsilon", "constant.134 = f32[] constant(1e-05)",
                 "constant.134 = f32[] constant(1e-06)"},
        Mutation{"AnotherComparison", "direction=LE", "direction=LT"},
        Mutation{"SumForMaximum", "ROOT %maximum.102 = f16[] maximum(",
                 "ROOT %maximum.102 = f16[] add("},
        Mutation{"AnotherInitialValue", "constant.108 = f16[] constant(0)",
                 "constant.108 = f16[] constant(1)"},
        Mutation{"AnotherTransposition", "transpose(%dot.121), dimensions={2,0,1,3}",
                 "transpose(%dot.121), dimensions={3,0,1,2}"},
        Mutation{"AnotherBroadcast", "broadcast(%p1.2), dimensions={0}",
                 "broadcast(%p1.2), dimensions={1}"},
        Mutation{"OperandsExchanged", "subtract(%multiply.65, %multiply.66)",
                 "subtract(%multiply.66, %multiply.65)"}),
    [](const auto& instance) { return instance.param.name; });

TEST(HloCase, BenignRewritesAreProved) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"replica_groups={{0,1}}", "replica_groups=[1,2]<=[2]"},
           {"replica_groups={{0,1}}", "replica_groups={}"},
           {"multiply(%dot.138, %logistic.139)", "multiply(%logistic.139, %dot.138)"},
           {"add(%all-reduce.127, %p0.1)", "add(%p0.1, %all-reduce.127)"}}) {
    EXPECT_EQ(check_files(captured_with(from, to)).report.verdict, Verdict::kProved) << to;
  }
}

class HloLlamaCase : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(HloLlamaCase, IsProvedAndReplayed) {
  const auto [layers, ranks] = GetParam();
  const ScratchFolder folder;
  write_files(folder, hlo_llama_case({.layers = layers, .ranks = ranks}));
  const Case refinement = load_case(folder.path());
  const OperatorTable operators = OperatorTable::builtin();
  const StaticResult result = static_check(refinement, operators);
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_EQ(result.report.outputs.size(), static_cast<size_t>(2 * layers + 1));
  const CheckResult replay = replay_of(refinement, result.certificate, operators).check();
  EXPECT_TRUE(replay.accepted) << replay.reason;
  if (layers * ranks <= 4) expect_claims_hold(refinement, result, 1, 200);
}

INSTANTIATE_TEST_SUITE_P(Decoders, HloLlamaCase,
                         testing::Values(std::pair{1, 2}, std::pair{2, 2}, std::pair{1, 4},
                                         std::pair{2, 8}, std::pair{8, 2}, std::pair{8, 8}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.first) + "LayersOver" +
                                  std::to_string(instance.param.second) + "Ranks";
                         });

// The last all-reduce of the module reads its operand from another place, or is left out.
TEST(HloLlamaCase, AFaultInTheLastLayerIsFound) {
  auto files = hlo_llama_case({.layers = 8, .ranks = 4});
  std::string& module = files["distributed.hlo.txt"];
  const size_t at = module.rfind("all-reduce(");
  ASSERT_NE(at, std::string::npos);
  const size_t end = module.find('\n', at);
  module.replace(at, end - at, "copy(" + module.substr(at + 11, module.find(')', at) - at - 10));
  const StaticResult result = check_files(files);
  EXPECT_NE(result.report.verdict, Verdict::kProved);
  ASSERT_FALSE(result.report.failures.empty());
  for (const TensorReport& output : result.report.outputs)
    EXPECT_EQ(output.relation.empty(), output.name == "logits") << output.name;
}

// Each rank cuts its columns of a replicated weight out, at an offset from a table.
StaticResult check_partitioned(const std::string& table) {
  const std::string inputs = "  %x = f32[2,3] parameter(0)\n  %w = f32[3,4] parameter(1)\n";
  const std::string contract = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  return check_files(
      {{"case.toml",
        "version = 1\nname = \"partitioned\"\n[sequential]\ngraphs = [\"s.hlo.txt\"]\n"
        "[distributed]\ngraphs = [\"d.hlo.txt\"]\nranks = 2\n[inputs]\n"
        "x = [\"x@0\", \"x@1\"]\nw = [\"w@0\", \"w@1\"]\n"
        "[expect]\ny = [\"y@0\"]\n"},
       {"s.hlo.txt", "HloModule s\nENTRY %main {\n" + inputs + "  ROOT %y = f32[2,4] dot(%x, %w)" +
                         contract + "}\n"},
       {"d.hlo.txt", "HloModule d, num_partitions=2\nENTRY %main {\n" + inputs +
                         "  %p = u32[] partition-id()\n  %z = s32[] constant(0)\n"
                         "  %t = s32[2] constant(" +
                         table +
                         ")\n"
                         "  %e = s32[1] dynamic-slice(%t, %p), dynamic_slice_sizes={1}\n"
                         "  %o = s32[] reshape(%e)\n"
                         "  %c = f32[3,2] dynamic-slice(%w, %z, %o), dynamic_slice_sizes={3,2}\n"
                         "  %l = f32[2,2] dot(%x, %c)" +
                         contract +
                         "  ROOT %y = f32[2,4] all-gather(%l), channel_id=1, "
                         "replica_groups={{0,1}}, dimensions={1}, use_global_device_ids=true\n"
                         "}\n"}});
}

TEST(HloCase, APartitionFindsItsShareByItsId) {
  const StaticResult right = check_partitioned("{0, 2}");
  EXPECT_EQ(right.report.verdict, Verdict::kProved);
  ASSERT_EQ(right.report.outputs.size(), 1u);
  EXPECT_EQ(right.report.outputs[0].relation.front(), "y@0");
  EXPECT_NE(check_partitioned("{2, 0}").report.verdict, Verdict::kProved);
  EXPECT_NE(check_partitioned("{0, 1}").report.verdict, Verdict::kProved);
}

// Two independent all-reduces of x and of exp(x), which the text of rank 1 may list in the other
// order.
StaticResult check_channels(int of_x, int of_exp, bool other_order) {
  const auto rank = [&](bool exp_first, int x_channel, int exp_channel) {
    const std::string groups =
        ", replica_groups={{0,1}}, to_apply=%add, use_global_device_ids=true\n";
    const std::string x =
        "  %rx = f32[4] all-reduce(%x), channel_id=" + std::to_string(x_channel) + groups;
    const std::string e =
        "  %re = f32[4] all-reduce(%e), channel_id=" + std::to_string(exp_channel) + groups;
    return "HloModule d, num_partitions=2\n%add {\n  %a = f32[] parameter(0)\n"
           "  %b = f32[] parameter(1)\n  ROOT %r = f32[] add(%a, %b)\n}\nENTRY %main {\n"
           "  %x = f32[4] parameter(0)\n  %e = f32[4] exponential(%x)\n" +
           (exp_first ? e + x : x + e) + "  ROOT %y = f32[4] subtract(%rx, %re)\n}\n";
  };
  return check_files(
      {{"case.toml",
        "version = 1\nname = \"channels\"\n[sequential]\ngraphs = [\"s.hlo.txt\"]\n"
        "[distributed]\ngraphs = [\"0.hlo.txt\", \"1.hlo.txt\"]\nranks = 2\n[inputs]\n"
        "x = [\"x@0\", \"x@1\"]\n[expect]\ny = [\"y@0\", \"y@1\"]\n"},
       {"s.hlo.txt",
        "HloModule s\nENTRY %main {\n  %x = f32[4] parameter(0)\n  %e = f32[4] exponential(%x)\n"
        "  %x2 = f32[4] add(%x, %x)\n  %e2 = f32[4] add(%e, %e)\n"
        "  ROOT %y = f32[4] subtract(%x2, %e2)\n}\n"},
       {"0.hlo.txt", rank(false, 1, 2)},
       {"1.hlo.txt", rank(other_order, of_x, of_exp)}});
}

TEST(HloCase, RanksMeetByChannelAndNotByTheOrderOfTheirTexts) {
  EXPECT_EQ(check_channels(1, 2, false).report.verdict, Verdict::kProved);
  EXPECT_NE(check_channels(2, 1, false).report.verdict, Verdict::kProved)
      << "each waits in the channel to which the other comes later";
  EXPECT_NE(check_channels(1, 2, true).report.verdict, Verdict::kProved);
  EXPECT_NE(check_channels(2, 1, true).report.verdict, Verdict::kProved)
      << "x of one rank meets exp(x) of the other";
  EXPECT_NE(check_channels(1, 3, false).report.verdict, Verdict::kProved) << "nobody else has it";
}

TEST(HloCase, GroupsOfTheGraphAreNotRedefined) {
  auto files = hlo_llama_case({});
  files["case.toml"] += "\n[groups.distributed]\n\"{0,1}\" = [1, 0]\n";
  EXPECT_THROW(check_files(files), UserError);
}

TEST(HloCase, AnElidedConstantNeedsARelation) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  auto files = captured_with("", "");
  std::string& text = files["case.toml"];
  const size_t at = text.find("\"constant.22\"");
  ASSERT_NE(at, std::string::npos);
  text.erase(at, text.find('\n', at) - at);
  try {
    check_files(files);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("sequential.hlo.txt:40:38: the value of constant "
                                                 "'constant.22' is left out"));
  }
}

}  // namespace
}  // namespace assay::test
