// Right programs as a user writes them, of operators that a capture has to run for their shapes, or
// that LibTorch makes of others. Their wrong twins are in failing_tests.cpp.
#include <ATen/ATen.h>
#include <assay/gtest.h>

#include <limits>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "tests/plugin/stacked.h"

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

at::Tensor all_reduce_max(assay::Program& p, const at::Tensor& x, const std::string& axis) {
  std::vector<at::Tensor> tensors = {x.clone()};
  p.group(axis)->allreduce(tensors, {c10d::ReduceOp::MAX})->wait();
  return tensors[0];
}

at::Tensor all_reduce_min(assay::Program& p, const at::Tensor& x, const std::string& axis) {
  std::vector<at::Tensor> tensors = {x.clone()};
  p.group(axis)->allreduce(tensors, {c10d::ReduceOp::MIN})->wait();
  return tensors[0];
}

}  // namespace

TEST_REFINEMENT(Programs, ConvWithHaloExchange) {
  auto x = input("x", {2, 3, 16}, Shard("sp", 2));
  auto w = weight("w", {4, 3, 3});
  sequential([&](Program& p) { p.output("y", at::conv1d(p[x], p[w], {}, 1, 1)); });
  distributed({{"sp", 2}}, [&](Program& p) {
    auto mine = p[x];
    auto edges = at::stack({mine.narrow(2, 0, 1), mine.narrow(2, mine.size(2) - 1, 1)});
    auto all = stacked(p, edges, "sp");
    const int64_t rank = p.coordinate("sp"), last = p.size("sp") - 1;
    auto zero = at::zeros_like(mine.narrow(2, 0, 1));
    auto left = rank == 0 ? zero : all.select(0, rank - 1).select(0, 1);
    auto right = rank == last ? zero : all.select(0, rank + 1).select(0, 0);
    p.output("y", at::conv1d(at::cat({left, mine, right}, 2), p[w]), Shard("sp", 2));
  });
}

TEST_REFINEMENT(Programs, Conv2dWithSplitChannels) {
  auto x = input("x", {2, 4, 6, 6});
  auto w = weight("w", {8, 4, 3, 3}, Shard("tp", 0));
  auto b = input("b", {8}, {.placement = Shard("tp", 0), .role = InputRole::kBias});
  auto v = weight("v", {4, 8, 1, 1}, Shard("tp", 1));
  sequential([&](Program& p) {
    p.output("y", at::conv2d(at::relu(at::conv2d(p[x], p[w], p[b], 1, 1)), p[v]));
  });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto y = at::conv2d(at::relu(at::conv2d(p[x], p[w], p[b], 1, 1)), p[v]);
    p.output("y", p.all_reduce(y, "tp"));
  });
}

TEST_REFINEMENT(Programs, ConvGradientsOverABatch) {
  auto x = input("x", {4, 3, 8}, Shard("dp", 0));
  auto w = weight("w", {4, 3, 3});
  sequential([&](Program& p) { p.gradients(at::conv1d(p[x], p[w], {}, 1, 1).pow(2).sum()); });
  distributed({{"dp", 2}}, [&](Program& p) {
    p.gradients(at::conv1d(p[x], p[w], {}, 1, 1).pow(2).sum(),
                [&](const Input& of, const at::Tensor& gradient) {
                  return of.name == "w" ? p.all_reduce(gradient, "dp") : gradient;
                });
  });
}

TEST_REFINEMENT(Programs, GroupNormOfSplitChannels) {
  auto x = input("x", {2, 8, 5}, Shard("tp", 1));
  auto w = weight("w", {8}, Shard("tp", 0));
  auto b = input("b", {8}, {.placement = Shard("tp", 0), .role = InputRole::kBias});
  sequential([&](Program& p) { p.output("y", at::group_norm(p[x], 4, p[w], p[b])); });
  distributed({{"tp", 2}}, [&](Program& p) {
    p.output("y", at::group_norm(p[x], 2, p[w], p[b]), Shard("tp", 1));
  });
}

TEST_REFINEMENT(Programs, LogSigmoidLoss) {
  auto chosen = input("chosen", {8, 5}, Shard("dp", 0));
  auto rejected = input("rejected", {8, 5}, Shard("dp", 0));
  sequential([&](Program& p) {
    p.output("loss", -at::log_sigmoid((p[chosen] - p[rejected]).sum(1)).mean());
  });
  distributed({{"dp", 2}}, [&](Program& p) {
    auto local = -at::log_sigmoid((p[chosen] - p[rejected]).sum(1)).sum();
    p.output("loss", p.all_reduce(local, "dp") / 8);
  });
}

TEST_REFINEMENT(Programs, PrefixSumOverRanks) {
  auto x = input("x", {16, 3}, Shard("sp", 0));
  sequential([&](Program& p) { p.output("y", at::cumsum(p[x], 0)); });
  distributed({{"sp", 4}}, [&](Program& p) {
    auto totals = stacked(p, p[x].sum(0), "sp");
    auto before = totals.narrow(0, 0, p.coordinate("sp")).sum(0);
    p.output("y", at::cumsum(p[x], 0) + before, Shard("sp", 0));
  });
}

TEST_REFINEMENT(Programs, FlashDecodingMerge) {
  auto q = input("q", {2, 8});
  auto k = input("k", {16, 8}, Shard("cp", 0));
  auto v = input("v", {16, 8}, Shard("cp", 0));
  sequential(
      [&](Program& p) { p.output("y", at::mm(at::softmax(at::mm(p[q], p[k].t()), 1), p[v])); });
  distributed({{"cp", 2}}, [&](Program& p) {
    auto scores = at::mm(p[q], p[k].t());
    auto lse = at::logsumexp(scores, 1, true);
    auto local = at::mm(at::softmax(scores, 1), p[v]);
    auto lses = stacked(p, lse, "cp");
    auto weight = at::exp(lse - at::logsumexp(lses, 0));
    p.output("y", p.all_reduce(local * weight, "cp"));
  });
}

TEST_REFINEMENT(Programs, SplitKeysWithMaximum) {
  auto q = input("q", {2, 8});
  auto k = input("k", {16, 8}, Shard("cp", 0));
  auto v = input("v", {16, 8}, Shard("cp", 0));
  sequential(
      [&](Program& p) { p.output("y", at::mm(at::softmax(at::mm(p[q], p[k].t()), 1), p[v])); });
  distributed({{"cp", 2}}, [&](Program& p) {
    auto scores = at::mm(p[q], p[k].t());
    auto greatest = all_reduce_max(p, scores.amax(1, true), "cp");
    auto e = at::exp(scores - greatest);
    auto total = p.all_reduce(e.sum(1, true), "cp");
    p.output("y", p.all_reduce(at::mm(e, p[v]), "cp") / total);
  });
}

TEST_REFINEMENT(Programs, LoraMerged) {
  auto x = input("x", {6, 16});
  auto w = weight("w", {8, 16}, Shard("tp", 0));
  auto a = weight("a", {4, 16});
  auto b = weight("b", {8, 4}, Shard("tp", 0));
  sequential(
      [&](Program& p) { p.output("y", at::mm(p[x], (p[w] + at::mm(p[b], p[a]) * 0.5).t())); });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto y = at::linear(p[x], p[w]) + at::linear(at::linear(p[x], p[a]), p[b]) * 0.5;
    p.output("y", y, Shard("tp", 1));
  });
}

TEST_REFINEMENT(Programs, VarianceByMoments) {
  auto x = input("x", {6, 16}, Shard("tp", 1));
  sequential([&](Program& p) {
    auto mean = p[x].mean(1, true);
    p.output("y", (p[x] - mean).pow(2).mean(1));
  });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto mean = p.all_reduce(p[x].sum(1), "tp") / 16;
    auto square = p.all_reduce(p[x].pow(2).sum(1), "tp") / 16;
    p.output("y", square - mean * mean);
  });
}

TEST_REFINEMENT(Programs, LayerNormByMoments) {
  auto x = input("x", {6, 16}, Shard("tp", 1));
  sequential([&](Program& p) { p.output("y", at::layer_norm(p[x], {16})); });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto mean = p.all_reduce(p[x].sum(1, true), "tp") / 16;
    auto variance = p.all_reduce((p[x] - mean).pow(2).sum(1, true), "tp") / 16;
    p.output("y", (p[x] - mean) * at::rsqrt(variance + 1e-5), Shard("tp", 1));
  });
}

TEST_REFINEMENT(Programs, MoeWithOneHot) {
  auto x = input("x", {8, 6});
  auto gate = weight("gate", {6, 4});
  auto up = weight("up", {4, 6, 10}, Shard("ep", 0));
  auto down = weight("down", {4, 10, 6}, Shard("ep", 0));
  const auto experts = [&](Program& p, int64_t first, int64_t count) {
    auto probabilities = at::softmax(at::mm(p[x], p[gate]), 1);
    auto [weights, chosen] = at::topk(probabilities, 2, 1);
    auto mask = at::one_hot(chosen, 4).to(weights.scalar_type());
    auto combine = (mask * weights.unsqueeze(2)).sum(1).narrow(1, first, count);
    auto hidden = at::silu(at::matmul(p[x].unsqueeze(0), p[up]));
    auto y = at::matmul(hidden, p[down]);
    return (y * combine.t().unsqueeze(2)).sum(0);
  };
  sequential([&](Program& p) { p.output("y", experts(p, 0, 4)); });
  distributed({{"ep", 2}}, [&](Program& p) {
    p.output("y", p.all_reduce(experts(p, p.coordinate("ep") * 2, 2), "ep"));
  });
}

TEST_REFINEMENT(Programs, RingAttentionOfGatheredKeys) {
  auto q = input("q", {8, 6}, Shard("cp", 0));
  auto k = input("k", {8, 6}, Shard("cp", 0));
  auto v = input("v", {8, 6}, Shard("cp", 0));
  sequential(
      [&](Program& p) { p.output("y", at::mm(at::softmax(at::mm(p[q], p[k].t()), 1), p[v])); });
  distributed({{"cp", 2}}, [&](Program& p) {
    auto keys = stacked(p, p[k], "cp"), values = stacked(p, p[v], "cp");
    at::Tensor y, lse;
    for (int64_t step = 0; step < p.size("cp"); ++step) {
      const int64_t from = (p.coordinate("cp") + step) % p.size("cp");
      auto scores = at::mm(p[q], keys.select(0, from).t());
      auto part = at::mm(at::softmax(scores, 1), values.select(0, from));
      auto part_lse = at::logsumexp(scores, 1, true);
      if (step == 0) {
        y = part;
        lse = part_lse;
        continue;
      }
      auto both = at::logaddexp(lse, part_lse);
      y = y * at::exp(lse - both) + part * at::exp(part_lse - both);
      lse = both;
    }
    p.output("y", y, Shard("cp", 0));
  });
}

TEST_REFINEMENT(Programs, FusedAttentionOfSplitHeads) {
  auto q = input("q", {2, 4, 5, 6}, Shard("tp", 1));
  auto k = input("k", {2, 4, 5, 6}, Shard("tp", 1));
  auto v = input("v", {2, 4, 5, 6}, Shard("tp", 1));
  const auto attention = [&](Program& p) {
    p.output("y", at::scaled_dot_product_attention(p[q], p[k], p[v], {}, 0.0, true),
             Shard("tp", 1));
  };
  sequential(attention);
  distributed({{"tp", 2}}, attention);
}

TEST_REFINEMENT(Programs, FusedAttentionAgainstItsDefinition) {
  auto q = input("q", {2, 4, 5, 4}, Shard("tp", 1));
  auto k = input("k", {2, 4, 5, 4}, Shard("tp", 1));
  auto v = input("v", {2, 4, 5, 4}, Shard("tp", 1));
  sequential([&](Program& p) {
    auto scores = at::matmul(p[q], p[k].transpose(-2, -1)) * 0.5;
    auto mask = at::ones({5, 5}, p[q].options().dtype(at::kBool)).triu(1);
    p.output("y", at::matmul(at::softmax(scores.masked_fill(mask, kNever), -1), p[v]));
  });
  distributed({{"tp", 2}}, [&](Program& p) {
    p.output("y", at::scaled_dot_product_attention(p[q], p[k], p[v], {}, 0.0, true),
             Shard("tp", 1));
  });
}

TEST_REFINEMENT(Programs, VocabParallelEmbedding) {
  auto table = weight("table", {32, 6}, Shard("tp", 0));
  auto tokens = ids("tokens", {3, 5}, 32);
  sequential([&](Program& p) { p.output("y", at::embedding(p[table], p[tokens])); });
  distributed({{"tp", 2}}, [&](Program& p) {
    const int64_t rows = p[table].size(0), first = p.coordinate("tp") * rows;
    auto outside = (p[tokens] < first).logical_or(p[tokens] >= first + rows);
    auto local = (p[tokens] - first).masked_fill(outside, 0);
    auto y = at::embedding(p[table], local).masked_fill(outside.unsqueeze(-1), 0.0);
    p.output("y", p.all_reduce(y, "tp"));
  });
}

TEST_REFINEMENT(Programs, VocabParallelArgmax) {
  auto x = input("x", {6, 16});
  auto w = weight("w", {32, 16}, Shard("tp", 0));
  sequential([&](Program& p) { p.output("ids", at::argmax(at::mm(p[x], p[w].t()), 1)); });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto logits = at::mm(p[x], p[w].t());
    auto [best, index] = logits.max(1);
    auto global = index + p.coordinate("tp") * logits.size(1);
    auto bests = stacked(p, best, "tp"), indices = stacked(p, global, "tp");
    auto winner = at::argmax(bests, 0, true);
    p.output("ids", at::gather(indices, 0, winner).squeeze(0));
  });
}

TEST_REFINEMENT(Programs, VocabParallelCrossEntropy) {
  auto logits = input("logits", {6, 32}, Shard("tp", 1));
  auto labels = ids("labels", {6}, 32);
  sequential([&](Program& p) { p.output("loss", at::cross_entropy_loss(p[logits], p[labels])); });
  distributed({{"tp", 2}}, [&](Program& p) {
    const int64_t columns = p[logits].size(1), first = p.coordinate("tp") * columns;
    auto shifted = p[logits] - all_reduce_max(p, p[logits].amax(1, true), "tp");
    auto total = p.all_reduce(at::exp(shifted).sum(1), "tp");
    auto outside = (p[labels] < first).logical_or(p[labels] >= first + columns);
    auto local = (p[labels] - first).masked_fill(outside, 0);
    auto target = at::gather(shifted, 1, local.unsqueeze(1)).squeeze(1).masked_fill(outside, 0.0);
    p.output("loss", (at::log(total) - p.all_reduce(target, "tp")).mean());
  });
}

TEST_REFINEMENT(Programs, ClippingByTheGlobalNorm) {
  auto w = input("w", {8, 6}, Shard("dp", 0));
  sequential([&](Program& p) {
    auto norm = at::linalg_vector_norm(p[w]);
    p.output("y", p[w] * at::clamp_max(1.0 / (norm + 1e-6), 1.0));
  });
  distributed({{"dp", 2}}, [&](Program& p) {
    auto norm = at::sqrt(p.all_reduce(p[w].pow(2).sum(), "dp"));
    p.output("y", p[w] * at::clamp_max(1.0 / (norm + 1e-6), 1.0), Shard("dp", 0));
  });
}

TEST_REFINEMENT(Programs, BatchNormOverABatchInParts) {
  auto x = input("x", {8, 3, 4}, Shard("dp", 0));
  sequential([&](Program& p) {
    p.output("y", at::batch_norm(p[x], {}, {}, {}, {}, true, 0.1, 1e-5, false));
  });
  distributed({{"dp", 2}}, [&](Program& p) {
    auto mean = p.all_reduce(p[x].sum(at::IntArrayRef{0, 2}, true), "dp") / 32;
    auto variance = p.all_reduce((p[x] - mean).pow(2).sum(at::IntArrayRef{0, 2}, true), "dp") / 32;
    p.output("y", (p[x] - mean) * at::rsqrt(variance + 1e-5), Shard("dp", 0));
  });
}

TEST_REFINEMENT(Programs, ProductOfAVectorInParts) {
  auto v = input("v", {16}, Shard("tp", 0));
  auto w = weight("w", {16, 6}, Shard("tp", 0));
  sequential([&](Program& p) { p.output("y", at::matmul(p[v], p[w])); });
  distributed({{"tp", 2}},
              [&](Program& p) { p.output("y", p.all_reduce(at::matmul(p[v], p[w]), "tp")); });
}

TEST_REFINEMENT(Programs, PooledImagesOfABatch) {
  auto x = input("x", {4, 3, 8, 8}, Shard("dp", 0));
  const auto pooled = [&](Program& p) {
    auto y = at::max_pool2d(at::hardswish(p[x]), {2, 2});
    p.output("y", at::adaptive_avg_pool2d(y, {2, 2}).flatten(1), Shard("dp", 0));
  };
  sequential(pooled);
  distributed({{"dp", 2}}, pooled);
}

TEST_REFINEMENT(Programs, SampledGridOfABatch) {
  auto x = input("x", {4, 3, 5, 5}, Shard("dp", 0));
  auto grid = input("grid", {4, 6, 6, 2}, Shard("dp", 0));
  const auto sampled = [&](Program& p) {
    p.output("y", at::grid_sampler_2d(p[x], at::tanh(p[grid]), 0, 0, false), Shard("dp", 0));
  };
  sequential(sampled);
  distributed({{"dp", 2}}, sampled);
}

TEST_REFINEMENT(Programs, RowWiseFirstGreatest) {
  auto x = input("x", {6, 16}, Shard("tp", 1));
  sequential([&](Program& p) { p.output("y", p[x].amax(1)); });
  distributed({{"tp", 2}},
              [&](Program& p) { p.output("y", all_reduce_max(p, p[x].amax(1), "tp")); });
}

TEST_REFINEMENT(Programs, RangeOfAShardedTensor) {
  auto x = input("x", {6, 16}, Shard("tp", 1));
  sequential([&](Program& p) { p.output("y", p[x].max() - p[x].min()); });
  distributed({{"tp", 2}}, [&](Program& p) {
    auto greatest = all_reduce_max(p, p[x].max(), "tp");
    auto least = all_reduce_min(p, p[x].min(), "tp");
    p.output("y", greatest - least);
  });
}
