#include "tests/dynamic/support/mlp.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/capture.h"

namespace assay::test {
namespace {

const Mesh kTwo{{{"tp", 2}}};

// The second product, before any reduction. One statement an operator: their order names the
// tensors.
at::Tensor second_product(ProgramContext& p, const MlpConfig& config) {
  const at::Tensor up = p.input("up").t();
  at::Tensor hidden = at::mm(p.input("x"), up);
  if (config.offset != 0) hidden = hidden + config.offset - config.offset;
  hidden = at::gelu(hidden);
  const at::Tensor down = p.input("down").t();
  return at::mm(hidden, down);
}

void sequential(ProgramContext& p, const MlpConfig& config) {
  const at::Tensor product = second_product(p, config);
  p.output("sum", product);
  p.output("y", product * p.input("scale"));
}

void distributed(ProgramContext& p, const MlpConfig& config) {
  std::vector<at::Tensor> product{second_product(p, config)};
  if (config.reduces) {
    auto work = p.group("tp")->allreduce(product);
    if (config.waits) work->wait();
  }
  p.output("sum", product[0]);
  p.output("y", product[0] * p.input("scale"));
}

void parameters(ProgramContext& p, const MlpConfig& config) {
  std::vector<at::Tensor> scale{at::randn(
      {config.hidden}, at::make_generator<at::CPUGeneratorImpl>(17 + p.rank()), at::kFloat)};
  if (config.broadcasts) p.group("tp")->broadcast(scale)->wait();
  p.output("scale", scale[0]);
}

CaptureSpec spec(const MlpConfig& config, int64_t ranks) {
  return {{"x", {config.tokens, config.hidden}},
          {"up", {config.inner / ranks, config.hidden}},
          {"down", {config.hidden, config.inner / ranks}},
          {"scale", {config.hidden}}};
}

}  // namespace

Relation relation(const std::string& tensor, const std::vector<std::string>& replicas) {
  Relation result;
  result.tensor = tensor;
  for (const std::string& text : replicas) result.replicas.push_back(parse_clean_expr(text, {}));
  return result;
}

Mlp make_mlp(const MlpConfig& config) {
  Mlp mlp;
  mlp.programs.sequential = [config](ProgramContext& p) { sequential(p, config); };
  mlp.programs.distributed = [config](ProgramContext& p) { distributed(p, config); };
  mlp.programs.mesh = kTwo;
  mlp.programs.inputs = {
      {.name = "x", .shape = {config.tokens, config.hidden}, .role = InputRole::kActivation},
      {.name = "up", .shape = {config.inner, config.hidden}, .role = InputRole::kWeight},
      {.name = "down", .shape = {config.hidden, config.inner}, .role = InputRole::kWeight},
      {.name = "scale",
       .shape = {config.hidden},
       .role = InputRole::kScale,
       .self_made = config.self_made}};
  if (config.self_made)
    mlp.programs.parameters = [config](ProgramContext& p) { parameters(p, config); };

  Case& refinement = mlp.refinement;
  refinement.name = "mlp";
  refinement.sequential =
      capture("sequential", spec(config, 1), 0, Mesh(), mlp.programs.sequential);
  // A capture refuses a program that does not wait; the graph of one that does is the same.
  MlpConfig waiting = config;
  waiting.waits = true;
  for (Rank rank = 0; rank < 2; ++rank) {
    refinement.ranks.push_back(capture("rank " + std::to_string(rank), spec(config, 2), rank, kTwo,
                                       [&](ProgramContext& p) { distributed(p, waiting); }));
  }
  refinement.distributed_groups = kTwo.groups();
  refinement.inputs = {relation("x", {"x@0", "x@1"}), relation("up", {"concat(up@0, up@1; dim=0)"}),
                       relation("down", {"concat(down@0, down@1; dim=1)"}),
                       relation("scale", {"scale@0", "scale@1"})};
  refinement.outputs = {"y"};
  Expectation expectation;
  expectation.sequential.name = "y";
  expectation.replicas = relation("y", {"y@0", "y@1"}).replicas;
  refinement.expect = {expectation};

  mlp.relations = {relation("t", {"concat(t@0, t@1; dim=1)"}),
                   relation("mm", {"concat(mm@0, mm@1; dim=1)"}),
                   relation("gelu", {"concat(gelu@0, gelu@1; dim=1)"}),
                   relation("t_1", {"concat(t_1@0, t_1@1; dim=0)"})};
  if (config.reduces) {
    mlp.relations.push_back(relation("sum", {"sum@0", "sum@1", "sum(mm_1@0, mm_1@1)"}));
    mlp.relations.push_back(relation("y", {"y@0", "y@1"}));
  } else {
    mlp.relations.push_back(relation("sum", {"sum(sum@0, sum@1)"}));
    mlp.relations.push_back(relation("y", {"sum(y@0, y@1)"}));
  }
  return mlp;
}

}  // namespace assay::test
