#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <assay/gtest.h>

TEST_REFINEMENT(Mlp, ColumnThenRowParallel) {
  auto x = input("x", {8, 64});
  auto up = weight("up", {256, 64}, Shard("tp", 0));
  auto down = weight("down", {64, 256}, Shard("tp", 1));

  sequential([&](Program& p) { p.output("y", mm(gelu(mm(p[x], p[up].t())), p[down].t())); });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto partial = mm(gelu(mm(p[x], p[up].t())), p[down].t());
    p.output("y", p.all_reduce(partial, "tp"));
  });
}
