// Whole checks of random cases. The test draws a few; a full run draws ASSAY_DIFFERENTIAL, from
// ASSAY_SEED on.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>

#include "tests/differential/run_size.h"
#include "tests/fuzz/case_mutation.h"
#include "tests/fuzz/case_values.h"
#include "tests/support/scratch_folder.h"

namespace assay::test {
namespace {

constexpr double kMostSeconds = 30;
constexpr int64_t kMostKilobytes = 1 << 20;

int64_t peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Tally {
  std::map<std::string_view, size_t> verdicts;
  std::map<std::string, size_t> refusals;
  size_t refused = 0, run = 0;
  double slowest = 0;
  uint64_t slowest_seed = 0;
};

// Most programs are small.
size_t nodes_of(uint64_t seed) {
  if (seed % 200 == 199) return 100 + seed % 97;
  if (seed % 20 == 19) return 20 + seed % 37;
  return 1 + seed % 11;
}

RandomCase drawn(uint64_t seed) {
  RandomCase made = random_case(seed, nodes_of(seed));
  std::mt19937_64 random(seed);
  for (uint64_t changes = random() % 4; changes > 1; --changes) mutate(made.refinement, random);
  return made;
}

// Where the failing case is kept.
std::string kept(const RandomCase& made) {
  ScratchFolder folder;
  folder.keep();
  try {
    save_case(made.refinement, folder.path());
  } catch (const std::exception& error) {
    return error.what();
  }
  return folder.path();
}

void check(uint64_t seed, const OperatorTable& operators, Tally& tally) {
  const RandomCase made = drawn(seed);
  const std::clock_t start = std::clock();  // of this process: other programs may run beside it
  const int64_t before = peak_kilobytes();
  try {
    validate(made.refinement);
    const StaticResult result = static_check(made.refinement, operators);
    if (!result.rejected.empty())
      throw InternalError("the checker rejects the certificate: " + result.rejected);
    ++tally.verdicts[to_string(result.report.verdict)];
    if (!result.certificate.relations.empty() && result.report.verdict != Verdict::kRefuted) {
      ++tally.run;
      const std::string difference = difference_of(made, result, seed);
      EXPECT_EQ(difference, "") << "seed " << seed << ", verdict "
                                << to_string(result.report.verdict) << ": " << kept(made);
    }
  } catch (const UserError& error) {
    ++tally.refused;
    ++tally.refusals[error.message().substr(0, 60)];
  } catch (const std::exception& error) {
    ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << kept(made);
  }
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (took > tally.slowest) {
    tally.slowest = took;
    tally.slowest_seed = seed;
  }
  EXPECT_LT(took, kMostSeconds) << "seed " << seed << ": " << kept(made);
  EXPECT_LT(peak_kilobytes() - before, kMostKilobytes) << "seed " << seed << ": " << kept(made);
}

TEST(RandomCases, AreCheckedOrRefusedAndNeverProvedWhereTheyDiffer) {
  const OperatorTable operators = OperatorTable::builtin();
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 600), first = number("ASSAY_SEED", 0);
  Tally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) check(seed, operators, tally);
  for (const auto& [verdict, cases] : tally.verdicts) std::cout << cases << " " << verdict << ", ";
  std::cout << tally.refused << " refused, " << tally.run << " compared with numbers; slowest "
            << tally.slowest << " s (seed " << tally.slowest_seed << "), "
            << peak_kilobytes() / 1024 << " MiB\n";
  if (std::getenv("ASSAY_REFUSALS") != nullptr)
    for (const auto& [message, cases] : tally.refusals)
      std::cout << cases << "  " << message << '\n';
  EXPECT_GT(10 * tally.verdicts["proved"], count);
}

}  // namespace
}  // namespace assay::test
