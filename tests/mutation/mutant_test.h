// The test of one case's mutants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/mutation/judge.h"

namespace assay::test {

struct MutantTest {
  MutationKind kind;
  uint64_t seed = 1;
  size_t valid = 50;  // mutants to judge, where there are as many
};

struct MutantTally {
  size_t invalid = 0;
  size_t different = 0;  // and not proved, or a test failure says so
  std::vector<std::string> equal_and_proved;
  std::vector<std::string> equal_and_unproved;  // with the reasons

  size_t valid() const { return different + equal_and_proved.size() + equal_and_unproved.size(); }
};

/// Judges mutants of one kind and expects that none that execution tells from the original is
/// proved, that no inferred relation of any is false, that every proof's certificate is accepted,
/// and that none is refuted without a difference. Prints and lists those that execution does not
/// tell apart.
MutantTally expect_no_wrong_proof(const Judge& judge, const MutantTest& test);

}  // namespace assay::test
