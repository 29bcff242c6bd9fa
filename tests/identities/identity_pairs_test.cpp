// Pairs of programs that are equal by identities of real numbers are proved, and pairs that differ
// by one mistake are not, by any method. The test judges a pair for each identity, and wrong ones
// for some; a full run ASSAY_PAIRS of them, from ASSAY_SEED on, with ASSAY_TWINS wrong twins of
// each. What is not as it should be is written as cases for `assay check` into ASSAY_PAIR_CASES, if
// that is set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "dynamic_check/witness/find_witness.h"
#include "tests/differential/program_run.h"
#include "tests/differential/run_size.h"
#include "tests/identities/methods.h"
#include "tests/identities/pair_drawing.h"
#include "tests/static_check/formula_terms.h"

namespace assay::test {
namespace {

const IdentityTable& table() {
  static const IdentityTable loaded = load_identities(ASSAY_IDENTITIES);
  return loaded;
}

const OperatorTable& operators() {
  static const OperatorTable builtin = OperatorTable::builtin();
  return builtin;
}

std::string saved(const Case& pair, const std::string& name) {
  const char* folder = std::getenv("ASSAY_PAIR_CASES");
  if (folder == nullptr) return "";
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  save_case(pair, path);
  return "assay check " + path.string() + "\n";
}

enum class Comparison { kEqual, kDifferent, kNone };

// In float64, by PyTorch's kernels, where both sides give numbers. What rounding explains, as
// cosh(x)^2 - sinh(x)^2 of a large x, is no number to judge by.
Comparison run_of(const Case& pair, std::string* difference) {
  WitnessOptions options;
  options.reduce = false;
  options.finite_only = options.ranks_defined = options.explain = true;
  const WitnessSearch found = find_witness(pair, {}, options);
  if (found.witness && found.witness->rounding) return Comparison::kNone;
  if (found.witness) {
    *difference = found.witness->failure.empty()
                      ? fmt::format("{} by {:.3g}", found.witness->tensor, found.witness->error)
                      : found.witness->failure;
    return found.witness->failure.empty() ? Comparison::kDifferent : Comparison::kNone;
  }
  return found.compared > 0 ? Comparison::kEqual : Comparison::kNone;
}

struct Tally {
  size_t pairs = 0, proved = 0, alone = 0, alone_proved = 0;
};

std::set<std::string> identities_of(const PairProgram& program) {
  std::set<std::string> names;
  for (const PairStep& step : program.steps)
    if (!step.identity.empty()) names.insert(step.identity);
  return names;
}

void print(const std::map<std::string, Tally>& tallies, const Tally& all) {
  std::cout << fmt::format("{:<34} {:>14} {:>14}\n", "identity", "alone", "with others");
  for (const auto& [name, tally] : tallies)
    std::cout << fmt::format("{:<34} {:>6} of {:>4} {:>6} of {:>4}\n", name, tally.alone_proved,
                             tally.alone, tally.proved - tally.alone_proved,
                             tally.pairs - tally.alone);
  std::cout << fmt::format("{} of {} pairs are proved\n", all.proved, all.pairs);
}

// In the test; about a third of a second each.
constexpr uint64_t kPairsWithTwins = 40;

// The share of equal pairs that has to be proved.
constexpr double kProved = 0.85;

TEST(IdentityPairs, AreProvedWhereTheyAreEqual) {
  const uint64_t count = number("ASSAY_PAIRS", table().identities.size());
  const uint64_t first = number("ASSAY_SEED", 0);
  const WithoutWarnings quiet;
  std::map<std::string, Tally> tallies;
  Tally all;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    PairProgram program;
    try {
      program = draw_pair(table(), seed);
      case_of(program, table());
    } catch (const UserError& error) {
      ADD_FAILURE() << seed << error.what() << to_string(program);
      continue;
    }
    const std::string text = fmt::format("seed {}\n{}", seed, to_string(program));
    const Case pair = case_of(program, table());
    std::string difference;
    const Comparison run = run_of(pair, &difference);
    if (run == Comparison::kDifferent)
      ADD_FAILURE() << "no identity: " << difference << '\n'
                    << text << saved(pair, fmt::format("unequal{}", seed));
    if (run != Comparison::kEqual) continue;
    const MethodVerdicts verdicts = verdict_together(pair, operators());
    EXPECT_EQ(verdicts.rejected, "") << text << saved(pair, fmt::format("rejected{}", seed));
    const std::set<std::string> identities = identities_of(program);
    const auto count_in = [&](Tally& tally) {
      ++tally.pairs;
      tally.proved += verdicts.together ? 1 : 0;
      if (identities.size() > 1) return;
      ++tally.alone;
      tally.alone_proved += verdicts.together ? 1 : 0;
    };
    count_in(all);
    for (const std::string& name : identities) count_in(tallies[name]);
    if (!verdicts.together)
      std::cout << "not proved: " << verdicts.reason << '\n'
                << text << saved(pair, fmt::format("unproved{}", seed));
  }
  print(tallies, all);
  EXPECT_GE(static_cast<double>(all.proved), kProved * static_cast<double>(all.pairs));
}

TEST(IdentityPairs, AreNotProvedWhereTheyDiffer) {
  const uint64_t count = number("ASSAY_PAIRS", kPairsWithTwins);
  const uint64_t first = number("ASSAY_SEED", 0), twins = number("ASSAY_TWINS", 1);
  const WithoutWarnings quiet;
  std::map<std::string, size_t> found;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const PairProgram program = draw_pair(table(), seed);
    uint64_t judged = 0;
    for (const WrongTwin& twin : wrong_twins(program, seed)) {
      if (judged == twins) break;
      std::string difference;
      std::optional<Case> pair;
      try {
        pair = case_of(twin.program, table());
        const Comparison run = run_of(*pair, &difference);
        ++found[run == Comparison::kDifferent ? "differ"
                : run == Comparison::kEqual   ? "equal"
                                              : "no numbers"];
        if (run != Comparison::kDifferent) continue;
      } catch (const std::exception&) {
        ++found["no programs"];
        continue;
      }
      ++judged;
      const MethodVerdicts verdicts = verdicts_of_each(*pair, operators());
      const std::string text =
          fmt::format("{}: {}\nseed {}\n{}", twin.what, difference, seed, to_string(twin.program));
      EXPECT_EQ(verdicts.rejected, "")
          << text << saved(*pair, fmt::format("rejected{}_{}", seed, judged));
      if (!verdicts.any()) continue;
      ADD_FAILURE() << fmt::format(
                           "proved by: derivations {}, everywhere {}, cases {}, checker {}, all {}",
                           verdicts.derivations, verdicts.everywhere, verdicts.by_cases,
                           verdicts.checker, verdicts.together)
                    << '\n'
                    << text << saved(*pair, fmt::format("wrong{}_{}", seed, judged));
    }
  }
  for (const auto& [what, how_many] : found) std::cout << how_many << ' ' << what << '\n';
  EXPECT_GT(found["differ"], count / 2);
}

// p^x p^y is p^(x + y), of p > 0: also to the checker, which had read p as 1 where it is one of its
// own factors.
TEST(IdentityMethods, APowerIsThatOfTheSumOfExponentsAlone) {
  const auto product = [](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef p = t.positive(x);
    return t.mul(t.call("pow.Tensor_Tensor", {p, x}), t.call("pow.Tensor_Tensor", {p, y}));
  };
  const auto of_sum = [](bool with_base) {
    return [with_base](Terms& t, TensorRef x, TensorRef y) {
      const TensorRef p = t.positive(x), sum = t.add(x, y);
      return t.call("pow.Tensor_Tensor", {p, with_base ? t.add(sum, p) : sum});
    };
  };
  const Case right = formulas(formula(of_sum(false)), formula(product));
  EXPECT_TRUE(verdicts_of_each(right, operators()).checker);
  const Case wrong = formulas(formula(of_sum(true)), formula(product));
  EXPECT_FALSE(verdicts_of_each(wrong, operators()).any());
}

// Numbers that conditions choose are found by what they are equal to, and may be values of each
// other: the search for branches ends.
TEST(IdentityMethods, WhatConditionsChooseAmongEqualNumbersIsJudged) {
  const auto flag = [](Terms& t, TensorRef of, TensorRef beside) {
    return t.call("gt.Scalar", {t.add(of, beside), 0.0}, DType::kBool);
  };
  const auto where = [](Terms& t, TensorRef c, TensorRef met, TensorRef unmet) {
    return t.call("where.self", {c, met, unmet});
  };
  const auto at_once = [&](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef z = t.mul(x, y);
    return where(t, t.call("logical_and.default", {flag(t, x, z), flag(t, y, z)}, DType::kBool), z,
                 z);
  };
  const auto nested = [&](Terms& t, TensorRef x, TensorRef y) {
    const TensorRef z = t.mul(x, y);
    return where(t, flag(t, x, z), where(t, flag(t, y, z), z, z), z);
  };
  const auto tanh_at_once = [&](Terms& t, TensorRef x, TensorRef y) {
    return t.map("tanh", at_once(t, x, y));
  };
  const auto tanh_nested = [&](Terms& t, TensorRef x, TensorRef y) {
    return t.map("tanh", nested(t, x, y));
  };
  EXPECT_TRUE(
      verdicts_of_each(formulas(formula(tanh_at_once), formula(tanh_nested)), operators()).any());
  EXPECT_FALSE(
      verdicts_of_each(formulas(formula(tanh_at_once), formula(nested)), operators()).any());
}

}  // namespace
}  // namespace assay::test
