// Refinement tests that must fail: macro_test.cpp runs this program and reads what it prints. Not a
// test of its own.
#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <assay/gtest.h>

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
