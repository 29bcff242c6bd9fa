// Claims that evaluation shows in place of a derivation: what they say has to hold, be what the
// sequential tensor claims, and start from claims that are derived.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checker/hand_cases.h"

namespace assay::test {
namespace {

CleanExpr sequential(const std::string& name) {
  CleanExpr leaf;
  leaf.name = name;
  return leaf;
}

void expect_not_accepted(const Replay& replay, const std::string& reason) {
  const CheckResult result = replay.check();
  EXPECT_FALSE(result.accepted);
  EXPECT_THAT(result.reason, testing::HasSubstr(reason));
}

// The products of columns: each rank's are the sequential ones' columns, by evaluation.
Replay evaluated_columns() {
  Replay replay = column_parallel();
  replay.certificate.evaluated_claims = {
      {sequential("y"), {parse("concat(y@0, y@1; dim=1)")}, {}, {}}};
  return replay;
}

TEST(EvaluatedClaim, HoldsWithoutADerivation) {
  const Replay replay = evaluated_columns();
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
}

TEST(EvaluatedClaim, IsWhatTheSequentialTensorClaims) {
  Replay replay = evaluated_columns();
  Value& claimed = replay.certificate.ranks[1].back();
  claimed.tiles[0].terms[0].coef = 2;
  EXPECT_FALSE(replay.check().accepted);
  // Nor is it that of other columns.
  replay = evaluated_columns();
  std::swap(replay.certificate.ranks[0].back(), replay.certificate.ranks[1].back());
  EXPECT_FALSE(replay.check().accepted);
}

TEST(EvaluatedClaim, IsEvaluated) {
  Replay replay = column_parallel();
  replay.certificate.evaluated_claims = {
      {sequential("y"), {parse("concat(y@1, y@0; dim=1)")}, {}, {}}};
  std::swap(replay.certificate.ranks[0].back(), replay.certificate.ranks[1].back());
  replay.certificate.relations[0].replicas = {parse("concat(y@1, y@0; dim=1)")};
  expect_not_accepted(replay, "by evaluation: concat(y@1, y@0; dim=1)");
}

// A rank's whole input is the sequential one, and so is the sum that it takes part in.
TEST(EvaluatedClaim, OfACollective) {
  Replay replay = row_parallel();
  replay.certificate.evaluated_claims = {{sequential("y"), {parse("y@0"), parse("y@1")}, {}, {}}};
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  replay.certificate.evaluated_claims = {{sequential("y"), {parse("partial@0")}, {}, {}}};
  EXPECT_FALSE(replay.check().accepted);
}

TEST(EvaluatedClaim, StartsFromClaimsThatAreDerived) {
  Replay replay = evaluated_columns();
  auto& claim = replay.certificate.evaluated_claims[0];
  const auto of_x = [](const char* text) {
    return parse_clean_expr(text, {}, Leaves::kSequential);
  };
  claim.cuts = {{of_x("x"), parse("x@0")}};
  EXPECT_TRUE(replay.check().accepted) << replay.check().reason;
  claim.cuts[0].sequential = of_x("slice(w; dim=1, start=0, end=4)");
  expect_not_accepted(replay, "another shape");
  claim.cuts = {{of_x("slice(w; dim=1, start=4, end=8)"), parse("w@0")}};
  expect_not_accepted(replay, "by evaluation from ");
}

// It would show anything.
TEST(EvaluatedClaim, IsNotCutToItself) {
  Replay replay = evaluated_columns();
  replay.certificate.evaluated_claims[0].cuts = {
      {parse_clean_expr("slice(y; dim=1, start=0, end=4)", {}, Leaves::kSequential), parse("y@0")}};
  expect_not_accepted(replay, "cut to itself");
}

// What may be any numbers is no longer what the ranks compute of their inputs.
TEST(EvaluatedClaim, AnyNumbersAreNoneOfTheRanks) {
  Replay replay = evaluated_columns();
  const CoreId y =
      replay.sequential.value_of[static_cast<size_t>(replay.refinement.sequential.find("y"))];
  replay.certificate.evaluated_claims[0].any = {y};
  expect_not_accepted(replay, "by evaluation: ");
  replay.certificate.evaluated_claims[0].any = {static_cast<CoreId>(replay.sequential.ops.size())};
  expect_not_accepted(replay, "any numbers are those of a floating operator");
}

TEST(EvaluatedClaim, OfAnInputIsNone) {
  Replay replay = column_parallel();
  replay.certificate.evaluated_claims = {{sequential("x"), {parse("x@0")}, {}, {}}};
  expect_not_accepted(replay, "of an input");
}

}  // namespace
}  // namespace assay::test
