// A placement's relation gives the whole back from shards that are cut by DTensor's own
// description.
#include "assay/placement.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/relate/clean_eval.h"
#include "gtest_plugin/relations/placement_relation.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Word = Placement::Word;

const Mesh kMesh({{"dp", 2}, {"tp", 4}});

PlacedTensor placed(const Placement& placement, Shape shape = {8, 12}) {
  return {"w", std::move(shape), placement, {}};
}

// What the rank holds, word by word.
at::Tensor shard(at::Tensor tensor, const Placement& placement, Rank rank) {
  for (const Word& word : placement.words()) {
    const int64_t ranks = kMesh.axis_size(word.axis),
                  coordinate = kMesh.coordinate(rank, word.axis);
    if (word.kind == Word::Kind::kOn) continue;
    if (word.kind == Word::Kind::kPartial) {
      if (coordinate != 0) tensor = at::zeros_like(tensor);
      continue;
    }
    const std::vector<int64_t> blocks =
        word.blocks.empty() ? std::vector{tensor.size(word.dim)} : word.blocks;
    std::vector<at::Tensor> pieces;
    for (const at::Tensor& block : tensor.split_with_sizes(blocks, word.dim)) {
      const auto chunks = block.chunk(ranks, word.dim);
      const auto index = static_cast<size_t>(coordinate);
      // chunk leaves pieces without elements out.
      pieces.push_back(index < chunks.size() ? chunks[index] : block.narrow(word.dim, 0, 0));
    }
    tensor = at::cat(pieces, word.dim);
  }
  return tensor;
}

at::Tensor numbers(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t size : shape) elements *= size;
  return at::arange(elements).view(shape);
}

std::string error_of(const Placement& placement, const Mesh& mesh = kMesh) {
  try {
    local_shape(placed(placement), mesh, 0);
  } catch (const UserError& error) {
    return error.message();
  }
  return {};
}

class PlacementRelation : public testing::TestWithParam<Placement> {};

TEST_P(PlacementRelation, RebuildsTheWholeFromShards) {
  const PlacedTensor tensor = placed(GetParam());
  const at::Tensor whole = numbers(tensor.shape);
  for (const CleanExpr& replica : relation(tensor, kMesh)) {
    const at::Tensor rebuilt = evaluate(
        replica, [&](const RankTensorName& leaf) { return shard(whole, GetParam(), leaf.second); });
    EXPECT_TRUE(at::equal(rebuilt, whole)) << to_string(replica);
  }
}

TEST_P(PlacementRelation, UsesEveryRankOnce) {
  std::set<Rank> seen;
  const std::function<void(const CleanExpr&)> visit = [&](const CleanExpr& expr) {
    if (expr.kind == CleanExpr::Kind::kTensor) seen.insert(expr.rank);
    for (const CleanExpr& operand : expr.operands) visit(operand);
  };
  for (const CleanExpr& replica : relation(placed(GetParam()), kMesh)) visit(replica);
  EXPECT_EQ(seen.size(), static_cast<size_t>(kMesh.world_size()));
}

TEST_P(PlacementRelation, LocalShapeIsThatOfTheShard) {
  const PlacedTensor tensor = placed(GetParam());
  for (Rank rank = 0; rank < kMesh.world_size(); ++rank) {
    EXPECT_EQ(local_shape(tensor, kMesh, rank),
              shard(numbers(tensor.shape), GetParam(), rank).sizes().vec());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlacementRelation,
    testing::Values(Replicate(), Shard("tp", 0), Shard("tp", 1), Shard("dp", 1), Partial("tp"),
                    ShardBlocks("tp", 1, {4, 8}), ShardBlocks("dp", 0, {2, 2, 4}),
                    Placement{Shard("dp", 0), Shard("tp", 0)},
                    Placement{Shard("tp", 0), Shard("dp", 0)},
                    Placement{Shard("dp", 0), Shard("tp", 1)},
                    Placement{Partial("dp"), Shard("tp", 1)},
                    Placement{Shard("dp", 0), ShardBlocks("tp", 1, {4, 8})},
                    Placement{ShardBlocks("tp", 1, {4, 8}), Shard("dp", 0)}),
    [](const auto& test) {
      std::string name = to_string(test.param);
      std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
      return name;
    });

TEST(Placement, PiecesAreThoseOfChunk) {
  for (const int64_t rows : {1, 2, 3, 5, 6, 7, 9}) {
    for (const Placement& placement : {Shard("tp", 0), Placement{Shard("dp", 0), Shard("tp", 0)}}) {
      const PlacedTensor tensor = placed(placement, {rows, 3});
      const at::Tensor whole = numbers(tensor.shape);
      for (Rank rank = 0; rank < kMesh.world_size(); ++rank)
        EXPECT_EQ(local_shape(tensor, kMesh, rank), shard(whole, placement, rank).sizes().vec());
      for (const CleanExpr& replica : relation(tensor, kMesh)) {
        EXPECT_TRUE(at::equal(evaluate(replica,
                                       [&](const RankTensorName& leaf) {
                                         return shard(whole, placement, leaf.second);
                                       }),
                              whole));
      }
    }
  }
}

TEST(Placement, AxesThatItDoesNotNameHoldReplicas) {
  EXPECT_EQ(relation(placed(Replicate()), kMesh).size(), 8u);
  EXPECT_EQ(relation(placed(Shard("tp", 0)), kMesh).size(), 2u);
  EXPECT_EQ(relation(placed({Shard("dp", 0), Shard("tp", 1)}), kMesh).size(), 1u);
}

TEST(Placement, OnACoordinateIsAReplicaOnThoseRanksAlone) {
  std::vector<std::string> replicas;
  for (const CleanExpr& replica : relation(placed(On("tp", 2)), kMesh))
    replicas.push_back(to_string(replica));
  EXPECT_THAT(replicas, testing::ElementsAre("w@2", "w@6"));
  const Placement sharded{Shard("dp", 0), On("tp", 1)};
  ASSERT_EQ(relation(placed(sharded), kMesh).size(), 1u);
  EXPECT_EQ(to_string(relation(placed(sharded), kMesh).front()), "concat(w@1, w@5; dim=0)");
  EXPECT_EQ(local_shape(placed(sharded), kMesh, 0), (Shape{4, 12}));
  for (Rank rank = 0; rank < 8; ++rank) EXPECT_EQ(holds(sharded, kMesh, rank), rank % 4 == 1);
  EXPECT_TRUE(holds(sharded, Mesh(), 0)) << "the sequential program has everything";
}

TEST(Placement, PackedBlocksAreCutOneByOne) {
  const Mesh mesh({{"tp", 2}});
  EXPECT_EQ(
      to_string(relation(placed(ShardBlocks("tp", 0, {4, 2}), {6}), mesh).front()),
      "concat(concat(slice(w@0; dim=0, start=0, end=2), slice(w@1; dim=0, start=0, end=2); dim=0), "
      "concat(slice(w@0; dim=0, start=2, end=3), slice(w@1; dim=0, start=2, end=3); dim=0); "
      "dim=0)");
}

TEST(Placement, OneRankAlongAnAxisIsTheTensorItself) {
  const Mesh mesh({{"tp", 1}});
  EXPECT_EQ(to_string(relation(placed(ShardBlocks("tp", 1, {4, 8})), mesh).front()), "w@0");
}

TEST(Placement, PrintsAsItIsWritten) {
  EXPECT_EQ(to_string(Placement{Shard("dp", 0), ShardBlocks("tp", 1, {4, 8}), Partial("pp")}),
            "{Shard(\"dp\", 0), ShardBlocks(\"tp\", 1, {4, 8}), Partial(\"pp\")}");
  EXPECT_EQ(to_string(Replicate()), "Replicate()");
  EXPECT_EQ(to_string(On("pp", 1)), "On(\"pp\", 1)");
}

TEST(Placement, SaysWhatDoesNotFit) {
  EXPECT_THAT(error_of(Shard("tp", 2)), HasSubstr("no dimension 2"));
  EXPECT_THAT(error_of(Shard("tp", -1)), HasSubstr("no dimension -1"));
  EXPECT_THAT(error_of(Shard("cp", 0)), HasSubstr("no axis \"cp\""));
  EXPECT_THAT(error_of({Shard("tp", 0), Shard("tp", 1)}), HasSubstr("named twice"));
  EXPECT_THAT(error_of(ShardBlocks("tp", 1, {4, 4})), HasSubstr("8 elements, dimension 1 has 12"));
  EXPECT_THAT(error_of(On("tp", 4)), HasSubstr("no coordinate 4"));
  EXPECT_THAT(error_of(ShardBlocks("tp", 1, {6, 6})),
              HasSubstr("do not split evenly over 4 ranks of tp"));
}

TEST(GradientPlacement, SummandsShareTheirGradient) {
  EXPECT_EQ(gradient_placement({Partial("dp"), Shard("tp", 1)}), Shard("tp", 1));
  EXPECT_EQ(gradient_placement(Shard("tp", 0)), Shard("tp", 0));
  EXPECT_EQ(gradient_placement(On("pp", 1)), On("pp", 1));
}

}  // namespace
}  // namespace assay
