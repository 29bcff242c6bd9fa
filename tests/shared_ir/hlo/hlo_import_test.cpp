// How HLO text becomes a graph: names, tuples, calls, places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared_ir/import/hlo/hlo.h"
#include "tests/shared_ir/hlo/hlo_program.h"

namespace assay::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::vector<std::string> names;
  for (const TensorId id : tensors) names.push_back(graph.tensors[static_cast<size_t>(id)].name);
  return names;
}

std::vector<std::string> ops_of(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

TEST(HloImport, InstructionsBecomeNodesWithOperandsAndAttributes) {
  const Graph graph = hlo_graph(
      "%x = f32[4,6]{1,0} parameter(1)\n"
      "y.1 = bf16[6] parameter(0)\n"
      "ROOT %d = f32[3,6] slice(f32[4,6]{1,0} %x), slice={[0:3], [0:6:1]}\n");
  EXPECT_THAT(names_of(graph, graph.inputs), ElementsAre("y.1", "x"));
  EXPECT_THAT(names_of(graph, graph.outputs), ElementsAre("d"));
  ASSERT_EQ(graph.nodes.size(), 1u);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.op, "hlo.slice");
  ASSERT_EQ(node.args.size(), 1u);
  EXPECT_EQ(std::get<TensorArg>(node.args[0].value).id, graph.find("x"));
  ASSERT_EQ(node.kwargs.size(), 3u);
  EXPECT_EQ(node.kwargs[1].first, "limits");
  EXPECT_EQ(std::get<int64_t>(std::get<ArgList>(node.kwargs[1].second.value)[0].value), 3);
  const Tensor& y = graph.tensors[static_cast<size_t>(graph.find("y.1"))];
  EXPECT_EQ(y.dtype, DType::kBFloat16);
  EXPECT_EQ(graph.tensors[static_cast<size_t>(node.outputs[0])].shape, (Shape{3, 6}));
}

TEST(HloImport, ANodesSourceIsTheUsersLineElseTheTexts) {
  const Graph graph = hlo_graph(
      "%x = f32[] parameter(0)\n"
      R"(%a = f32[] sine(%x), metadata={op_type="m" op_name="f/g" source_file="dir/a.py\n---\n['b.py:9']" source_line=46})"
      "\n  ROOT %b = f32[] cosine(%a)\n");
  EXPECT_EQ(to_string(graph.nodes[0].source), "dir/a.py:46");
  EXPECT_EQ(graph.nodes[0].module, "f/g");
  EXPECT_EQ(to_string(graph.nodes[1].source), "m.hlo.txt:24:8");
}

// The partitioner leaves its marks on what devices compute of their own parts.
TEST(HloImport, AManualShardingSaysNothing) {
  const Graph graph = hlo_graph(
      "%x = f32[2] parameter(0), sharding={manual}\n"
      "ROOT %c = f32[2] copy(%x), sharding={manual}\n");
  EXPECT_THAT(ops_of(graph), ElementsAre("hlo.copy"));
}

TEST(HloImport, TuplesAreDissolved) {
  const Graph graph = hlo_graph(
      "%p = (f32[2], (s32[], f32[3])) parameter(0)\n"
      "%t = (s32[], f32[3]) get-tuple-element(%p), index=1\n"
      "%v = f32[3] get-tuple-element(%t), index=1\n"
      "%u = f32[2] get-tuple-element(%p), index=0\n"
      "%w = (f32[2]) tuple(%u)\n"
      "ROOT %r = (f32[3], (f32[2])) tuple(%v, %w)\n");
  EXPECT_TRUE(graph.nodes.empty());
  EXPECT_THAT(names_of(graph, graph.inputs), ElementsAre("p:0", "p:1:0", "p:1:1"));
  EXPECT_THAT(names_of(graph, graph.outputs), ElementsAre("p:1:1", "p:0"));
  EXPECT_EQ(graph.find("v"), graph.find("p:1:1"));
}

TEST(HloImport, ACallsComputationIsInlinedUnderItsName) {
  const std::string text =
      "HloModule m\n"
      "%f (a: f32[2]) -> (f32[2], f32[2]) {\n"
      "  %a = f32[2] parameter(0)\n  %s = f32[2] sine(%a)\n"
      "  ROOT %t = (f32[2], f32[2]) tuple(%s, %a)\n}\n"
      "ENTRY %main {\n"
      "  %x = f32[2] parameter(0)\n"
      "  %c = (f32[2], f32[2]) call(%x), to_apply=%f\n"
      "  %y = f32[2] get-tuple-element(%c), index=0\n"
      "  %d = (f32[2], f32[2]) fusion(%y), kind=kLoop, calls=%f\n"
      "  ROOT %z = f32[2] get-tuple-element(%d), index=0\n}\n";
  Groups groups;
  const Graph graph = HloModule::parse(text, "m.hlo.txt").graph(0, 1, groups);
  EXPECT_THAT(ops_of(graph), ElementsAre("hlo.sine", "hlo.sine"));
  EXPECT_THAT(names_of(graph, graph.outputs), ElementsAre("d:s"));
  EXPECT_EQ(graph.find("y"), graph.find("c:s"));
  EXPECT_EQ(graph.find("z"), graph.find("d:s"));
  EXPECT_EQ(graph.find("d:a"), graph.find("y"));
}

TEST(HloImport, ComputationsThatStayFunctionsAreComparedByWhatTheyDo) {
  const auto key = [](const std::string& body) {
    const std::string text = "HloModule m\n%f {\n" + body +
                             "}\nENTRY %main {\n"
                             "  %x = f32[4] parameter(0)\n  %i = f32[] constant(0)\n"
                             "  ROOT %r = f32[] reduce(%x, %i), dimensions={0}, to_apply=%f\n}\n";
    Groups groups;
    const Graph graph = HloModule::parse(text, "m.hlo.txt").graph(0, 1, groups);
    return std::get<std::string>(graph.nodes.back().kwargs.back().second.value);
  };
  const std::string head = "  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n";
  EXPECT_EQ(key(head + "  ROOT %r = f32[] add(%a, %b)\n"), "add");
  EXPECT_EQ(key(head + "  ROOT %r = f32[] add(%b, %a), metadata={op_name=\"n\"}\n"), "add");
  const std::string difference = key(head + "  ROOT %r = f32[] subtract(%a, %b)\n");
  EXPECT_EQ(difference, key("  %q = f32[] parameter(0)\n  %p = f32[] parameter(1)\n"
                            "  ROOT %s = f32[] subtract(%q, %p)\n"))
      << "names are no part of a function";
  EXPECT_NE(difference, key(head + "  ROOT %r = f32[] subtract(%b, %a)\n"));
  EXPECT_NE(key(head + "  ROOT %r = f32[] add(%a, %a)\n"), "add");
}

TEST(HloImport, AnElidedConstantIsAnInputThatTheCaseRelates) {
  Graph graph = hlo_graph("ROOT %c = f32[32] constant({...})\n");
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes[0].op, kElidedConstantOp);
  EXPECT_EQ(to_string(graph.nodes[0].source), "m.hlo.txt:22:28");
}

TEST(HloImport, RanksDifferInIdsAndGroups) {
  const HloModule module = HloModule::parse(
      hlo_text("%x = f32[2] parameter(0)\n"
               "%p = u32[] partition-id()\n%r = u32[] replica-id()\n"
               "ROOT %y = f32[2] all-reduce(%x), replica_groups={{0,2},{1,3}}, to_apply=%add, "
               "channel_id=1, use_global_device_ids=true\n",
               ", replica_count=2, num_partitions=2"),
      "m.hlo.txt");
  Groups groups;
  const Graph graph = module.graph(3, 4, groups);
  EXPECT_EQ(std::get<int64_t>(graph.nodes[0].args[0].value), 1) << "rank 3 = replica 1 * 2 + 1";
  EXPECT_EQ(std::get<int64_t>(graph.nodes[1].args[0].value), 1);
  EXPECT_EQ(groups, (Groups{{"{1,3} of channel 1", {1, 3}}}));
  module.graph(0, 4, groups);
  EXPECT_EQ(groups, (Groups{{"{0,2} of channel 1", {0, 2}}, {"{1,3} of channel 1", {1, 3}}}));
}

std::vector<Rank> group_of_rank_0(const std::string& attributes, const std::string& header,
                                  int64_t ranks) {
  Groups groups;
  HloModule::parse(hlo_text("%x = f32[2] parameter(0)\n"
                            "ROOT %y = f32[2] all-reduce(%x), to_apply=%add" +
                                attributes + "\n",
                            header),
                   "m.hlo.txt")
      .graph(0, ranks, groups);
  return groups.begin()->second;
}

TEST(HloImport, GroupsNumberReplicasOrRanksAsTheInstructionSays) {
  const std::string grid = ", replica_count=2, num_partitions=2";
  EXPECT_THAT(group_of_rank_0(", replica_groups={}", "", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(group_of_rank_0("", grid, 4), ElementsAre(0, 2)) << "the replicas of one partition";
  EXPECT_THAT(group_of_rank_0(", channel_id=7, replica_groups={{0},{1}}", grid, 4),
              ElementsAre(0, 1))
      << "all partitions of the replicas";
  EXPECT_THAT(group_of_rank_0(", channel_id=7, use_global_device_ids=true, "
                              "replica_groups={{3,0},{1,2}}",
                              grid, 4),
              ElementsAre(3, 0));
  EXPECT_THAT(group_of_rank_0(", replica_groups=[2,4]<=[8]", "", 8), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(group_of_rank_0(", replica_groups=[2,4]<=[4,2]T(1,0)", "", 8),
              ElementsAre(0, 2, 4, 6));
}

}  // namespace
}  // namespace assay::test
