#include "tests/dynamic/support/difference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sum.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/capture.h"

namespace assay::test {
namespace {

constexpr int64_t kTerms = 8192;  // of each sum

at::Tensor squares(ProgramContext& p) {
  const at::Tensor x = p.input("x");
  return x * x;
}

void sequential(ProgramContext& p) {
  const at::Tensor terms = squares(p);
  const at::Tensor first = terms.slice(0, 0, kTerms);
  const at::Tensor second = terms.slice(0, kTerms);
  const at::Tensor all = at::cat({first, -second});
  p.output("y", at::sum(all));
}

void distributed(ProgramContext& p) {
  const at::Tensor terms = squares(p);
  std::vector<at::Tensor> sum{at::sum(p.rank() == 0 ? terms : -terms)};
  p.group("tp")->allreduce(sum)->wait();
  p.output("y", sum[0]);
}

}  // namespace

Mlp make_difference() {
  const Mesh mesh{{{"tp", 2}}};
  Mlp result;
  result.programs.sequential = sequential;
  result.programs.distributed = distributed;
  result.programs.mesh = mesh;
  result.programs.inputs = {{.name = "x", .shape = {2 * kTerms}}};

  Case& refinement = result.refinement;
  refinement.name = "difference";
  refinement.sequential =
      capture("sequential", {{"x", {2 * kTerms}}}, 0, Mesh(), result.programs.sequential);
  for (Rank rank = 0; rank < 2; ++rank)
    refinement.ranks.push_back(capture("rank " + std::to_string(rank), {{"x", {kTerms}}}, rank,
                                       mesh, result.programs.distributed));
  refinement.distributed_groups = mesh.groups();
  refinement.inputs = {relation("x", {"concat(x@0, x@1; dim=0)"})};
  refinement.outputs = {"y"};
  Expectation expectation;
  expectation.sequential.name = "y";
  expectation.replicas = relation("y", {"y@0", "y@1"}).replicas;
  refinement.expect = {expectation};
  result.relations = {relation("mul", {"concat(mul@0, mul@1; dim=0)"}),
                      relation("cat", {"concat(mul@0, neg@1; dim=0)"}),
                      relation("y", {"y@0", "y@1", "sum(sum@0, sum@1)"})};
  return result;
}

}  // namespace assay::test
