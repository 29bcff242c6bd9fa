#include <ATen/ops/mm.h>
#include <assay/gtest.h>

TEST_REFINEMENT(Package, RowParallelWithAllReduce) {
  auto x = input("x", {8, 64}, Shard("tp", 1));
  auto w = weight("w", {64, 32}, Shard("tp", 0));

  sequential([&](Program& p) { p.output("y", mm(p[x], p[w])); });
  distributed({{"tp", 2}}, [&](Program& p) { p.output("y", p.all_reduce(mm(p[x], p[w]), "tp")); });
}
