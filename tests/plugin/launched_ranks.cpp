// Refinement tests for a launcher to start once per rank: launched_test.cpp runs this program so,
// and reads what it prints. Not a test of its own.
#include <ATen/ops/mm.h>
#include <assay/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

class Launched : public assay::RefinementTest {
 protected:
  // y = x w, with the contracted dimension over `ranks`. `fault` runs on each of them; then none is
  // waited for long.
  void row_parallel(int64_t ranks, bool reduces, std::function<void(Program&)> fault = {},
                    std::chrono::milliseconds timeout = std::chrono::seconds(2)) {
    auto x = input("x", {8, 64}, Shard("tp", 1));
    auto w = weight("w", {64, 32}, Shard("tp", 0));
    options().precisions = {DType::kFloat32};
    options().samples = 3;
    if (fault) options().timeout = timeout;
    sequential([&](Program& p) { p.output("y", mm(p[x], p[w])); });
    distributed({{"tp", ranks}}, [&](Program& p) {
      const at::Tensor product = mm(p[x], p[w]);
      if (fault && !product.is_meta()) fault(p);
      p.output("y", reduces ? p.all_reduce(product, "tp") : product);
    });
  }
};

TEST_REFINEMENT_F(Launched, Right) { row_parallel(2, true); }

TEST_REFINEMENT_F(Launched, Wrong) { row_parallel(2, false); }

TEST_REFINEMENT_F(Launched, OfFourRanks) { row_parallel(4, true); }

TEST_REFINEMENT_F(Launched, Throws) {
  row_parallel(2, true, [](Program& p) {
    if (p.rank() == 1) throw std::runtime_error("out of luck");
  });
}

TEST_REFINEMENT_F(Launched, ThrowsOnRankZero) {
  row_parallel(2, true, [](Program& p) {
    if (p.rank() == 0) throw std::runtime_error("out of luck");
  });
}

TEST_REFINEMENT_F(Launched, Dies) {
  row_parallel(2, true, [](Program& p) {
    if (p.rank() == 1) ::kill(::getpid(), SIGKILL);
  });
}

// What a launcher does to rank 0 when another one dies.
TEST_REFINEMENT_F(Launched, DiesAndAllAreToldToEnd) {
  row_parallel(2, true, [](Program& p) { ::kill(::getpid(), p.rank() == 0 ? SIGTERM : SIGKILL); });
}

TEST_REFINEMENT_F(Launched, Hangs) {
  row_parallel(2, true, [](Program& p) {
    if (p.rank() != 1) return;
    if (const char* file = std::getenv("HANGS_WHEN_MADE")) std::ofstream{file};
    ::pause();
  });
}

// Of ranks with the variables of torchrun.
TEST_REFINEMENT_F(Launched, RightAfterASlowProof) {
  auto x = input("x", {8, 64}, Shard("tp", 1));
  options().precisions = {DType::kFloat32};
  options().samples = 3;
  sequential([&](Program& p) {
    static bool slow = std::getenv("RANK") == std::string("0");
    if (std::exchange(slow, false)) ::sleep(3);
    p.output("y", p[x].sum(1));
  });
  distributed({{"tp", 2}}, [&](Program& p) { p.output("y", p.all_reduce(p[x].sum(1), "tp")); });
}

// torchrun then starts all ranks once more.
TEST_REFINEMENT_F(Launched, DiesAtFirst) {
  const char* attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");
  const bool first = attempt == nullptr || attempt == std::string("0");
  row_parallel(2, true, [first](Program& p) {
    if (first && p.rank() == 1) ::kill(::getpid(), SIGKILL);
  });
}

// Time to pull the cable between the ranks.
void make_file_and_sleep(assay::Program& p) {
  const char* file = std::getenv("CABLE_IS_PULLED_WHEN_MADE");
  if (file != nullptr && p.rank() == 1) std::ofstream{file};
  ::sleep(1);
}

TEST_REFINEMENT_F(Launched, LosesItsNetwork) { row_parallel(2, true, make_file_and_sleep); }

TEST_REFINEMENT_F(Launched, LosesItsNetworkAndIsPatient) {
  row_parallel(2, true, make_file_and_sleep, std::chrono::minutes(1));
}

TEST_REFINEMENT_F(Launched, RightAfterALoss) { row_parallel(2, true); }
