#include "tests/mutation/drawn_case.h"

#include <gtest/gtest.h>

#include <iostream>

#include "tests/differential/run_size.h"
#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

constexpr uint64_t kMutantsOfEach = 6;  // or as many as ASSAY_MUTANTS says

void judge(const Judge& judge, const std::string& text, const Mutation& mutation,
           DrawnTally& tally) {
  const Judgement found = judge.judge(mutation);
  if (!found.invalid.empty()) {
    ++tally.invalid;
    return;
  }
  // That indices lie in their tables is an assumption of the proof.
  const bool assumed = found.difference.find("is out of bounds") != std::string::npos;
  const bool proved = found.proof.verdict == Verdict::kProved && !assumed;
  EXPECT_EQ(found.proof.certificate_error, "") << mutation.what << '\n' << text;
  EXPECT_EQ(found.false_claim, "") << mutation.what << '\n' << text;
  EXPECT_FALSE(proved && !found.difference.empty()) << "proved, but " << found.difference << '\n'
                                                    << mutation.what << '\n'
                                                    << text;
  // Runs do not show it: they wait where collectives are issued.
  EXPECT_FALSE(proved && mutation.what.ends_with(kUsedInFlight)) << mutation.what << '\n' << text;
  if (!found.difference.empty()) {
    ++tally.different;
  } else {
    ++(proved ? tally.equal_and_proved : tally.equal_and_unproved);
  }
}

}  // namespace

CleanExpr on_rank(const std::string& tensor, Rank rank) {
  CleanExpr leaf;
  leaf.kind = CleanExpr::Kind::kTensor;
  leaf.name = tensor;
  leaf.rank = rank;
  return leaf;
}

void judge_mutants(const Case& drawn, const std::string& text, uint64_t seed, DrawnTally& tally) {
  try {
    const Judge original(drawn, std::nullopt, /*finite_only=*/true);
    const std::vector<Mutation> mutations = shuffled(mutations_of(original.executed()), seed);
    const size_t count = std::min(number("ASSAY_MUTANTS", kMutantsOfEach), mutations.size());
    for (size_t i = 0; i < count; ++i) judge(original, text, mutations[i], tally);
  } catch (const UserError&) {  // the program itself is refused
    ++tally.invalid;
  }
}

void print(const DrawnTally& tally) {
  std::cout << tally.different << " differ, " << tally.equal_and_proved << " are equal and proved, "
            << tally.equal_and_unproved << " equal and not proved, " << tally.invalid
            << " invalid\n";
}

}  // namespace assay::test
