// The float64 execution of the captured graphs' proofs, on smaller cases of the same structure.
#include <algorithm>

#include "dynamic_check/replay/reduce_case.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/expect_claims_hold.h"

namespace assay::test {
namespace {

struct Reduced {
  const char* folder;
  int64_t factor;  // of all sizes
};

void PrintTo(const Reduced& reduced, std::ostream* out) { *out << reduced.folder; }

class CapturedProof : public testing::TestWithParam<Reduced> {};

TEST_P(CapturedProof, EveryClaimIsTheValueThatTheProgramsCompute) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  const auto [folder, factor] = GetParam();
  Case refinement = load_case(captured_graphs() / folder);
  if (factor != 1) refinement = reduce_case(refinement, factor);
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict == Verdict::kProved, refinement.known->verdict == "refines");
  constexpr int64_t kSamples = 100;
  expect_claims_hold(refinement, result, 1, kSamples);
}

INSTANTIATE_TEST_SUITE_P(Folders, CapturedProof,
                         testing::Values(Reduced{"bug6-grad-accumulation", 1},
                                         Reduced{"gpt-tp2-l1", 32}, Reduced{"gpt-tp4-l2", 32},
                                         Reduced{"llama3-tp2-l1", 32}, Reduced{"qwen2-tp2", 64}),
                         [](const auto& test) {
                           std::string name = test.param.folder;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace assay::test
