// Writes into tensors become functional nodes, and everything that shares the memory sees them.
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay {
namespace {

using test::capture_and_check;
using test::to_text;

const CaptureSpec kX = {{"x", {4, 6}}};

TEST(Mutation, InPlaceOperatorIsItsFunctionalForm) {
  const Graph graph = capture_and_check(kX, [](ProgramContext& program) {
    auto y = program.input("x").clone();
    y.add_(1.0).mul_(y);
    program.output("y", y);
  });
  EXPECT_EQ(to_text(graph), R"(clone[4, 6] = aten.clone.default(x)
add[4, 6] = aten.add.Scalar(clone, 1., 1)
y[4, 6] = aten.mul.Tensor(add, add)
)");
}

TEST(Mutation, WriteThroughASliceChangesTheWhole) {
  const Graph graph = capture_and_check(kX, [](ProgramContext& program) {
    const auto y = program.input("x").clone();
    y.slice(1, 2, 4).zero_();
    program.output("y", at::mul(y, 2.0));
  });
  EXPECT_EQ(to_text(graph), R"(clone[4, 6] = aten.clone.default(x)
slice[4, 2] = aten.slice.Tensor(clone, 1, 2, 4, 1)
zero[4, 2] = aten.zero.default(slice)
slice_scatter[4, 6] = aten.slice_scatter.default(clone, zero, 1, 2, 4, 1)
y[4, 6] = aten.mul.Scalar(slice_scatter, 2.)
)");
}

TEST(Mutation, WriteThroughTheWholeChangesAnOlderView) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto y = program.input("x").clone();
    const auto row = y.select(0, 1);
    const auto column = y.t().narrow(0, 2, 1);
    y.mul_(3.0);
    program.output("row", at::add(row, 1.0));
    program.output("column", at::add(column, 1.0));
  });
}

TEST(Mutation, WriteThroughOneViewChangesAnother) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto y = program.input("x").clone();
    const auto parts = y.split(4, 1);
    const auto flat = y.view({24});
    const auto transposed = y.transpose(0, 1);
    parts[1].fill_(7.0);
    parts[0].select(0, 2).add_(parts[1].sum());
    transposed.unsqueeze(0).mul_(2.0);
    program.output("flat", at::add(flat, 1.0));
    program.output("part", at::add(parts[0], 1.0));
    program.output("y", y);
  });
}

TEST(Mutation, OutVariantWritesItsDestination) {
  const Graph graph = capture_and_check(kX, [](ProgramContext& program) {
    const auto x = program.input("x");
    auto y = at::empty({4, 4});
    at::mm_out(y, x, x.t());
    program.output("y", y);
  });
  EXPECT_EQ(test::producer(graph, "y").op, "aten.mm.default");
}

TEST(Mutation, BufferFilledPieceByPiece) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto x = program.input("x");
    const auto buffer = at::zeros({8, 6});
    buffer.narrow(0, 0, 4).copy_(x);
    buffer.narrow(0, 4, 4).copy_(x).add_(1.0);
    program.output("y", at::sum(buffer, 1));
  });
}

TEST(Mutation, ListOfTensorsInPlace) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto x = program.input("x").clone();
    const auto rows = x.unbind(0);
    rows[1].add_(rows[0]);
    program.output("y", at::stack({x.diagonal(), x.diagonal()}));
  });
}

TEST(Mutation, CopyCasts) {
  capture_and_check({{"x", {4}, DType::kBFloat16}, {"y", {4}}}, [](ProgramContext& program) {
    const auto copy = program.input("x").clone();
    copy.copy_(program.input("y"));
    program.output("z", copy);
  });
}

TEST(Mutation, WriteOfAWiderTypeIsRefused) {
  const auto program = [](ProgramContext& context) {
    context.output("z", context.input("x").clone().add_(context.input("y")));
  };
  EXPECT_THROW(capture("narrow", {{"x", {4}, DType::kBFloat16}, {"y", {4}}}, 0, Mesh(), program),
               UserError);
  EXPECT_NO_THROW(capture("wide", {{"x", {4}}, {"y", {4}, DType::kBFloat16}}, 0, Mesh(), program));
}

}  // namespace
}  // namespace assay
