// Programs whose ranks take parts of a sum that do not nest: only the solver sees that they are the
// whole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "shared_ir/operator_table/operator_table.h"
#include "static_check/check.h"
#include "tests/support/captured_graphs.h"
#include "tests/support/claims/replay.h"
#include "tests/support/graph_builder.h"

namespace assay::test {
namespace {

// Every STEP-th column of [START, END).
struct Columns {
  int start;
  int end;
  int step = 1;
};

constexpr int kColumns = 6;
const std::vector<Columns> kThirdsAndRuns{{0, 6, 3}, {1, 3}, {4, 6}};

TensorRef take(GraphBuilder& rank, TensorRef x, const std::string& name, const Columns& columns,
               int64_t dim) {
  Shape shape = rank.shape(x);
  shape[static_cast<size_t>(dim)] = (columns.end - columns.start + columns.step - 1) / columns.step;
  return rank.call(name, "aten.slice.Tensor", {x, dim, columns.start, columns.end, columns.step},
                   shape);
}

// y = x w, each rank with its columns of x and rows of w.
Case contraction(const std::vector<Columns>& shares, bool reduced) {
  CaseBuilder built(static_cast<int>(shares.size()));
  const auto inputs = [](GraphBuilder& graph) {
    return std::pair{graph.input("x", {4, kColumns}), graph.input("w", {kColumns, 5})};
  };
  GraphBuilder& sequential = built.sequential();
  const auto [x, w] = inputs(sequential);
  sequential.output(sequential.call("y", "aten.mm.default", {x, w}, {4, 5}));
  for (int r = 0; r < built.ranks(); ++r) {
    GraphBuilder& rank = built.rank(r);
    const auto [whole_x, whole_w] = inputs(rank);
    const Columns& share = shares[static_cast<size_t>(r)];
    const TensorRef part = rank.call(
        "part", "aten.mm.default",
        {take(rank, whole_x, "xs", share, 1), take(rank, whole_w, "ws", share, 0)}, {4, 5});
    rank.output(
        reduced ? rank.call("y", "_c10d_functional.all_reduce.default", {part, "sum", "tp"}, {4, 5})
                : part);
  }
  built.replicate("x");
  built.replicate("w");
  return built.build();
}

// y = max of x over its columns, each rank over its own.
Case maximum(const std::vector<Columns>& shares) {
  CaseBuilder built(static_cast<int>(shares.size()));
  GraphBuilder& sequential = built.sequential();
  const TensorRef whole = sequential.input("x", {4, kColumns});
  sequential.output(sequential.call("y", "aten.amax.default", {whole, {1}}, {4}));
  for (int r = 0; r < built.ranks(); ++r) {
    GraphBuilder& rank = built.rank(r);
    const TensorRef share =
        take(rank, rank.input("x", {4, kColumns}), "xs", shares[static_cast<size_t>(r)], 1);
    const TensorRef part = rank.call("part", "aten.amax.default", {share, {1}}, {4});
    rank.output(rank.call("y", "_c10d_functional.all_reduce.default", {part, "max", "tp"}, {4}));
  }
  built.replicate("x");
  return built.build();
}

bool solver_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libassay_smt") != std::string::npos || line.find("libz3") != std::string::npos)
      return true;
  }
  return false;
}

void expect_proved_with_solver(const Case& refinement) {
  const OperatorTable operators = OperatorTable::builtin();
  const StaticResult result = static_check(refinement, operators);
  EXPECT_EQ(result.report.verdict, Verdict::kProved);
  EXPECT_EQ(result.report.trusted, std::vector<std::string>{"z3: 1 query"});
  EXPECT_TRUE(solver_is_loaded());
  const CheckResult check = replay_of(refinement, result.certificate, operators).check();
  EXPECT_TRUE(check.accepted) << check.reason;
}

void expect_unproved(const Case& refinement) {
  const StaticResult result = static_check(refinement, OperatorTable::builtin());
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
}

TEST(UnitedParts, ContractionSplitInDigitsThatDoNotNest) {
  expect_proved_with_solver(contraction(kThirdsAndRuns, true));
}

TEST(UnitedParts, ContractionWithARunThatOverlapsIsUnproved) {
  expect_unproved(contraction({{0, 6, 3}, {1, 3}, {3, 5}}, true));
}

TEST(UnitedParts, ContractionWithAMissingRunIsUnproved) {
  expect_unproved(contraction({{0, 6, 3}, {1, 3}, {4, 5}}, true));
}

TEST(UnitedParts, PendingSumOverRanks) {
  expect_proved_with_solver(contraction(kThirdsAndRuns, false));
}

TEST(UnitedParts, PendingSumWithARunThatOverlapsIsUnproved) {
  expect_unproved(contraction({{0, 6, 3}, {1, 3}, {3, 5}}, false));
}

TEST(UnitedParts, MaximumWhosePartsOverlap) {
  expect_proved_with_solver(maximum({{0, 6, 3}, {1, 4}, {4, 6}}));
}

TEST(UnitedParts, MaximumThatMissesAColumnIsUnproved) {
  expect_unproved(maximum({{0, 6, 3}, {1, 4}, {3, 5}}));
}

TEST(UnitedParts, StayApartWithoutTheSolver) {
  ASSERT_EQ(setenv("ASSAY_MODULES", "/nowhere", 1), 0);
  StaticOptions derived_alone;
  derived_alone.evaluate = false;
  const StaticResult result =
      static_check(contraction(kThirdsAndRuns, true), OperatorTable::builtin(), derived_alone);
  unsetenv("ASSAY_MODULES");
  EXPECT_EQ(result.report.verdict, Verdict::kUnproved);
  EXPECT_TRUE(result.report.trusted.empty());
  ASSERT_EQ(result.report.unanswered.size(), 1u);
  EXPECT_EQ(result.report.unanswered[0].find("z3: not asked 1 query"), 0u)
      << result.report.unanswered[0];
}

// Runs in a process of its own: another test may have loaded the solver.
TEST(SolverOnFirstUseDeathTest, OrdinaryGraphsDoNotLoadIt) {
  ASSAY_NEED_CAPTURED_GRAPHS();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto check_and_exit = [] {
    const Case refinement = load_case(captured_graphs() / "qwen2-tp2");
    const StaticResult result = static_check(refinement, OperatorTable::builtin());
    fmt::print(stderr, "{}, solver {}", to_string(result.report.verdict),
               solver_is_loaded() ? "loaded" : "not loaded");
    std::exit(0);
  };
  EXPECT_EXIT(check_and_exit(), testing::ExitedWithCode(0), "proved, solver not loaded");
}

}  // namespace
}  // namespace assay::test
