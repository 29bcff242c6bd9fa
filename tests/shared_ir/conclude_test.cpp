#include "shared_ir/report/conclude.h"

#include <gtest/gtest.h>

#include "shared_ir/report/accepted_outputs.h"

namespace assay {
namespace {

CaseReport concluded(Verdict proof, std::optional<RunVerdict> run,
                     const std::optional<Accepted>& accept = {}, RunAsked asked = RunAsked::kYes) {
  CaseReport report;
  report.statics.emplace().verdict = proof;
  report.statics->outputs = {{"y", proof, {}, false}};
  if (run) report.dynamic.emplace().verdict = *run;
  conclude(report, accept, asked);
  return report;
}

TEST(VerdictOfBoth, ProvedAndWithinTolerancePasses) {
  EXPECT_EQ(concluded(Verdict::kProved, RunVerdict::kAgrees).verdict, Verdict::kProved);
  EXPECT_EQ(concluded(Verdict::kProved, RunVerdict::kAgrees).exit, 0);
}

TEST(VerdictOfBoth, ARunThatIsAskedForAndMissingIsNoPass) {
  const CaseReport missing = concluded(Verdict::kProved, std::nullopt);
  EXPECT_EQ(missing.verdict, Verdict::kUnproved);
  EXPECT_EQ(missing.exit, 1);
  const Accepted accept{{"y"}, "approximate on purpose"};
  EXPECT_EQ(concluded(Verdict::kUnproved, std::nullopt, accept).exit, 1);
}

TEST(VerdictOfBoth, AProofAlonePassesWhereNoRunIsAskedForAndSaysSo) {
  const CaseReport alone = concluded(Verdict::kProved, std::nullopt, {}, RunAsked::kNo);
  EXPECT_EQ(alone.verdict, Verdict::kProved);
  EXPECT_EQ(alone.exit, 0);
  ASSERT_EQ(alone.notes.size(), 1u);
  EXPECT_EQ(alone.notes[0], "nothing was run: the verdict is the proof's alone");
}

TEST(VerdictOfBoth, ADeviationRefutesWhateverTheProofSays) {
  for (Verdict proof :
       {Verdict::kProved, Verdict::kUnproved, Verdict::kTimeout, Verdict::kUnsupported}) {
    EXPECT_EQ(concluded(proof, RunVerdict::kDeviates).verdict, Verdict::kRefuted)
        << to_string(proof);
    EXPECT_EQ(concluded(proof, RunVerdict::kDeviates).exit, 1) << to_string(proof);
  }
}

TEST(VerdictOfBoth, ARunWithinToleranceProvesNothing) {
  for (Verdict proof :
       {Verdict::kRefuted, Verdict::kUnproved, Verdict::kTimeout, Verdict::kUnsupported}) {
    EXPECT_EQ(concluded(proof, RunVerdict::kAgrees).verdict, proof);
    EXPECT_EQ(concluded(proof, RunVerdict::kAgrees).exit, 1) << to_string(proof);
  }
}

TEST(VerdictOfBoth, ARunThatDoesNotFinishFails) {
  EXPECT_EQ(concluded(Verdict::kProved, RunVerdict::kStuck).exit, 1);
  EXPECT_EQ(concluded(Verdict::kProved, RunVerdict::kFailed).exit, 2);
}

TEST(VerdictOfBoth, AnAcceptedOutputPassesWithoutProofButNotWithADeviation) {
  const Accepted accept{{"y"}, "approximate on purpose"};
  EXPECT_EQ(concluded(Verdict::kUnproved, RunVerdict::kAgrees, accept).exit, 0);
  EXPECT_EQ(concluded(Verdict::kUnproved, RunVerdict::kAgrees, accept).verdict, Verdict::kUnproved);
  EXPECT_EQ(concluded(Verdict::kUnproved, RunVerdict::kDeviates, accept).exit, 1);
  EXPECT_EQ(concluded(Verdict::kRefuted, RunVerdict::kAgrees, accept).exit, 1);
}

TEST(VerdictOfBoth, AcceptingOneOutputDoesNotAcceptAnother) {
  const Accepted accept{{"z"}, "another one"};
  EXPECT_EQ(concluded(Verdict::kUnproved, RunVerdict::kAgrees, accept).exit, 1);
}

TEST(VerdictOfBoth, WhatDidNotEndIsNotAccepted) {
  const std::optional<Accepted> accept = Accepted{{"y"}, "approximate on purpose"};
  StaticReport proof;
  proof.verdict = Verdict::kUnproved;
  EXPECT_FALSE(accepted(proof, accept));
  proof.outputs = {{"y", Verdict::kUnproved, {}, false}};
  EXPECT_TRUE(accepted(proof, accept));
  proof.verdict = Verdict::kTimeout;
  EXPECT_FALSE(accepted(proof, accept));
}

TEST(VerdictOfBoth, AcceptingAnOutputDoesNotAcceptAFailedExpectationOfAnother) {
  const std::optional<Accepted> accept = Accepted{{"y"}, "approximate on purpose"};
  StaticReport proof;
  proof.verdict = Verdict::kUnproved;
  proof.outputs = {{"y", Verdict::kUnproved, {}, false}};
  EXPECT_TRUE(accepted(proof, accept));
  proof.failures.emplace_back().kind = "expectation";
  proof.failures.back().node = "z";
  EXPECT_FALSE(accepted(proof, accept));
}

TEST(VerdictOfBoth, ARunAloneThatAgreesPassesAndProvesNothing) {
  const auto alone = [](RunVerdict run) {
    CaseReport report;
    report.dynamic.emplace().verdict = run;
    conclude_run_alone(report);
    return std::pair(report.verdict, report.exit);
  };
  EXPECT_EQ(alone(RunVerdict::kAgrees), std::pair(Verdict::kUnproved, 0));
  EXPECT_EQ(alone(RunVerdict::kInconclusive), std::pair(Verdict::kUnproved, 1));
  EXPECT_EQ(alone(RunVerdict::kDeviates), std::pair(Verdict::kRefuted, 1));
  EXPECT_EQ(alone(RunVerdict::kStuck), std::pair(Verdict::kTimeout, 1));
  EXPECT_EQ(alone(RunVerdict::kFailed), std::pair(Verdict::kError, 2));
}

}  // namespace
}  // namespace assay
