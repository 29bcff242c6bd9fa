// Refinement tests that must fail: macro_test.cpp runs this program and reads what it prints. Not a
// test of its own.
#include <ATen/TensorOperators.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <assay/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tests/plugin/stacked.h"

class WithSetUp : public assay::RefinementTest {
 protected:
  void SetUp() override { size_ = 32; }
  int64_t size_ = 0;
};

TEST_REFINEMENT(Failing, NoAllReduce) {
  auto x = input("x", {8, 64}, Shard("tp", 1));
  auto w = weight("w", {64, 32}, Shard("tp", 0));
  sequential([&](Program& p) { p.output("y", mm(p[x], p[w])); });
  distributed({{"tp", 2}}, [&](Program& p) { p.output("y", mm(p[x], p[w])); });
}

TEST_REFINEMENT(Failing, NothingIsChecked) {
  auto x = input("x", {8, 64});
  sequential([&](Program& p) { p.output("y", p[x]); });
}

TEST_REFINEMENT(Failing, InputDeclaredTwice) {
  input("x", {8, 64});
  input("x", {8, 64});
}

TEST_REFINEMENT(Failing, CaseFolderIsMissing) { check_case("/nowhere"); }

TEST_REFINEMENT_F(WithSetUp, Passes) {
  auto x = input("x", {8, size_});
  sequential([&](Program& p) { p.output("y", mm(p[x], p[x].t())); });
  distributed({{"tp", 2}}, [&](Program& p) { p.output("y", mm(p[x], p[x].t())); });
}

TEST_REFINEMENT_F(WithSetUp, NamesItsOwnStages) {
  options().reference_stages = {"cpu"};
  auto x = input("x", {8, size_});
  sequential([&](Program& p) { p.output("y", mm(p[x], p[x].t())); });
  distributed({{"tp", 2}}, [&](Program& p) { p.output("y", mm(p[x], p[x].t())); });
}

TEST_REFINEMENT_F(WithSetUp, UpdatesAStateThatLiesAsItsWeight) {
  auto w = weight("w", {size_, 4}, Shard("tp", 0));
  auto momentum = state("momentum", w, InputRole::kFirstMoment);
  const auto step = [&](Program& p) { p.updated(momentum, p[momentum] * 0.5 + p[w] * 0.1); };
  sequential(step);
  distributed({{"tp", 2}}, step);
}

TEST_REFINEMENT(Failing, StateOfNoWeight) {
  state("momentum", Input{"w"}, InputRole::kFirstMoment);
}

TEST_REFINEMENT(Skipped, FromItsBody) { GTEST_SKIP() << "no reason"; }

// Wrong twins of programs of programs_test.cpp.

TEST_REFINEMENT(WrongPrograms, ConvWithoutItsNeighboursEdge) {
  auto x = input("x", {2, 3, 16}, Shard("sp", 2));
  auto w = weight("w", {4, 3, 3});
  sequential([&](Program& p) { p.output("y", at::conv1d(p[x], p[w], {}, 1, 1)); });
  distributed({{"sp", 2}},
              [&](Program& p) { p.output("y", at::conv1d(p[x], p[w], {}, 1, 1), Shard("sp", 2)); });
}

TEST_REFINEMENT(WrongPrograms, PrefixSumThatCountsItsOwnTotal) {
  auto x = input("x", {16, 3}, Shard("sp", 0));
  sequential([&](Program& p) { p.output("y", at::cumsum(p[x], 0)); });
  distributed({{"sp", 2}}, [&](Program& p) {
    auto totals = stacked(p, p[x].sum(0), "sp");
    auto before = totals.narrow(0, 0, p.coordinate("sp") + 1).sum(0);
    p.output("y", at::cumsum(p[x], 0) + before, Shard("sp", 0));
  });
}

TEST_REFINEMENT(WrongPrograms, GroupNormOfAsManyGroupsOnEachRank) {
  auto x = input("x", {2, 8, 5}, Shard("tp", 1));
  sequential([&](Program& p) { p.output("y", at::group_norm(p[x], 4)); });
  distributed({{"tp", 2}},
              [&](Program& p) { p.output("y", at::group_norm(p[x], 4), Shard("tp", 1)); });
}

TEST_REFINEMENT(WrongPrograms, ExpertsOfTheFirstRankEverywhere) {
  auto chosen = ids("chosen", {8}, 4);
  auto experts = weight("experts", {4, 6}, Shard("ep", 0));
  sequential([&](Program& p) {
    p.output("y", at::mm(at::one_hot(p[chosen], 4).to(at::kFloat), p[experts]));
  });
  distributed({{"ep", 2}}, [&](Program& p) {
    auto mine = at::one_hot(p[chosen], 4).to(at::kFloat).narrow(1, 0, 2);
    p.output("y", p.all_reduce(at::mm(mine, p[experts]), "ep"));
  });
}

TEST_REFINEMENT(WrongPrograms, GridOfAnotherConvention) {
  auto x = input("x", {4, 3, 5, 5}, Shard("dp", 0));
  auto grid = input("grid", {4, 6, 6, 2}, Shard("dp", 0));
  sequential([&](Program& p) { p.output("y", at::grid_sampler_2d(p[x], p[grid], 0, 0, false)); });
  distributed({{"dp", 2}}, [&](Program& p) {
    p.output("y", at::grid_sampler_2d(p[x], p[grid], 0, 0, true), Shard("dp", 0));
  });
}

TEST_REFINEMENT(WrongPrograms, AttentionThatSeesTheFuture) {
  auto q = input("q", {2, 4, 5, 6}, Shard("tp", 1));
  auto k = input("k", {2, 4, 5, 6}, Shard("tp", 1));
  auto v = input("v", {2, 4, 5, 6}, Shard("tp", 1));
  sequential([&](Program& p) {
    p.output("y", at::scaled_dot_product_attention(p[q], p[k], p[v], {}, 0.0, true));
  });
  distributed({{"tp", 2}}, [&](Program& p) {
    p.output("y", at::scaled_dot_product_attention(p[q], p[k], p[v]), Shard("tp", 1));
  });
}
