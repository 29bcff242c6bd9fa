// Rewrites of captured programs, at full size: a proof must not hang on how a program is written.
// The tests draw a sample of each kind and case; a full run draws ASSAY_REWRITES of each.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "static_check/check.h"
#include "tests/mutation/cases.h"
#include "tests/mutation/mutation.h"

namespace assay::test {

namespace {

struct Tally {
  size_t valid = 0;
  size_t proved = 0;
};

// Of each kind and case, where there are as many; all of one rank and of all ranks are drawn from.
Tally prove_rewrites(const Case& original, MutationKind kind, size_t most) {
  const OperatorTable operators = OperatorTable::builtin();
  Tally tally;
  for (const Mutation& rewrite : shuffled(mutations_of(original), /*seed=*/1)) {
    if (rewrite.kind != kind) continue;
    if (tally.valid >= most) break;
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
  Tally all;
  const size_t most = sample_size("ASSAY_REWRITES", 8);
  for (const NamedCase& original : whole_cases()) {
    SCOPED_TRACE(original.name);
    const Tally tally = prove_rewrites(original.executed, GetParam(), most);
    std::cout << original.name << ": " << tally.proved << " of " << tally.valid
              << " rewrites are proved\n";
    all.valid += tally.valid;
    all.proved += tally.proved;
  }
  RecordProperty("valid_rewrites", std::to_string(all.valid));
  RecordProperty("proved_rewrites", std::to_string(all.proved));
  EXPECT_GE(all.valid, 30u);
  EXPECT_GE(static_cast<double>(all.proved), 0.98 * static_cast<double>(all.valid));
}

INSTANTIATE_TEST_SUITE_P(Captured, Rewrites,
                         testing::Values(MutationKind::kCommute, MutationKind::kReassociate,
                                         MutationKind::kSplitCollective,
                                         MutationKind::kMoveScaling),
                         [](const auto& one) { return std::string(to_string(one.param)); });

}  // namespace
}  // namespace assay::test
