#include "shared_ir/import/fx_json/fx_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/captured_graphs.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string document(const std::string& nodes) {
  return "{\"format\": \"fx-json\", \"version\": 1, \"rank\": 0, \"nodes\": [\n" + nodes + "\n]}";
}

const std::string kInput =
    R"({"op":"placeholder","name":"x","target":"x","args":[],"kwargs":{},"value":{"dtype":"float32","shape":[4,6],"stride":[6,1],"requires_grad":false}},)"
    "\n";
const std::string kOutput =
    R"({"op":"output","name":"output","target":"output","args":[[{"node":"y"}]],"kwargs":{}})";

std::string call(const std::string& name, const std::string& target, const std::string& args,
                 const std::string& rest = R"("value":{"dtype":"float32","shape":[4,6]})",
                 const std::string& kwargs = "{}") {
  return R"({"op":"call_function","name":")" + name + R"(","target":")" + target + R"(","args":)" +
         args + R"(,"kwargs":)" + kwargs + (rest.empty() ? "" : "," + rest) + "},\n";
}

std::string getitem(const std::string& name, const std::string& of, int index) {
  return call(name, "<built-in function getitem>",
              R"([{"node":")" + of + R"("},)" + std::to_string(index) + "]");
}

Graph parse(const std::string& nodes) {
  return parse_fx_json(document(kInput + nodes + kOutput), "g.json");
}

std::string error_of(const std::string& text) {
  try {
    parse_fx_json(text, "g.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string error_of_nodes(const std::string& nodes) {
  return error_of(document(kInput + nodes + kOutput));
}

TEST(FxJson, ReadsOperatorsArgumentsAndPlaces) {
  const Graph graph = parse(call(
      "y", "aten.op.default", R"([{"node":"x"},1,2.5,true,null,"sum",[{"node":"x"},-1]])",
      R"("value":{"dtype":"bfloat16","shape":[2]},"module":"m.layer","source":"dir/a.py:12")",
      R"j({"dtype":{"const":"float16"},"device":{"const":"device(cuda,0)"},"layout":"torch.strided","low":{"const":"-inf"},"n":{"sym":8}})j"));
  ASSERT_EQ(graph.nodes.size(), 1u);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.op, "aten.op.default");
  ASSERT_EQ(node.args.size(), 7u);
  EXPECT_EQ(std::get<TensorArg>(node.args[0].value).id, 0);
  EXPECT_EQ(std::get<int64_t>(node.args[1].value), 1);
  EXPECT_EQ(std::get<double>(node.args[2].value), 2.5);
  EXPECT_EQ(std::get<bool>(node.args[3].value), true);
  EXPECT_TRUE(node.args[4].is_none());
  EXPECT_EQ(std::get<std::string>(node.args[5].value), "sum");
  EXPECT_EQ(std::get<int64_t>(std::get<ArgList>(node.args[6].value)[1].value), -1);
  ASSERT_EQ(node.kwargs.size(), 5u);
  EXPECT_EQ(node.kwargs[0].first, "dtype");
  EXPECT_EQ(std::get<DType>(node.kwargs[0].second.value), DType::kFloat16);
  EXPECT_TRUE(node.kwargs[1].second.is_none());
  EXPECT_TRUE(node.kwargs[2].second.is_none());
  EXPECT_EQ(std::get<double>(node.kwargs[3].second.value), -INFINITY);
  EXPECT_EQ(std::get<int64_t>(node.kwargs[4].second.value), 8);
  EXPECT_EQ(node.source.file, "dir/a.py");
  EXPECT_EQ(node.source.line, 12);
  EXPECT_EQ(node.module, "m.layer");
  EXPECT_EQ(graph.tensors[1].dtype, DType::kBFloat16);
  EXPECT_THAT(graph.outputs, ElementsAre(1));
}

TEST(FxJson, GetitemsBecomeOutputsAndRepeatedOnesAliases) {
  const Graph graph =
      parse(call("pair", "aten.split", R"([{"node":"x"}])", "") + getitem("b", "pair", 2) +
            getitem("y", "pair", 0) + getitem("b_again", "pair", 2));
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_THAT(graph.nodes[0].outputs, ElementsAre(graph.find("y"), kNone, graph.find("b")));
  EXPECT_EQ(graph.find("b_again"), graph.find("b"));
  EXPECT_EQ(graph.tensors[static_cast<size_t>(graph.find("b"))].name, "b");
  EXPECT_EQ(graph.find("pair"), kNone);
}

TEST(FxJson, GetitemsHaveTheNamesThatPythonAndTorchFxGiveThem) {
  for (const char* target :
       {"<built-in function getitem>", "_operator.getitem", "operator.getitem", "getitem"}) {
    const Graph graph = parse(
        call("pair", "aten.split", R"([{"node":"x"}])", "") +
        call("y", target, R"([{"node":"pair"},1])", R"("value":{"dtype":"float32","shape":[2]})"));
    ASSERT_EQ(graph.nodes.size(), 1u) << target;
    EXPECT_THAT(graph.nodes[0].outputs, ElementsAre(kNone, graph.find("y"))) << target;
  }
  EXPECT_THAT(error_of_nodes(call("pair", "aten.split", R"([{"node":"x"}])", "") +
                             call("y", "aten.relu.default", R"([{"node":"pair"}])",
                                  R"("value":{"dtype":"float32","shape":[2]})")),
              HasSubstr("<built-in function getitem>"));
}

TEST(FxJson, NumbersThatPythonWritesAsWordsAreToldHowToWrite) {
  for (const char* word : {"-Infinity", "Infinity", "NaN"})
    EXPECT_THAT(
        error_of_nodes(call("y", "aten.add.Scalar", std::string(R"([{"node":"x"},)") + word + "]",
                            R"("value":{"dtype":"float32","shape":[2]})")),
        HasSubstr(R"({"const": "-inf"})"))
        << word;
}

TEST(FxJson, AutoFunctionalizedIsTheOperatorThatItWraps) {
  const Graph graph = parse(call("wrap", "auto_functionalized", R"(["_C.norm.default"])", "",
                                 R"({"result":{"node":"x"},"epsilon":1e-06})") +
                            getitem("y", "wrap", 1));
  const Node& node = graph.nodes.at(0);
  EXPECT_EQ(node.op, "_C.norm.default");
  EXPECT_TRUE(node.args.empty());
  EXPECT_EQ(node.kwargs.at(0).first, "result");
  EXPECT_THAT(node.outputs, ElementsAre(kNone, graph.find("y")));
}

TEST(FxJson, AutoFunctionalizedV2FindsMutatedArgumentsAmongItsBases) {
  const std::string wrapped = R"({"s":"name","_t_base_index":0,"_all_bases":[{"node":"x"}]})";
  const Graph graph =
      parse(call("wrap", "auto_functionalized_v2", R"(["tg.log.default"])", "", wrapped) +
            getitem("y", "wrap", 1));
  const Node& node = graph.nodes.at(0);
  ASSERT_EQ(node.kwargs.size(), 2u);
  EXPECT_EQ(node.kwargs[1].first, "t");
  EXPECT_EQ(std::get<TensorArg>(node.kwargs[1].second.value).id, 0);
  EXPECT_THAT(error_of_nodes(call("wrap", "auto_functionalized_v2", R"(["tg.log.default"])", "",
                                  R"({"_t_base_index":1,"_all_bases":[{"node":"x"}]})")),
              HasSubstr("argument 't' does not mutate base number 0"));
}

TEST(FxJson, ConstantsTakeTheTypeOfTheirCopy) {
  const Graph graph =
      parse(R"({"op":"get_attr","name":"c","target":"c","args":[],"kwargs":{},"constant":3},)"
            "\n" +
            call("y", "aten.lift_fresh_copy.default", R"([{"node":"c"}])",
                 R"("value":{"dtype":"float16","shape":[]})"));
  EXPECT_EQ(graph.nodes.at(0).op, kConstantOp);
  EXPECT_EQ(std::get<int64_t>(graph.nodes[0].args.at(0).value), 3);
  EXPECT_EQ(graph.tensors[static_cast<size_t>(graph.find("c"))].dtype, DType::kFloat16);
}

TEST(FxJson, WritingAndReadingIsTheIdentity) {
  Graph graph = parse(
      R"({"op":"get_attr","name":"c","target":"c","args":[],"kwargs":{},"constant":[1.0,{"const":"-inf"}],"value":{"dtype":"float32","shape":[2]}},)"
      "\n" +
      call("void", "_C.note.default", R"(["text"])", "") +
      call("pair", "aten.split", R"([{"node":"x"},[1,null,{"const":"int64"}]])", "",
           R"({"scale":0.1})") +
      getitem("y", "pair", 1) + getitem("z", "pair", 1));
  graph.nodes[2].backward = true;
  const std::string text = to_fx_json(graph, 3);
  const Graph back = parse_fx_json(text, graph.name);
  EXPECT_EQ(to_fx_json(back, 3), text);
  EXPECT_EQ(back.find("z"), back.find("y"));
  ASSERT_EQ(back.nodes.size(), 3u);
  EXPECT_TRUE(back.nodes[2].backward);
  EXPECT_FALSE(back.nodes[1].backward);
  EXPECT_EQ(std::get<double>(back.nodes[2].kwargs.at(0).second.value), 0.1);
}

TEST(FxJson, WhatAProgramHasWaitedForIsReadBack) {
  const std::string value = R"("value":{"dtype":"float32","shape":[4,6]})";
  const auto receive = [&](const std::string& more) {
    return call("r", "c10d.recv.default", R"([{"node":"x"},1,0,"g"])", value + more);
  };
  const auto reader = [&](const std::string& more) {
    return call("y", "aten.neg.default", R"([{"node":"r"}])", value + more);
  };
  const Graph graph = parse(receive(R"(,"work":7)") + reader(R"(,"awaits":[7])"));
  EXPECT_EQ(graph.nodes[0].work, 7);
  EXPECT_THAT(graph.nodes[1].awaits, ElementsAre(7));
  const Graph back = parse_fx_json(to_fx_json(graph, 0), graph.name);
  EXPECT_EQ(back.nodes[0].work, 7);
  EXPECT_EQ(back.nodes[1].awaits, graph.nodes[1].awaits);
  EXPECT_EQ(parse(receive("") + reader("")).nodes[0].work, kNone);

  EXPECT_THAT(error_of_nodes(receive(R"(,"work":7)") + reader(R"(,"awaits":[8])")),
              HasSubstr("awaits 8, which is the work of no node before"));
  EXPECT_THAT(error_of_nodes(receive(R"(,"work":"a")") + reader("")),
              HasSubstr("numbers of work are integers from 0"));
  EXPECT_THAT(error_of_nodes(receive(R"(,"work":7)") + reader(R"(,"awaits":7)")),
              HasSubstr("\"awaits\" is no list"));
}

TEST(FxJson, AResultThatIsNoneIsNoTensor) {
  const Graph graph = parse(
      call("t", "aten.convolution_backward.default", R"([{"node":"x"}])", "") +
      getitem("y", "t", 0) + call("n", "<built-in function getitem>", R"([{"node":"t"},2])", ""));
  EXPECT_EQ(graph.find("n"), kNone);
  EXPECT_NE(graph.find("y"), kNone);
}

struct BadNodes {
  std::string nodes;
  std::string error;
};

class FxJsonErrors : public testing::TestWithParam<BadNodes> {};

TEST_P(FxJsonErrors, NameFileLineAndNode) {
  EXPECT_THAT(error_of_nodes(GetParam().nodes), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Nodes, FxJsonErrors,
    testing::Values(
        BadNodes{call("y", "aten.relu.default", R"([{"node":"nowhere"}])"),
                 "g.json:3: node 'y': uses 'nowhere', which does not exist"},
        BadNodes{call("y", "aten.relu.default", R"([{"node":"z"}])") +
                     call("z", "aten.relu.default", R"([{"node":"y"}])"),
                 "g.json:3: node 'y': uses 'z', which is made only later (line 4)"},
        BadNodes{call("y", "aten.relu.default", R"([{"node":"y"}])"),
                 "g.json:3: node 'y': uses 'y'"},
        BadNodes{call("y", "aten.relu.default", R"([{"node":"x"}])") +
                     call("y", "aten.relu.default", R"([{"node":"x"}])"),
                 "g.json:4: node 'y': another node has this name"},
        BadNodes{call("t", "aten.split", R"([{"node":"x"}])", "") +
                     call("y", "aten.relu.default", R"([{"node":"t"}])"),
                 "g.json:4: node 'y': uses 't', which is no tensor"},
        BadNodes{call("t", "aten.split", R"([{"node":"x"}])", "") +
                     call("n", "<built-in function getitem>", R"([{"node":"t"},0])", "") +
                     call("y", "aten.relu.default", R"([{"node":"n"}])"),
                 "g.json:5: node 'y': uses 'n', which has no \"value\""},
        BadNodes{getitem("y", "x", 0), "getitem of 'x', which is a tensor"},
        BadNodes{getitem("y", "nowhere", 0), "uses 'nowhere', which does not exist"},
        BadNodes{call("y", "<built-in function getitem>", R"([{"node":"x"},-1])"),
                 "a getitem has a node and a constant index from 0"},
        BadNodes{call("y", "aten.relu.default", R"([{"sym":"s0 + 1"}])"),
                 "size 's0' is used, and no operator before has made it"},
        BadNodes{call("y", "aten.relu.default", R"([{"const":"float31"}])"),
                 "unknown constant 'float31'"},
        BadNodes{call("y", "aten.relu.default", R"([18446744073709551615])"), "does not fit 64"},
        BadNodes{
            call("y", "aten.relu.default", "[]", R"("value":{"dtype":"float32","shape":[-4]})"),
            "impossible shape [-4]"},
        BadNodes{call("y", "aten.relu.default", "[]", R"("value":{"dtype":"real","shape":[]})"),
                 "unknown dtype 'real'"},
        BadNodes{call("y", "aten.zeros.default", R"([["s0"]])",
                      R"("value":{"dtype":"bool","shape":["s0"]})"),
                 "sizes of inputs have their values in [symbols] of case.toml"},
        BadNodes{call("y", "aten.relu.default", "[]", R"("color":"red")"), "unknown key \"color\""},
        BadNodes{R"({"op":"get_attr","name":"y","target":"y","args":[],"kwargs":{}},)",
                 "the capture lost the value of this attribute"},
        BadNodes{
            R"({"op":"get_attr","name":"y","target":"y","args":[],"kwargs":{},"constant":[1],"value":{"dtype":"int64","shape":[2]}},)",
            "the constant does not have shape [2]"},
        BadNodes{R"({"op":"call_module","name":"y","target":"y"},)", "unknown op 'call_module'"},
        BadNodes{getitem("y", "x", 100'000), "a getitem has a node and a constant index from 0"},
        BadNodes{"", "uses 'y', which does not exist"}));

TEST(FxJsonErrors, GetitemsDoNotMakeOutputsWithoutBound) {
  std::string nodes;
  for (int i = 0; i < 20; ++i) {
    const std::string tuple = "t" + std::to_string(i);
    nodes += call(tuple, "aten.split", R"([{"node":"x"}])", "") +
             getitem("y" + std::to_string(i), tuple, 90'000);
  }
  EXPECT_THAT(error_of_nodes(nodes), HasSubstr("the getitems count too many outputs"));
}

TEST(FxJsonErrors, TruncatedTextNamesTheLastLine) {
  const std::string text = document(kInput + call("y", "aten.relu.default", "[]") + kOutput);
  EXPECT_THAT(error_of(text.substr(0, text.size() - 10)),
              HasSubstr("g.json:4:79: the JSON text ends too early"));
}

TEST(FxJsonErrors, EveryPrefixOfAFileIsRejectedWithoutACrash) {
  const std::string text =
      document(kInput + call("y", "aten.relu.default", R"([{"node":"x"}])") + kOutput);
  ASSERT_EQ(error_of(text), "accepted");
  for (size_t length = 0; length + 1 < text.size(); ++length) {
    ASSERT_THAT(error_of(text.substr(0, length)), HasSubstr("g.json")) << length;
  }
}

TEST(FxJsonErrors, EveryDamagedCharacterGivesAGraphOrAnError) {
  const std::string text = document(kInput + call("t", "aten.split", R"([{"node":"x"},1.5])", "") +
                                    getitem("y", "t", 1) + kOutput);
  for (size_t i = 0; i < text.size(); ++i) {
    for (char damage : {'0', '"', '[', '}', 'n', '\xff'}) {
      std::string damaged = text;
      damaged[i] = damage;
      const std::string error = error_of(damaged);
      ASSERT_TRUE(error == "accepted" || error.starts_with("g.json")) << error;
    }
  }
}

TEST(FxJsonErrors, HeaderIsChecked) {
  EXPECT_THAT(error_of("[]"), HasSubstr("holds one object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("\"format\""));
  EXPECT_THAT(error_of(R"({"format":"fx-json","version":2,"nodes":[]})"), HasSubstr("version"));
  EXPECT_THAT(error_of(document("")), HasSubstr("no node of op 'output'"));
  EXPECT_THAT(error_of(std::string(100000, '[')), HasSubstr("ends too early"));
}

TEST(FxJsonErrors, MissingFileIsNamed) {
  EXPECT_THROW(import_fx_json("/nowhere/rank0.json"), UserError);
}

TEST(FxJsonCaptured, EveryCapturedGraphReadsAndRoundTrips) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::captured_graphs())) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    SCOPED_TRACE(entry.path());
    const Graph graph = import_fx_json(entry.path());
    EXPECT_FALSE(graph.nodes.empty());
    EXPECT_FALSE(graph.outputs.empty());
    const std::string text = to_fx_json(graph, 0);
    EXPECT_EQ(to_fx_json(parse_fx_json(text, graph.name), 0), text);
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace assay
