// The captured graphs: known answers, and what is special about Qwen2.
#include <gmock/gmock.h>

#include <algorithm>

#include "static_check/check.h"
#include "tests/support/captured_cases.h"
#include "tests/support/captured_graphs.h"

namespace assay::test {
namespace {

StaticResult check_folder(const std::string& name) {
  return static_check(load_case(captured_graphs() / name), OperatorTable::builtin());
}

const TensorReport* find(const std::vector<TensorReport>& tensors, const std::string& name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const TensorReport& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

TEST(CapturedGraph, IsProvedWhereItRefines) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  for (const char* folder :
       {"qwen2-tp2", "llama3-tp2-l1", "llama3-tp2-l1-hlo", "gpt-tp2-l1", "gpt-tp4-l2"}) {
    EXPECT_EQ(check_folder(folder).report.verdict, Verdict::kProved) << folder;
  }
}

TEST(CapturedGraph, IsNotProvedWhereItDoesNotRefine) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  for (const char* folder : {"bug6-grad-accumulation", "bug7-missing-dgrad-allreduce"}) {
    EXPECT_NE(check_folder(folder).report.verdict, Verdict::kProved) << folder;
  }
}

TEST(CapturedGraph, IsProvedOnceItIsMended) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case refinement = mended_backward();
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_EQ(result.report.outputs.size(), refinement.outputs.size());
  const TensorReport* gradient = find(result.report.outputs, "add_19");
  ASSERT_NE(gradient, nullptr);
  EXPECT_TRUE(gradient->pending_sum);
}

TEST(CapturedGraph, NamesTheOperatorThatIsWrong) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const auto accumulation = check_folder("bug6-grad-accumulation").report.failures;
  ASSERT_EQ(accumulation.size(), 2u);
  EXPECT_EQ(accumulation[0].node, "div");
  EXPECT_EQ(accumulation[0].reason, "the parts add up to 2x the value");
  EXPECT_EQ(accumulation[0].nearest, "sum(mean@0, mean_1@0)");
  EXPECT_EQ(accumulation[1].node, "add_1");
  const auto backward = check_folder("bug7-missing-dgrad-allreduce").report.failures;
  ASSERT_EQ(backward.size(), 3u);
  for (size_t i = 0; i < backward.size(); ++i) {
    EXPECT_EQ(backward[i].node, (std::vector<std::string>{"add_8", "mm_7", "mm_8"})[i]);
    EXPECT_THAT(backward[i].reason,
                testing::HasSubstr("is a pending sum over ranks where the whole is needed"));
  }
}

TEST(Qwen2, TheResultIsAReplicaOfBothRanks) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const StaticResult result = check_folder("qwen2-tp2");
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  const TensorReport* output = find(result.report.outputs, "getitem_34");
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->relation, (std::vector<std::string>{"getitem_34@0", "getitem_34@1"}));
  EXPECT_FALSE(output->pending_sum);
}

TEST(Qwen2, TheVocabularyParallelEmbeddingIsProved) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case refinement = load_case(captured_graphs() / "qwen2-tp2");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  int embeddings = 0;
  for (const Node& node : refinement.sequential.nodes) {
    if (node.op.find("embedding.default") == std::string::npos ||
        node.op.find("rotary") != std::string::npos)
      continue;
    ++embeddings;
    const std::string& name =
        refinement.sequential.tensors[static_cast<size_t>(node.outputs.at(0))].name;
    const TensorReport* tensor = find(result.report.tensors, name);
    ASSERT_NE(tensor, nullptr) << name;
    EXPECT_FALSE(tensor->relation.empty()) << name;
  }
  EXPECT_EQ(embeddings, 1);
}

TEST(Qwen2, EveryTensorButUnwrittenMemoryHasARelation) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case refinement = load_case(captured_graphs() / "qwen2-tp2");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  std::vector<std::string> without;
  for (const TensorReport& tensor : result.report.tensors) {
    if (tensor.relation.empty()) without.push_back(tensor.name);
  }
  EXPECT_THAT(without,
              testing::UnorderedElementsAre("empty", "empty_like", "empty_like_1", "view_1"));
}

TEST(Qwen2, EachRanksWeightsAndActivationsAreRearrangementsOfSequentialTensors) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case refinement = load_case(captured_graphs() / "qwen2-tp2");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  ASSERT_EQ(result.distributed_over_sequential.size(), 2u);
  for (size_t rank = 0; rank < 2; ++rank) {
    const Graph& graph = refinement.ranks[rank];
    const auto& over = result.distributed_over_sequential[rank];
    for (const TensorId id : graph.inputs) {
      const std::string& name = graph.tensors[static_cast<size_t>(id)].name;
      EXPECT_TRUE(over.contains(name)) << name << "@" << rank;
    }
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.producer == kNone) continue;
      const std::string& op = graph.nodes[static_cast<size_t>(tensor.producer)].op;
      if (op.starts_with("_C.") || op.find("attention") != std::string::npos) {
        EXPECT_TRUE(over.contains(tensor.name)) << tensor.name << "@" << rank << " of " << op;
      }
    }
  }
}

}  // namespace
}  // namespace assay::test
