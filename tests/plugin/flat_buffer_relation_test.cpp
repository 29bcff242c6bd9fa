// A flat buffer's relation gives its members back from shards that are cut by its description; what
// the programs under test see of buffers, and what is said about wrong ones.
#include "gtest_plugin/relations/flat_buffer_relation.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic_check/relate/clean_eval.h"
#include "tests/plugin/capture_error.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Mesh kSquareMesh({{"dp", 2}, {"tp", 2}});

FlatBuffer three_members(const Placement& placement, const Placement& of_first = Replicate()) {
  return {
      "flat",
      {{"w1", {5, 3}, of_first, {}}, {"b", {4}, Replicate(), {}}, {"w2", {2, 3}, Replicate(), {}}},
      placement,
      {}};
}

at::Tensor numbers(const Shape& shape, int64_t from) {
  return at::arange(from, from + element_count(shape)).view(shape);
}

// What a rank holds of a tensor whose one word, if any, shards dimension `dim`.
at::Tensor piece(const at::Tensor& tensor, const Placement& placement, Rank rank, int64_t dim) {
  if (placement.words().empty()) return tensor;
  const std::string& axis = placement.words().front().axis;
  const auto chunks = tensor.chunk(kSquareMesh.axis_size(axis), dim);
  return chunks.at(static_cast<size_t>(kSquareMesh.coordinate(rank, axis)));
}

// The members' pieces one after the other, and padding of -1 up to an even size.
at::Tensor buffer_on(const FlatBuffer& buffer, Rank rank) {
  std::vector<at::Tensor> flat;
  int64_t elements = 0;
  for (size_t i = 0; i < buffer.members.size(); ++i) {
    const PlacedTensor& member = buffer.members[i];
    const at::Tensor whole = numbers(member.shape, static_cast<int64_t>(100 * i));
    flat.push_back(piece(whole, member.placement, rank, 0).reshape({-1}));
    elements += flat.back().numel();
  }
  if (!buffer.placement.words().empty() && elements % 2 != 0)
    flat.push_back(at::full({1}, -1, at::kLong));
  return piece(at::cat(flat), buffer.placement, rank, 0);
}

class FlatBufferRelation : public testing::TestWithParam<FlatBuffer> {};

TEST_P(FlatBufferRelation, GivesEveryMemberBack) {
  const FlatBuffer& buffer = GetParam();
  for (size_t i = 0; i < buffer.members.size(); ++i) {
    const at::Tensor whole = numbers(buffer.members[i].shape, static_cast<int64_t>(100 * i));
    for (const CleanExpr& replica : relation(buffer, i, kSquareMesh)) {
      const at::Tensor rebuilt = evaluate(
          replica, [&](const RankTensorName& leaf) { return buffer_on(buffer, leaf.second); });
      EXPECT_TRUE(at::equal(rebuilt, whole)) << to_string(replica);
    }
  }
}

TEST_P(FlatBufferRelation, LocalShapeIsThatOfTheShard) {
  for (Rank rank = 0; rank < kSquareMesh.world_size(); ++rank)
    EXPECT_EQ(local_shape(GetParam(), kSquareMesh, rank),
              buffer_on(GetParam(), rank).sizes().vec());
}

INSTANTIATE_TEST_SUITE_P(All, FlatBufferRelation,
                         testing::Values(three_members(Replicate()), three_members(Shard("dp", 0)),
                                         three_members(Shard("tp", 0)),
                                         three_members(Replicate(), Shard("tp", 0)),
                                         three_members(Shard("dp", 0), Shard("tp", 0))),
                         [](const auto& test) { return "Case" + std::to_string(test.index); });

TEST(FlatBuffer, RanksThatHoldItTogetherMakeOneReplica) {
  EXPECT_EQ(relation(three_members(Shard("dp", 0)), 0, kSquareMesh).size(), 2u);
  EXPECT_EQ(relation(three_members(Shard("dp", 0), Shard("tp", 0)), 0, kSquareMesh).size(), 1u);
  EXPECT_EQ(relation(three_members(Replicate()), 0, kSquareMesh).size(), 4u);
}

TEST(FlatBuffer, AShardCutsThroughRows) {
  const Mesh mesh({{"dp", 2}});
  EXPECT_EQ(to_string(relation(three_members(Shard("dp", 0)), 0, mesh).front()),
            "reshape(slice(concat(flat@0, flat@1; dim=0); dim=0, start=0, end=15); shape=[5, 3])");
}

TEST(FlatBuffer, RanksThatHoldNothingOfAMemberAreNotNamed) {
  const Mesh mesh({{"dp", 2}});
  EXPECT_EQ(to_string(relation(three_members(Shard("dp", 0)), 2, mesh).front()),
            "reshape(slice(flat@1; dim=0, start=6, end=12); shape=[2, 3])");
}

TEST(FlatBuffer, AnAxisHoldsABufferOrAMember) {
  EXPECT_THROW(relation(three_members(Shard("tp", 0), Shard("tp", 0)), 0, kSquareMesh), UserError);
  EXPECT_THROW(relation(three_members(Shard("cp", 0)), 0, kSquareMesh), UserError);
  EXPECT_THROW(relation(three_members(Shard("tp", 1)), 0, kSquareMesh), UserError);
}

InputSpec weight(const std::string& name, Shape shape) {
  InputSpec input;
  input.name = name;
  input.shape = std::move(shape);
  return input;
}

// Both weights doubled, in a buffer of 21 elements over two ranks.
RefinementSpec doubled() {
  RefinementSpec spec;
  spec.name = "Doubled";
  spec.mesh = Mesh({{"dp", 2}});
  spec.inputs = {weight("w1", {5, 3}), weight("w2", {2, 3})};
  spec.flat_buffers = {{"params", {"w1", "w2"}, Shard("dp", 0), {}}};
  spec.sequential = [](Program& p) {
    p.output("y1", p[{"w1"}] * 2);
    p.output("y2", p[{"w2"}] * 2);
  };
  spec.distributed = [](Program& p) {
    p.flat_output("y", {"y1", "y2"}, p[{"params"}] * 2, Shard("dp", 0));
  };
  return spec;
}

TEST(FlatBuffer, IsWhatTheRanksRead) {
  const Case refinement = capture_case(doubled());
  const Graph& rank = refinement.ranks[1];
  EXPECT_EQ(rank.find("w1"), kNone);
  EXPECT_THAT(rank.tensors[static_cast<size_t>(rank.find("params"))].shape, ElementsAre(11));
  EXPECT_EQ(to_string(refinement.expect[1].replicas.front()),
            "reshape(slice(y@1; dim=0, start=4, end=10); shape=[2, 3])");
}

TEST(FlatBuffer, IsCheckedBothWays) {
  EXPECT_EQ(check_refinement(doubled()).exit, 0) << to_text(check_refinement(doubled()));
  RefinementSpec wrong = doubled();
  wrong.distributed = [](Program& p) {
    p.flat_output("y", {"y2", "y1"}, p[{"params"}] * 2, Shard("dp", 0));
  };
  EXPECT_EQ(check_refinement(wrong).exit, 1);
}

TEST(FlatBuffer, ItsGradientHoldsThoseOfItsMembers) {
  RefinementSpec spec = doubled();
  spec.sequential = [](Program& p) {
    p.gradients((p[{"w1"}] * p[{"w1"}]).sum() + (p[{"w2"}] * p[{"w2"}]).sum());
  };
  spec.distributed = [](Program& p) { p.gradients((p[{"params"}] * p[{"params"}]).sum()); };
  const Case refinement = capture_case(spec);
  EXPECT_THAT(refinement.outputs, ElementsAre("grad.w1", "grad.w2"));
  EXPECT_EQ(check_refinement(spec).exit, 0) << to_text(check_refinement(spec));
}

TEST(FlatBuffer, SaysWhatIsWrong) {
  RefinementSpec spec = doubled();
  spec.flat_buffers.front().members = {};
  EXPECT_THAT(test::capture_error(spec), HasSubstr("flat buffer params has no members"));
  spec = doubled();
  spec.flat_buffers.front().members.push_back("w3");
  EXPECT_THAT(test::capture_error(spec), HasSubstr("flat buffer params has no input w3"));
  spec = doubled();
  spec.flat_buffers.front().members.push_back("w1");
  EXPECT_THAT(test::capture_error(spec), HasSubstr("is not the only place of w1"));
  spec = doubled();
  spec.inputs.back().requires_grad = false;
  EXPECT_THAT(test::capture_error(spec), HasSubstr("members of different kinds: w1 and w2"));
  spec = doubled();
  spec.flat_buffers.front().name = "w1";
  EXPECT_THAT(test::capture_error(spec), HasSubstr("has the name of an input"));
  spec = doubled();
  spec.distributed = [](Program& p) { p.output("y1", p[{"w1"}] * 2); };
  EXPECT_THAT(test::capture_error(spec), HasSubstr("the ranks have w1 in the flat buffer only"));
  spec = doubled();
  spec.sequential = spec.distributed;
  EXPECT_THAT(test::capture_error(spec), HasSubstr("params"));
  spec = doubled();
  spec.sequential = [](Program& p) { p.flat_output("y", {"y1", "y2"}, p[{"w1"}], Replicate()); };
  EXPECT_THAT(test::capture_error(spec),
              HasSubstr("the sequential program has y1 in a flat buffer"));
}

}  // namespace
}  // namespace assay
