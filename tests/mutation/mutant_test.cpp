#include "tests/mutation/mutant_test.h"

#include <gtest/gtest.h>

#include <exception>
#include <iostream>
#include <string>

namespace assay::test {
namespace {

void expect_right(const Mutation& mutation, const Judgement& judgement, const Proof& proof,
                  const char* sizes) {
  SCOPED_TRACE(sizes);
  if (judgement.difference.empty()) {
    EXPECT_NE(proof.verdict, Verdict::kRefuted)
        << mutation.what << "\n  but the runs agree; " << proof.reason;
  } else {
    EXPECT_NE(proof.verdict, Verdict::kProved)
        << mutation.what << "\n  but " << judgement.difference;
  }
  EXPECT_EQ(proof.certificate_error, "") << mutation.what;
}

void count(const Mutation& mutation, const Judgement& judgement, MutantTally& tally) {
  if (!judgement.difference.empty()) {
    ++tally.different;
  } else if (judgement.proof.verdict == Verdict::kProved) {
    tally.equal_and_proved.push_back(mutation.what);
  } else {
    tally.equal_and_unproved.push_back(mutation.what + "\n      " + judgement.proof.reason);
  }
}

void print(const MutantTest& test, const MutantTally& tally) {
  std::cout << to_string(test.kind) << ": " << tally.valid() << " valid mutants (" << tally.invalid
            << " invalid), " << tally.different << " differ and are not proved, "
            << tally.equal_and_proved.size() << " are equal and proved, "
            << tally.equal_and_unproved.size() << " are equal and not proved\n";
  for (const std::string& what : tally.equal_and_proved)
    std::cout << "    equal, proved: " << what << '\n';
  for (const std::string& what : tally.equal_and_unproved)
    std::cout << "    equal, not proved: " << what << '\n';
}

void record(const MutantTally& tally) {
  const auto property = [](const char* name, size_t value) {
    testing::Test::RecordProperty(name, std::to_string(value));
  };
  property("valid_mutants", tally.valid());
  property("different_mutants", tally.different);
  property("equal_and_proved", tally.equal_and_proved.size());
  property("equal_and_not_proved", tally.equal_and_unproved.size());
}

}  // namespace

MutantTally expect_no_wrong_proof(const Judge& judge, const MutantTest& test) {
  MutantTally tally;
  for (const Mutation& mutation : shuffled(mutations_of(judge.executed()), test.seed)) {
    if (mutation.kind != test.kind) continue;
    if (tally.valid() >= test.valid) break;
    Judgement judgement;
    try {
      judgement = judge.judge(mutation);
    } catch (const std::exception& error) {
      ADD_FAILURE() << mutation.what << "\n  " << error.what();
      continue;
    }
    if (!judgement.invalid.empty()) {
      ++tally.invalid;
      continue;
    }
    expect_right(mutation, judgement, judgement.proof, "at the sizes that were executed");
    if (judgement.whole) expect_right(mutation, judgement, *judgement.whole, "at full size");
    EXPECT_EQ(judgement.false_claim, "") << mutation.what;
    count(mutation, judgement, tally);
  }
  print(test, tally);
  record(tally);
  return tally;
}

}  // namespace assay::test
