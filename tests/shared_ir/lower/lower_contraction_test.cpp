#include <gmock/gmock.h>

#include "tests/shared_ir/lower/operator_call.h"

namespace assay::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LowerContraction, MatrixProducts) {
  EXPECT_THAT(OperatorCall("aten.mm.default")
                  .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
                  .tensor({3, 2}, {1, 0, 0, 1, 1, 1})
                  .gives({2, 2})
                  .value(),
              ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(OperatorCall("aten.bmm.default")
                  .tensor({2, 1, 2}, {1, 2, 3, 4})
                  .tensor({2, 2, 1}, {1, 1, 2, 2})
                  .gives({2, 1, 1})
                  .value(),
              ElementsAre(3, 14));
  EXPECT_THAT(OperatorCall("aten.linear.default")
                  .tensor({1, 2}, {1, 2})
                  .tensor({3, 2}, {1, 0, 0, 1, 1, 1})
                  .tensor({3}, {10, 20, 30})
                  .gives({1, 3})
                  .value(),
              ElementsAre(11, 22, 33));
  EXPECT_THAT(OperatorCall("aten.dot.default")
                  .tensor({2}, {1, 2})
                  .tensor({2}, {3, 4})
                  .gives(Shape{})
                  .value(),
              ElementsAre(11));
}

TEST(LowerContraction, ScalesAddends) {
  auto call = OperatorCall("aten.addmm.default")
                  .tensor({2}, {100, 200})
                  .tensor({1, 2}, {1, 2})
                  .tensor({2, 2}, {1, 0, 0, 1});
  EXPECT_THAT(call.number(0.5).as("beta").number(3).as("alpha").gives({1, 2}).value(),
              ElementsAre(53, 106));
}

TEST(LowerContraction, BetaZeroDropsTheAddend) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(OperatorCall("aten.baddbmm.default")
                  .tensor({1, 1, 1}, {nan})
                  .tensor({1, 1, 2}, {1, 2})
                  .tensor({1, 2, 1}, {3, 4})
                  .number(0.0)
                  .as("beta")
                  .number(0.5)
                  .as("alpha")
                  .gives({1, 1, 1})
                  .value(),
              ElementsAre(5.5));
}

TEST(LowerContraction, GeneralDotsOrderTheirResult) {
  // a[k, b, i], c[b, k] -> [b, i]
  EXPECT_THAT(OperatorCall("hlo.dot")
                  .tensor({2, 2, 1}, {1, 2, 3, 4})
                  .tensor({2, 2}, {1, 10, 100, 1000})
                  .numbers({0})
                  .numbers({1})
                  .numbers({1})
                  .numbers({0})
                  .gives({2, 1})
                  .value(),
              ElementsAre(31, 4200));
  EXPECT_THROW(OperatorCall("hlo.dot")
                   .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
                   .tensor({2, 2}, {1, 2, 3, 4})
                   .numbers({1})
                   .numbers({0})
                   .numbers({})
                   .numbers({})
                   .gives({2, 2})
                   .lower(),
               UserError);
}

TEST(LowerContraction, RejectsShapesThatDoNotMeet) {
  EXPECT_THROW(OperatorCall("aten.mm.default")
                   .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
                   .tensor({2, 2}, {1, 2, 3, 4})
                   .gives({2, 2})
                   .lower(),
               UserError);
  EXPECT_THROW(OperatorCall("aten.mm.default")
                   .tensor({2}, {1, 2})
                   .tensor({2, 2}, {1, 2, 3, 4})
                   .gives({2})
                   .lower(),
               UserError);
}

TEST(LowerReduction, SumsMeansAndMaxima) {
  auto call = [](const char* op) { return OperatorCall(op).tensor({2, 3}, {1, 2, 3, 4, 5, 9}); };
  EXPECT_THAT(call("aten.sum.default").gives(Shape{}).value(), ElementsAre(24));
  EXPECT_THAT(call("aten.sum.dim_IntList").numbers({-1}).flag(true).gives({2, 1}).value(),
              ElementsAre(6, 18));
  EXPECT_THAT(call("aten.sum.dim_IntList").numbers({}).gives(Shape{}).value(), ElementsAre(24));
  EXPECT_THAT(call("aten.mean.dim").numbers({0}).gives({3}).value(), ElementsAre(2.5, 3.5, 6));
  EXPECT_THAT(call("aten.amax.default").numbers({1}).gives({2}).value(), ElementsAre(3, 9));
  auto largest = call("aten.max.dim").number(0).gives({3}).gives(DType::kInt64, {3}).run();
  EXPECT_THAT(largest[0], ElementsAre(4, 5, 9));
  EXPECT_THAT(largest[1], ElementsAre(1, 1, 1));
  EXPECT_THAT(
      call("aten.var.correction").numbers({1}).number(1).as("correction").gives({2}).value(),
      ElementsAre(testing::DoubleNear(1, 1e-12), testing::DoubleNear(7, 1e-12)));
  EXPECT_THROW(call("aten.sum.dim_IntList").numbers({0, -2}).gives({3}).lower(), UserError);
  EXPECT_THROW(call("aten.sum.dim_IntList").numbers({2}).gives({2}).lower(), UserError);
}

TEST(LowerReduction, SumsOfFlagsCount) {
  EXPECT_THAT(
      OperatorCall("aten.sum.default").mask({3}, {1, 0, 1}).gives(DType::kInt64, {}).value(),
      ElementsAre(2));
}

TEST(LowerIndex, EmbeddingsTakeRows) {
  CoreProgram program = OperatorCall("aten.embedding.default")
                            .tensor({3, 2}, {1, 2, 3, 4, 5, 6})
                            .ids({2}, {2, 0})
                            .gives({2, 2})
                            .lower();
  EXPECT_THAT(program.notes, Contains(HasSubstr("tables' ranges")));
  EXPECT_THAT(OperatorCall("aten.embedding.default")
                  .tensor({3, 2}, {1, 2, 3, 4, 5, 6})
                  .ids({1, 2}, {2, 0})
                  .gives({1, 2, 2})
                  .value(),
              ElementsAre(5, 6, 1, 2));
  EXPECT_THROW(OperatorCall("aten.embedding.default")
                   .tensor({3, 2}, {1, 2, 3, 4, 5, 6})
                   .tensor({2}, {2, 0})
                   .gives({2, 2})
                   .lower(),
               UserError);
}

TEST(LowerIndex, EmbeddingGradientsAddUpRows) {
  auto call = [](int64_t padding) {
    return OperatorCall("aten.embedding_dense_backward.default")
        .tensor({3, 2}, {1, 2, 3, 4, 5, 6})
        .ids({3}, {1, 0, 1})
        .number(3)
        .number(padding)
        .flag(false)
        .gives({3, 2})
        .value();
  };
  EXPECT_THAT(call(-1), ElementsAre(3, 4, 6, 8, 0, 0));
  EXPECT_THAT(call(0), ElementsAre(0, 0, 6, 8, 0, 0));
}

TEST(LowerIndex, GathersAndScatters) {
  EXPECT_THAT(OperatorCall("aten.gather.default")
                  .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
                  .number(1)
                  .ids({2, 2}, {2, 0, 1, 1})
                  .gives({2, 2})
                  .value(),
              ElementsAre(3, 1, 5, 5));
  EXPECT_THAT(OperatorCall("aten.scatter_add.default")
                  .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
                  .number(1)
                  .ids({2, 2}, {2, 2, 1, 0})
                  .tensor({2, 2}, {10, 20, 30, 40})
                  .gives({2, 3})
                  .value(),
              ElementsAre(1, 2, 33, 44, 35, 6));
  EXPECT_THAT(OperatorCall("aten.index_select.default")
                  .tensor({2, 3}, {1, 2, 3, 4, 5, 6})
                  .number(1)
                  .ids({2}, {2, 0})
                  .gives({2, 2})
                  .value(),
              ElementsAre(3, 1, 6, 4));
}

TEST(LowerIndex, IndexLists) {
  auto x = [](const char* op) { return OperatorCall(op).tensor({2, 3}, {1, 2, 3, 4, 5, 6}); };
  EXPECT_THAT(x("aten.index.Tensor").ids({2}, {1, 0}).ids({2}, {2, 1}).listed(2).gives({2}).value(),
              ElementsAre(6, 2));
  EXPECT_THAT(x("aten.index.Tensor").none().ids({2}, {2, 1}).listed(2).gives({2, 2}).value(),
              ElementsAre(3, 2, 6, 5));
  EXPECT_THAT(x("aten.index_put.default")
                  .ids({2}, {1, 0})
                  .ids({2}, {2, 1})
                  .listed(2)
                  .tensor({2}, {60, 20})
                  .gives({2, 3})
                  .value(),
              ElementsAre(1, 20, 3, 4, 5, 60));
  EXPECT_THAT(x("aten.index_put.default")
                  .ids({2}, {1, 1})
                  .listed(1)
                  .tensor({3}, {10, 20, 30})
                  .flag(true)
                  .gives({2, 3})
                  .value(),
              ElementsAre(1, 2, 3, 24, 45, 66));
  EXPECT_THAT(
      x("aten.index_put.default").mask({2}, {0, 1}).listed(1).tensor({}, {9}).gives({2, 3}).value(),
      ElementsAre(1, 2, 3, 9, 9, 9));
}

TEST(LowerIndex, MasksAsIndicesAreOpaque) {
  CoreProgram program = OperatorCall("aten.index.Tensor")
                            .tensor({2}, {1, 2})
                            .mask({2}, {1, 0})
                            .listed(1)
                            .gives({1})
                            .lower();
  EXPECT_EQ(program.ops.back().prim, Prim::kOpaque);
  EXPECT_THAT(program.opaque, ElementsAre(HasSubstr("aten.index.Tensor (a mask as index")));
}

TEST(LowerIndex, HloGathersTakeWholeRows) {
  EXPECT_THAT(OperatorCall("hlo.gather")
                  .tensor({3, 2}, {1, 2, 3, 4, 5, 6})
                  .ids({2}, {2, 1})
                  .numbers({1})
                  .numbers({0})
                  .numbers({0})
                  .number(1)
                  .numbers({1, 2})
                  .gives({2, 2})
                  .value(),
              ElementsAre(5, 6, 3, 4));
  EXPECT_THROW(OperatorCall("hlo.gather")
                   .tensor({3, 2}, {1, 2, 3, 4, 5, 6})
                   .ids({2}, {2, 1})
                   .numbers({1})
                   .numbers({0})
                   .numbers({0})
                   .number(2)
                   .numbers({1, 2})
                   .gives({2, 2})
                   .lower(),
               UserError);
}

TEST(LowerIndex, NegativeLogLikelihoodPicksTargets) {
  auto call = [](int64_t reduction, Shape shape) {
    return OperatorCall("aten.nll_loss_forward.default")
        .tensor({2, 2}, {-1, -2, -3, -4})
        .ids({2}, {1, 0})
        .none()
        .number(reduction)
        .number(-100)
        .gives(std::move(shape))
        .value();
  };
  EXPECT_THAT(call(0, {2}), ElementsAre(2, 3));
  EXPECT_THAT(call(1, {}), ElementsAre(2.5));
  EXPECT_THAT(call(2, {}), ElementsAre(5));
  auto gradient = [](double total_weight) {
    return OperatorCall("aten.nll_loss_backward.default")
        .tensor({}, {4})
        .tensor({2, 2}, {-1, -2, -3, -4})
        .ids({2}, {1, 0})
        .none()
        .number(1)
        .number(-100)
        .tensor({}, {total_weight})
        .gives({2, 2})
        .value();
  };
  const auto ignoring = [](int64_t reduction, Shape shape) {
    return OperatorCall("aten.nll_loss_forward.default")
        .tensor({3, 2}, {-1, -2, -3, -4, -5, -6})
        .ids({3}, {1, -100, 0})
        .none()
        .number(reduction)
        .number(-100)
        .gives(std::move(shape))
        .value();
  };
  EXPECT_THAT(ignoring(0, {3}), ElementsAre(2, 0, 5));
  EXPECT_THAT(ignoring(1, {}), ElementsAre(3.5));
  EXPECT_THAT(ignoring(2, {}), ElementsAre(7));
  EXPECT_THAT(gradient(2), ElementsAre(0, -2, -2, 0));
  EXPECT_THAT(gradient(4), ElementsAre(0, -1, -1, 0));
}

}  // namespace
}  // namespace assay::test
