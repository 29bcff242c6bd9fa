// Programs on complex numbers against PyTorch (record.py captured and ran those of values.jsonl),
// and those that are refused.
#include "shared_ir/import/complex_parts/complex_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "shared_ir/import/fx_json/fx_json.h"
#include "shared_ir/import/pt2/pt2.h"
#include "shared_ir/lower/lower.h"
#include "tests/shared_ir/recorded_values.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ComplexParts, ComputeWhatPyTorchComputes) {
  EXPECT_GE(test::expect_recorded_values("tests/shared_ir/complex/values.jsonl"), 11);
}

// A node whose results are y, and what it makes of z complex64 [4, 3] and x float32 [4, 3].
struct Call {
  std::string op;
  std::string args;
  std::string value = R"({"dtype":"complex64","shape":[4,3]})";
  std::string kwargs = "{}";
};

std::string line_of(const std::string& op, const std::string& name, const Call& call) {
  return R"({"op":")" + op + R"(","name":")" + name + R"(","target":")" + call.op + R"(","args":)" +
         call.args + R"(,"kwargs":)" + call.kwargs + R"(,"value":)" + call.value + "},\n";
}

std::string complex_document(const std::string& nodes) {
  return "{\"format\": \"fx-json\", \"version\": 1, \"rank\": 0, \"nodes\": [\n" +
         line_of("placeholder", "z",
                 {"z", "[]", R"({"dtype":"complex64","shape":[4,3],"stride":[3,1]})"}) +
         line_of("placeholder", "x", {"x", "[]", R"({"dtype":"float32","shape":[4,3]})"}) + nodes +
         R"({"op":"output","name":"output","target":"output","args":[[{"node":"y"}]],"kwargs":{}})"
         "\n]}";
}

Graph parse(const Call& call) {
  return parse_fx_json(complex_document(line_of("call_function", "y", call)), "g.json");
}

const Tensor& tensor(const Graph& graph, const std::string& name) {
  return graph.tensors.at(static_cast<size_t>(graph.find(name)));
}

std::string error_of_complex(const std::string& nodes) {
  try {
    parse_fx_json(complex_document(nodes), "g.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string error_of(const Call& call) {
  return error_of_complex(line_of("call_function", "y", call));
}

TEST(ComplexParts, TensorsKeepTheirNamesAndGetADimensionOfParts) {
  const Graph graph = parse({"aten.mul.Tensor", R"([{"node":"z"},{"node":"z"}])"});
  EXPECT_THAT(tensor(graph, "z").shape, ElementsAre(4, 3, 2));
  EXPECT_EQ(tensor(graph, "z").dtype, DType::kFloat32);
  ASSERT_TRUE(tensor(graph, "z").strides);
  EXPECT_THAT(*tensor(graph, "z").strides, ElementsAre(6, 2, 1));
  EXPECT_THAT(tensor(graph, "y").shape, ElementsAre(4, 3, 2));
  EXPECT_THAT(tensor(graph, "y_re").shape, ElementsAre(4, 3));
  EXPECT_EQ(graph.nodes.back().op, "aten.stack.default");
  EXPECT_EQ(graph.nodes.back().outputs, graph.outputs);
}

TEST(ComplexParts, WhatIsMadeIsOfTheLineThatCalledItAndHasANameOfItsOwn) {
  const std::string real = R"({"dtype":"float32","shape":[4,3]})";
  const std::string args = R"([{"node":"z"},{"node":"z"}])";
  std::string product = line_of("call_function", "y", {"aten.mul.Tensor", args});
  product.insert(product.find(R"("value")"), R"("module":"rope","source":"model.py:7",)");
  const Graph graph =
      parse_fx_json(complex_document(line_of("call_function", "y_re",
                                             {"aten.neg.default", R"([{"node":"x"}])", real}) +
                                     product),
                    "g.json");
  EXPECT_NE(graph.find("y_re_1"), kNone);
  for (size_t i = 1; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(to_string(graph.nodes[i].source), "model.py:7");
    EXPECT_EQ(graph.nodes[i].module, "rope");
  }
}

TEST(ComplexParts, ViewsStayViews) {
  const std::string real = R"({"dtype":"float32","shape":[4,3,2]})";
  EXPECT_EQ(parse({"aten.view_as_real.default", R"([{"node":"z"}])", real}).nodes.back().op,
            "aten.alias.default");
  const Graph moved = parse(
      {"aten.transpose.int", R"([{"node":"z"},-1,-2])", R"({"dtype":"complex64","shape":[3,4]})"});
  ASSERT_EQ(moved.nodes.size(), 1U);
  EXPECT_EQ(std::get<int64_t>(moved.nodes[0].args[1].value), 1);
  EXPECT_EQ(std::get<int64_t>(moved.nodes[0].args[2].value), 0);
}

TEST(ComplexParts, CollectivesSendTheParts) {
  const std::string twice = R"({"dtype":"complex64","shape":[8,3]})";
  const Graph gathered =
      parse({"_c10d_functional.all_gather_into_tensor.default", R"([{"node":"z"},2,"0"])", twice});
  EXPECT_THAT(tensor(gathered, "y").shape, ElementsAre(8, 3, 2));
  EXPECT_EQ(gathered.nodes.size(), 1U);
  const std::string half = R"({"dtype":"complex64","shape":[2,3]})";
  EXPECT_EQ(error_of({"_c10d_functional.reduce_scatter_tensor.default",
                      R"([{"node":"z"},"sum",2,"0"])", half}),
            "accepted");
  EXPECT_EQ(error_of({"_c10d_functional.wait_tensor.default", R"([{"node":"z"}])"}), "accepted");
  EXPECT_EQ(error_of({"_c10d_functional.broadcast.default", R"([{"node":"z"},0,"0"])"}),
            "accepted");
  const auto all_reduce = [](const std::string& operation) {
    return Call{"_c10d_functional.all_reduce.default",
                R"([{"node":"z"},")" + operation + R"(","0"])"};
  };
  EXPECT_EQ(error_of(all_reduce("sum")), "accepted");
  EXPECT_THAT(error_of(all_reduce("product")), HasSubstr("is a sum or an average"));
  EXPECT_THAT(
      error_of({"_c10d_functional.all_to_all_single.default", R"([{"node":"z"},[2,2],[2,2],"0"])"}),
      HasSubstr("has no rule for complex tensors"));
}

TEST(ComplexParts, OperatorsWithoutARuleAreRefusedAtTheirNode) {
  const std::string flags = R"({"dtype":"bool","shape":[4,3]})";
  const std::string real = R"({"dtype":"float32","shape":[4,3]})";
  const Call refused[] = {
      {"aten._fft_c2c.default", R"([{"node":"z"},[1],0,true])"},
      {"aten._fft_r2c.default", R"([{"node":"x"},[1],0,true])"},
      {"aten.angle.default", R"([{"node":"z"}])", real},
      {"aten.eq.Tensor", R"([{"node":"z"},{"node":"z"}])", flags},
      {"aten.view.dtype", R"([{"node":"x"},{"const":"torch.complex64"}])", real},
  };
  for (const Call& call : refused)
    EXPECT_THAT(error_of(call),
                AllOf(HasSubstr("g.json:4"), HasSubstr("node 'y': " + call.op + " has no rule"),
                      HasSubstr("torch.view_as_real")));
  EXPECT_THAT(error_of({"aten.pow.Tensor_Scalar", R"([{"node":"z"},3])"}),
              HasSubstr("the exponents -1, 1 and 2"));
  EXPECT_THAT(error_of({"aten.roll.default", R"([{"node":"z"},[1]])"}),
              HasSubstr("needs dimensions"));
  EXPECT_THAT(error_of({"aten.sum.dim_IntList", R"([{"node":"z"},[2]])",
                        R"({"dtype":"complex64","shape":[4]})"}),
              HasSubstr("has a dimension that the complex tensor does not have"));
}

TEST(ComplexParts, OperandsThatAreNoTensorsAreTheCapturesError) {
  const Call wrong[] = {
      {"aten.where.self", R"([true,{"node":"z"},{"node":"z"}])"},
      {"aten.polar.default", R"([1,2])"},
      {"aten.complex.default", R"(["a","b"])"},
      {"aten._conj.default", R"([{"node":"x"}])"},
      {"aten._to_copy.default", R"([{"sym":"u0"}])"},
      {"aten.sum.dim_IntList", R"([{"node":"z"},["a"]])"},
      {"aten.view.default", R"([{"node":"z"},3])"},
      {"aten.cat.default", R"([{"node":"z"}])"},
  };
  for (const Call& call : wrong) EXPECT_THAT(error_of(call), HasSubstr("node 'y'")) << call.op;
}

TEST(ComplexParts, WritesAreRefused) {
  EXPECT_THAT(error_of({"aten.mul_.Tensor", R"([{"node":"z"},2])"}),
              HasSubstr("aten.mul_.Tensor writes into a complex tensor"));
  const std::string real = R"({"dtype":"float32","shape":[4,3,2]})";
  const std::string parts =
      line_of("call_function", "v", {"aten.view_as_real.default", R"([{"node":"z"}])", real});
  const std::string conjugate =
      line_of("call_function", "c", {"aten._conj.default", R"([{"node":"z"}])"});
  const std::string write =
      line_of("call_function", "y", {"aten.add_.Tensor", R"([{"node":"v"},1])", real});
  EXPECT_EQ(error_of_complex(parts + write), "accepted");
  EXPECT_EQ(error_of_complex(parts + write + conjugate), "accepted");
  EXPECT_THAT(error_of_complex(parts + conjugate + write),
              HasSubstr("may write into memory that a conjugate views"));
}

TEST(ComplexParts, WhatACaptureAssertsOfTheDtypeIsLeftOut) {
  const Graph graph = parse_fx_json(
      complex_document(
          R"({"op":"call_function","name":"a","target":"aten._assert_tensor_metadata.default",)"
          R"("args":[{"node":"z"},null,null,{"const":"torch.complex64"}],"kwargs":{}},)" +
          line_of("call_function", "y", {"aten.neg.default", R"([{"node":"z"}])"})),
      "g.json");
  EXPECT_EQ(graph.nodes.size(), 1U);
}

TEST(ComplexParts, ConstantsHaveTheirPartsAsPairs) {
  const auto constant = [](const std::string& value) {
    return R"({"op":"get_attr","name":"y","target":"y","args":[],"kwargs":{},"constant":)" + value +
           R"(,"value":{"dtype":"complex64","shape":[2]}},)";
  };
  EXPECT_EQ(error_of_complex(constant("[[1,2],[3,4.5]]")), "accepted");
  EXPECT_THAT(error_of_complex(constant("[1,3]")), HasSubstr("does not have shape [2, 2]"));
}

}  // namespace
}  // namespace assay
