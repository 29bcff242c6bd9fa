#include <gmock/gmock.h>

#include <limits>

#include "shared_ir/lower/build/builder.h"
#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

using testing::ElementsAre;

constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

OperatorCall on_2x3(const std::string& op) {
  return OperatorCall(op).tensor({2, 3}, {1, 2, 3, 4, 5, 6});
}

TEST(LowerMovement, ViewsInferOneSize) {
  CoreProgram program = on_2x3("aten.view.default").numbers({-1, 2}).gives({3, 2}).lower();
  EXPECT_EQ(program.ops.back().shape, (Shape{3, 2}));
  EXPECT_THROW(on_2x3("aten.view.default").numbers({-1, 4}).gives({1, 4}).lower(), UserError);
  EXPECT_THROW(on_2x3("aten.view.default").numbers({-1, -1}).gives({3, 2}).lower(), UserError);
}

TEST(LowerMovement, IdentitiesMakeNoOperator) {
  for (const char* op : {"aten.detach.default", "aten.clone.default", "aten.alias.default"}) {
    CoreProgram program = on_2x3(op).gives({2, 3}).lower();
    EXPECT_EQ(program.ops.size(), 1u) << op;
    EXPECT_EQ(program.value_of[1], 0) << op;
  }
}

TEST(LowerMovement, TransposesByNegativeDims) {
  EXPECT_THAT(on_2x3("aten.transpose.int").number(-1).number(0).gives({3, 2}).value(),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(on_2x3("aten.t.default").gives({3, 2}).value(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(on_2x3("aten.permute.default").numbers({1, 0}).gives({3, 2}).value(),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THROW(on_2x3("aten.permute.default").numbers({1, 1}).gives({3, 3}).lower(), UserError);
  EXPECT_THROW(on_2x3("aten.transpose.int").number(2).number(0).gives({3, 2}).lower(), UserError);
}

TEST(LowerMovement, SlicesClampAsPyTorchDoes) {
  EXPECT_THAT(
      on_2x3("aten.slice.Tensor").number(1).number(1).number(kToTheEnd).gives({2, 2}).value(),
      ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(on_2x3("aten.slice.Tensor").number(-1).number(0).number(-1).gives({2, 2}).value(),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(on_2x3("aten.slice.Tensor").number(1).none().none().number(2).gives({2, 2}).value(),
              ElementsAre(1, 3, 4, 6));
  EXPECT_THROW(
      on_2x3("aten.slice.Tensor").number(1).number(0).number(3).number(0).gives({2, 3}).lower(),
      UserError);
  EXPECT_THROW(on_2x3("aten.slice.Tensor").number(2).number(0).number(3).gives({2, 3}).lower(),
               UserError);
}

TEST(LowerMovement, SelectsRows) {
  EXPECT_THAT(on_2x3("aten.select.int").number(0).number(-1).gives({3}).value(),
              ElementsAre(4, 5, 6));
  EXPECT_THROW(on_2x3("aten.select.int").number(0).number(2).gives({3}).lower(), UserError);
}

TEST(LowerMovement, SplitsGiveAllPieces) {
  auto pieces = on_2x3("aten.split.Tensor").number(2).number(1).gives({2, 2}).gives({2, 1}).run();
  EXPECT_THAT(pieces[0], ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(pieces[1], ElementsAre(3, 6));
  EXPECT_THROW(on_2x3("aten.split_with_sizes.default")
                   .numbers({1, 1})
                   .number(1)
                   .gives({2, 1})
                   .gives({2, 1})
                   .lower(),
               UserError);
}

TEST(LowerMovement, UnusedPiecesAreSkipped) {
  auto pieces = on_2x3("aten.split_with_sizes.default")
                    .numbers({1, 2})
                    .number(1)
                    .gives_nothing_used()
                    .gives({2, 2})
                    .run();
  EXPECT_THAT(pieces[0], ElementsAre(2, 3, 5, 6));
}

TEST(LowerMovement, ConcatenatesAndStacks) {
  EXPECT_THAT(OperatorCall("aten.cat.default")
                  .tensor({1, 2}, {1, 2})
                  .tensor({1, 1}, {3})
                  .listed(2)
                  .number(-1)
                  .gives({1, 3})
                  .value(),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(OperatorCall("aten.stack.default")
                  .tensor({2}, {1, 2})
                  .tensor({2}, {3, 4})
                  .listed(2)
                  .number(1)
                  .gives({2, 2})
                  .value(),
              ElementsAre(1, 3, 2, 4));
  EXPECT_THROW(OperatorCall("aten.cat.default")
                   .tensor({1, 2}, {1, 2})
                   .tensor({2, 1}, {3, 4})
                   .listed(2)
                   .number(0)
                   .gives({3, 2})
                   .lower(),
               UserError);
}

TEST(LowerMovement, WritesSlices) {
  EXPECT_THAT(on_2x3("aten.slice_scatter.default")
                  .tensor({2, 1}, {8, 9})
                  .number(1)
                  .number(1)
                  .number(2)
                  .gives({2, 3})
                  .value(),
              ElementsAre(1, 8, 3, 4, 9, 6));
  EXPECT_THROW(on_2x3("aten.slice_scatter.default")
                   .tensor({2, 2}, {8, 9, 8, 9})
                   .number(1)
                   .number(1)
                   .number(2)
                   .gives({2, 3})
                   .lower(),
               UserError);
}

TEST(LowerMovement, GradientsOfSlicesArePadded) {
  EXPECT_THAT(OperatorCall("aten.slice_backward.default")
                  .tensor({1, 2}, {8, 9})
                  .numbers({2, 3})
                  .number(1)
                  .number(1)
                  .number(3)
                  .number(1)
                  .gives({2, 3})
                  .lower()
                  .ops.back()
                  .shape,
              ElementsAre(2, 3));
  EXPECT_THAT(OperatorCall("aten.select_backward.default")
                  .tensor({3}, {7, 8, 9})
                  .numbers({2, 3})
                  .number(0)
                  .number(1)
                  .gives({2, 3})
                  .value(),
              ElementsAre(0, 0, 0, 7, 8, 9));
  EXPECT_THAT(OperatorCall("aten.constant_pad_nd.default")
                  .tensor({1, 2}, {1, 2})
                  .numbers({1, 0, 0, 1})
                  .number(5)
                  .gives({2, 3})
                  .value(),
              ElementsAre(5, 1, 2, 5, 5, 5));
}

TEST(LowerMovement, ExpandsAndRepeats) {
  EXPECT_THAT(OperatorCall("aten.expand.default")
                  .tensor({2, 1}, {1, 2})
                  .numbers({-1, 2})
                  .gives({2, 2})
                  .value(),
              ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(
      OperatorCall("aten.repeat.default").tensor({2}, {1, 2}).numbers({2, 2}).gives({2, 4}).value(),
      ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_THROW(on_2x3("aten.expand.default").numbers({2, 4}).gives({2, 4}).lower(), UserError);
  EXPECT_THROW(on_2x3("aten.expand.default").numbers({3}).gives({3}).lower(), UserError);
}

TEST(LowerMovement, SqueezesOnlySizeOne) {
  EXPECT_EQ(OperatorCall("aten.squeeze.dims")
                .tensor({1, 2, 1}, {1, 2})
                .numbers({0, 1})
                .gives({2, 1})
                .lower()
                .ops.back()
                .shape,
            (Shape{2, 1}));
  EXPECT_EQ(OperatorCall("aten.unsqueeze.default")
                .tensor({2}, {1, 2})
                .number(-1)
                .gives({2, 1})
                .lower()
                .ops.back()
                .shape,
            (Shape{2, 1}));
}

TEST(LowerMovement, TrianglesKeepTheirSide) {
  auto triangle = [](const char* op, int64_t diagonal) {
    return OperatorCall(op)
        .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
        .number(diagonal)
        .gives({2, 3})
        .value();
  };
  EXPECT_THAT(triangle("aten.tril.default", 0), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(triangle("aten.triu.default", 1), ElementsAre(0, 2, 3, 0, 0, 6));
}

TEST(LowerMovement, TrianglesOfFlagsAreFlags) {
  lowering::Builder builder(3);
  CoreId mask = builder.input(0, DType::kBool, {2});
  EXPECT_EQ(builder.keep(mask, builder.constant(Rational(1), DType::kBool, {2})), mask);
  EXPECT_THAT(OperatorCall("aten.triu.default")
                  .mask({2, 2}, {1, 0, 1, 1})
                  .number(0)
                  .gives(DType::kBool, {2, 2})
                  .value(),
              ElementsAre(1, 0, 0, 1));
}

TEST(LowerSource, CountsAndFills) {
  EXPECT_THAT(OperatorCall("aten.arange.start_step")
                  .number(2)
                  .number(7)
                  .number(2)
                  .gives(DType::kInt64, {3})
                  .value(),
              ElementsAre(2, 4, 6));
  const auto spaced = [](double end, DType dtype) {
    return OperatorCall("aten.linspace.default")
        .number(1)
        .number(end)
        .number(4)
        .dtype(dtype)
        .as("dtype")
        .gives(dtype, {4});
  };
  EXPECT_THAT(spaced(7, DType::kInt64).value(), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(spaced(-5.5, DType::kInt8).value(), ElementsAre(1, -1, -3, -5));
  EXPECT_THAT(spaced(5.5, DType::kFloat64).value(), ElementsAre(1, 2.5, 4, 5.5));
  EXPECT_EQ(spaced(3, DType::kInt64).lower().opaque.size(), 1u);  // rounded as a kernel does
  EXPECT_THAT(OperatorCall("aten.full.default").numbers({2}).number(2.5).gives({2}).value(),
              ElementsAre(2.5, 2.5));
  EXPECT_THAT(OperatorCall("aten.zeros_like.default").tensor({2}, {1, 2}).gives({2}).value(),
              ElementsAre(0, 0));
  EXPECT_THAT(OperatorCall("assay.constant").numbers({3, 1, 2}).gives(DType::kInt64, {3}).value(),
              ElementsAre(3, 1, 2));
  EXPECT_THAT(
      OperatorCall("aten.full.default").numbers({2}).number(-2.5).gives(DType::kInt64, {2}).value(),
      ElementsAre(-2, -2));
  EXPECT_THROW(
      OperatorCall("aten.full.default").numbers({2}).number(1e19).gives(DType::kInt64, {2}).lower(),
      UserError);
  EXPECT_THROW(
      OperatorCall("aten.arange.start").number(7).number(2).gives(DType::kInt64, {5}).lower(),
      UserError);
}

}  // namespace
}  // namespace assay::test
