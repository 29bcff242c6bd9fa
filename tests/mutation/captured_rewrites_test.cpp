// Rewrites of captured models, at full size: a proof must not hang on how a program is written.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "static_check/check.h"
#include "tests/mutation/mutation.h"
#include "tests/support/captured_cases.h"
#include "tests/support/captured_graphs.h"

namespace assay::test {

void PrintTo(const MutationKind& kind, std::ostream* out) { *out << to_string(kind); }

namespace {

// Of each kind and model, where there are as many; all of one rank and of all ranks are drawn from.
constexpr size_t kMost = 40;

struct Model {
  const char* name;
  Case (*load)();
};

Case captured(const char* folder) { return load_case(captured_graphs() / folder); }

const Model kModels[] = {
    {"qwen2", [] { return captured("qwen2-tp2"); }},
    {"gpt", [] { return captured("gpt-tp2-l1"); }},
    {"gpt_tp4", [] { return captured("gpt-tp4-l2"); }},
    {"llama3", [] { return captured("llama3-tp2-l1"); }},
    {"llama3_hlo", [] { return captured("llama3-tp2-l1-hlo"); }},
    {"backward", mended_backward},
};

struct Tally {
  size_t valid = 0;
  size_t proved = 0;
};

Tally prove_rewrites(const Case& original, MutationKind kind) {
  const OperatorTable operators = OperatorTable::builtin();
  Tally tally;
  for (const Mutation& rewrite : shuffled(mutations_of(original), /*seed=*/1)) {
    if (rewrite.kind != kind) continue;
    if (tally.valid == kMost) break;
    Case rewritten = original;
    rewrite.apply(rewritten);
    SCOPED_TRACE(rewrite.what);
    const StaticReport report = static_check(rewritten, operators).report;
    ++tally.valid;
    if (report.verdict == Verdict::kProved) {
      ++tally.proved;
      continue;
    }
    std::cout << rewrite.what << ": " << to_string(report.verdict);
    for (const FailureReport& failure : report.failures)
      std::cout << "; " << failure.node << ": " << failure.reason;
    std::cout << '\n';
  }
  return tally;
}

class Rewrites : public testing::TestWithParam<MutationKind> {};

TEST_P(Rewrites, AreProvedAsTheOriginalIs) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  Tally all;
  for (const Model& model : kModels) {
    SCOPED_TRACE(model.name);
    const Tally tally = prove_rewrites(model.load(), GetParam());
    std::cout << model.name << ": " << tally.proved << " of " << tally.valid
              << " rewrites are proved\n";
    all.valid += tally.valid;
    all.proved += tally.proved;
  }
  RecordProperty("valid_rewrites", std::to_string(all.valid));
  RecordProperty("proved_rewrites", std::to_string(all.proved));
  EXPECT_GT(all.valid, 0u);
  EXPECT_GE(static_cast<double>(all.proved), 0.98 * static_cast<double>(all.valid));
}

INSTANTIATE_TEST_SUITE_P(Captured, Rewrites,
                         testing::Values(MutationKind::kCommute, MutationKind::kReassociate,
                                         MutationKind::kSplitCollective,
                                         MutationKind::kMoveScaling),
                         [](const auto& one) { return std::string(to_string(one.param)); });

}  // namespace
}  // namespace assay::test
