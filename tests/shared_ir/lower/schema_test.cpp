// The table of PyTorch's schemas, and what declarations add.
#include <gtest/gtest.h>

#include <string>

#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/operator_table/schema.h"

namespace assay::test {
namespace {

using memory::OperatorSchema;
using memory::schema_of;
using memory::Sharing;
using memory::torch_schema;

TEST(TorchSchema, SaysWhatIsWritten) {
  const auto add = torch_schema("aten.add_.Tensor");
  ASSERT_TRUE(add);
  EXPECT_TRUE(add->writes());
  EXPECT_TRUE(add->parameters[0].written);
  EXPECT_FALSE(add->parameters[1].written);
  EXPECT_EQ(add->results[0].sharing, Sharing::kWritten);
  EXPECT_EQ(add->functional, "aten.add.Tensor");
  EXPECT_TRUE(add->pointwise);
  EXPECT_FALSE(torch_schema("aten.add.Tensor")->writes());
}

TEST(TorchSchema, SaysWhatIsWrittenUnlessAnArgumentIsFalse) {
  const auto norm = torch_schema("aten.native_batch_norm.default");
  ASSERT_TRUE(norm);
  EXPECT_TRUE(norm->parameters[3].written);
  EXPECT_EQ(norm->parameters[3].unless_false, "training");
}

TEST(TorchSchema, SaysWhatResultsAreViewsOf) {
  EXPECT_EQ(torch_schema("aten.view.default")->results[0].sharing, Sharing::kView);
  EXPECT_EQ(torch_schema("aten.reshape.default")->results[0].sharing, Sharing::kViewOrCopy);
  const auto split = torch_schema("aten::split.Tensor");
  EXPECT_EQ(split->results[0].sharing, Sharing::kView);
  EXPECT_TRUE(split->results[0].list);
  EXPECT_TRUE(torch_schema("aten.clone")->results.empty());
  EXPECT_TRUE(torch_schema("aten.t_.default")->relayout);
  EXPECT_TRUE(torch_schema("aten.as_strided.default")->strides);
}

TEST(TorchSchema, FindsEachOperatorAndNoOther) {
  EXPECT_TRUE(torch_schema("_c10d_functional.all_reduce.default"));  // among the first
  EXPECT_TRUE(torch_schema("rngprims.philox_rand.default"));         // among the last
  EXPECT_FALSE(torch_schema("aten.add_.tensor"));
  EXPECT_FALSE(torch_schema("aten"));
  EXPECT_FALSE(torch_schema(""));
  EXPECT_FALSE(torch_schema("zzz.last.default"));
  EXPECT_FALSE(torch_schema("Aaa.first.default"));
}

TEST(OperatorSchema, IsWhatADeclarationSaysWherePyTorchSaysNothing) {
  OperatorTable table = OperatorTable::builtin();
  table.add_text("[\"own.f.default\"]\nschema = 'x, out!'\nwrites.out = 'x'\n", "own.toml");
  const OperatorSchema schema = schema_of("own.f.default", table.find("own.f.default"));
  EXPECT_TRUE(schema.known);
  EXPECT_FALSE(schema.parameters[0].written);
  EXPECT_TRUE(schema.parameters[1].written);
  EXPECT_FALSE(schema_of("own.g.default", nullptr).known);
  EXPECT_TRUE(schema_of("own.g.default", nullptr).writes());
}

}  // namespace
}  // namespace assay::test
