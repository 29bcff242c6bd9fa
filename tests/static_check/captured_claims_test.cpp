// The float64 execution of the captured graphs' proofs, on smaller cases of the same structure.
#include "dynamic_check/witness/shrink_case.h"
#include "tests/support/captured_cases.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/claims/expect_claims_hold.h"

namespace assay::test {
namespace {

TEST(CapturedProof, EveryClaimOfQwen2IsTheValueThatTheProgramsCompute) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  // Its vocabulary is cut further than powers of two can: 22 words in two shards. 12 tokens.
  const Sizes fewer{{32768, 12}, {151936, 22}, {75968, 11}};
  Case whole = load_case(captured_graphs() / "qwen2-tp2");
  replace_sizes(whole, fewer);
  const Case refinement = shrink_case(whole);
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  for (const uint64_t seed : {1, 2, 3}) expect_claims_hold(refinement, result, seed, 300);
}

TEST(CapturedProof, EveryClaimOfATrainingModelIsTheValueThatTheProgramsCompute) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  // Batch 3, 16 tokens, 4 heads of 2, 22 words.
  const Sizes fewer{{8, 3},     {24, 4},     {12, 2},     {32, 2},    {96, 6},    {192, 12},
                    {384, 4},   {768, 8},    {1152, 12},  {1536, 16}, {2304, 24}, {3072, 32},
                    {6144, 24}, {12288, 48}, {49152, 11}, {98304, 22}};
  Case refinement = load_case(captured_graphs() / "gpt-tp2-l1");
  replace_sizes(refinement, fewer);
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  for (const uint64_t seed : {1, 2, 3}) expect_claims_hold(refinement, result, seed, 300);
}

TEST(CapturedProof, EveryClaimOfABackwardPassIsTheValueThatTheProgramsCompute) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  // Batch 4, 16 tokens, 4 heads of 3, 22 words.
  const Sizes fewer{{16, 2},     {32, 4},       {48, 3},       {144, 9},    {512, 8},
                    {768, 6},    {1024, 16},    {1536, 12},    {2048, 40},  {2304, 18},
                    {3072, 24},  {4608, 36},    {6144, 48},    {32768, 64}, {49152, 11},
                    {98304, 22}, {524288, 128}, {1048576, 256}};
  for (Case refinement :
       {mended_backward(), load_case(captured_graphs() / "bug7-missing-dgrad-allreduce")}) {
    replace_sizes(refinement, fewer);
    const StaticResult result = static_check(refinement, OperatorTable::builtin());
    for (const uint64_t seed : {1, 2}) expect_claims_hold(refinement, result, seed, 100);
  }
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
