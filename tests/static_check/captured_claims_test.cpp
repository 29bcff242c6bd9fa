// The float64 execution of the captured graphs' proofs, on smaller cases of the same structure.
#include <map>

#include "dynamic_check/replay/reduce_case.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/expect_claims_hold.h"

namespace assay::test {
namespace {

using Sizes = std::map<int64_t, int64_t>;

void replace(int64_t& value, const Sizes& sizes) {
  if (const auto found = sizes.find(value); found != sizes.end()) value = found->second;
}

void replace(Arg& arg, const Sizes& sizes) {
  if (auto* integer = std::get_if<int64_t>(&arg.value)) replace(*integer, sizes);
  if (auto* list = std::get_if<ArgList>(&arg.value)) {
    for (Arg& item : *list) replace(item, sizes);
  }
}

/// Replaces sizes wherever the graph's shapes and arguments have them.
void replace(Graph& graph, const Sizes& sizes) {
  for (Tensor& tensor : graph.tensors) {
    for (int64_t& size : tensor.shape) replace(size, sizes);
  }
  for (Node& node : graph.nodes) {
    for (Arg& arg : node.args) replace(arg, sizes);
    for (auto& [name, arg] : node.kwargs) replace(arg, sizes);
  }
}

TEST(CapturedProof, EveryClaimOfQwen2IsTheValueThatTheProgramsCompute) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  // Tokens and vocabulary are cut further than the rest: 512 tokens, 2374 words in two shards.
  const Sizes fewer{{512, 16}, {2374, 22}, {1187, 11}};
  Case refinement = reduce_case(load_case(captured_graphs() / "qwen2-tp2"), 64);
  replace(refinement.sequential, fewer);
  for (Graph& rank : refinement.ranks) replace(rank, fewer);
  validate(refinement);
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  for (const uint64_t seed : {1, 2, 3}) expect_claims_hold(refinement, result, seed, 300);
}

TEST(CapturedProof, EveryClaimOfABrokenGraphIsTheValueThatTheProgramsCompute) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const Case refinement = load_case(captured_graphs() / "bug6-grad-accumulation");
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_NE(result.report.verdict, Verdict::kProved);
  for (const uint64_t seed : {1, 2, 3}) expect_claims_hold(refinement, result, seed);
}

}  // namespace
}  // namespace assay::test
