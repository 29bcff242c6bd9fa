// A proof that asks z3: the ranks' tiles cover the matrix.
#include <ATen/ops/amax.h>
#include <assay/gtest.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <vector>

namespace {

at::Tensor largest(const assay::Program& p, const at::Tensor& part) {
  std::vector<at::Tensor> largest = {at::amax(part)};
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  for (const char* axis : {"dp", "tp"}) p.group(axis)->allreduce(largest, options)->wait();
  return largest[0];
}

}  // namespace

TEST_REFINEMENT(Package, LargestElementOfTiles) {
  auto x = input("x", {8, 64}, {Shard("dp", 0), Shard("tp", 1)});

  sequential([&](Program& p) { p.output("y", at::amax(p[x])); });
  distributed({{"dp", 2}, {"tp", 2}}, [&](Program& p) { p.output("y", largest(p, p[x])); });
}
