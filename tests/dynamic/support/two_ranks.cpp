#include "tests/dynamic/support/two_ranks.h"

#include "shared_ir/capture/capture.h"

namespace assay::test {
namespace {

RankProgram program(const Form& form) {
  return [form](ProgramContext& p) { p.output("y", form(p, p.input("x"))); };
}

}  // namespace

Mlp on_two_ranks(const Shape& shape, int64_t split, const Form& sequential, const Form& ranks) {
  const Mesh mesh{{{"tp", 2}}};
  Mlp result;
  result.programs.sequential = program(sequential);
  result.programs.distributed = program(ranks);
  result.programs.mesh = mesh;
  result.programs.inputs = {{.name = "x", .shape = shape}};
  Shape part = shape;
  if (split != kWhole) part[static_cast<size_t>(split)] /= 2;

  Case& refinement = result.refinement;
  refinement.name = "two ranks";
  refinement.sequential =
      capture("sequential", {{"x", shape}}, 0, Mesh(), result.programs.sequential);
  for (Rank rank = 0; rank < 2; ++rank)
    refinement.ranks.push_back(capture("rank " + std::to_string(rank), {{"x", part}}, rank, mesh,
                                       result.programs.distributed));
  refinement.distributed_groups = mesh.groups();
  refinement.inputs = {
      split == kWhole ? relation("x", {"x@0", "x@1"})
                      : relation("x", {"concat(x@0, x@1; dim=" + std::to_string(split) + ")"})};
  refinement.outputs = {"y"};
  Expectation expectation;
  expectation.sequential.name = "y";
  expectation.replicas = relation("y", {"y@0", "y@1"}).replicas;
  refinement.expect = {expectation};
  result.relations = {relation("y", {"y@0", "y@1"})};
  return result;
}

}  // namespace assay::test
