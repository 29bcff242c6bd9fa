#include "shared_ir/mesh.h"

#include <gtest/gtest.h>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

TEST(Mesh, FirstAxisIsOutermost) {
  const Mesh mesh({{"dp", 4}, {"tp", 2}});
  EXPECT_EQ(mesh.world_size(), 8);
  EXPECT_EQ(mesh.coordinate(5, "dp"), 2);
  EXPECT_EQ(mesh.coordinate(5, "tp"), 1);
}

TEST(Mesh, GroupHoldsTheRanksThatDifferOnOneAxisAlone) {
  const Mesh mesh({{"dp", 4}, {"tp", 2}});
  EXPECT_EQ(mesh.group(5, "tp"), (std::vector<Rank>{4, 5}));
  EXPECT_EQ(mesh.group(5, "dp"), (std::vector<Rank>{1, 3, 5, 7}));
}

TEST(Mesh, GroupNamesCountByTheSmallestRank) {
  const Mesh mesh({{"dp", 2}, {"tp", 2}, {"pp", 2}});
  const Groups expected = {{"dp:0", {0, 4}}, {"dp:1", {1, 5}}, {"dp:2", {2, 6}}, {"dp:3", {3, 7}},
                           {"tp:0", {0, 2}}, {"tp:1", {1, 3}}, {"tp:2", {4, 6}}, {"tp:3", {5, 7}},
                           {"pp:0", {0, 1}}, {"pp:1", {2, 3}}, {"pp:2", {4, 5}}, {"pp:3", {6, 7}}};
  EXPECT_EQ(mesh.groups(), expected);
  EXPECT_EQ(mesh.group_name(7, "tp"), "tp:3");
}

TEST(Mesh, EmptyMeshIsOneRankWithoutGroups) {
  EXPECT_EQ(Mesh().world_size(), 1);
  EXPECT_TRUE(Mesh().groups().empty());
}

TEST(Mesh, RejectsBadAxes) {
  EXPECT_THROW(Mesh({{"tp", 0}}), UserError);
  EXPECT_THROW(Mesh({{"tp", 2}, {"tp", 2}}), UserError);
  EXPECT_THROW(Mesh({{"tp", 1 << 20}, {"dp", 1 << 20}}), UserError);
  EXPECT_THROW(Mesh({{"tp", 2}}).axis_size("dp"), UserError);
  EXPECT_NO_THROW(Mesh({{"tp", 2}, {"dp", 2}}));
}

}  // namespace
}  // namespace assay
