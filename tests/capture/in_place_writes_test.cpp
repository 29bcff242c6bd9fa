// Writes into tensors become functional nodes, and everything that shares the memory sees them.
#include <ATen/TensorIndexing.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay {
namespace {

using test::capture_and_check;
using test::to_text;

const CaptureSpec kX = {{"x", {4, 6}}};

TEST(InPlaceWrites, InPlaceOperatorIsItsFunctionalForm) {
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

TEST(InPlaceWrites, WriteThroughASliceChangesTheWhole) {
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

TEST(InPlaceWrites, NumbersOfTheHostAreConstants) {
  const RankProgram program_of_numbers = [](ProgramContext& program) {
    auto y = program.input("x").clone();
    const auto row = at::tensor({1.0F, 2.0F, -1.0F});
    y.index_put_({1, at::indexing::Slice(0, 3)}, row);
    y.index_put_({2}, 0.5);
    program.output("y", y);
  };
  const Graph graph = capture("captured", kX, 0, Mesh(), program_of_numbers);
  EXPECT_EQ(to_text(graph), R"(clone[4, 6] = aten.clone.default(x)
empty[3] = aten.empty.memory_format([3], dtype=float32)
select[6] = aten.select.int(clone, 0, 1)
slice[3] = aten.slice.Tensor(select, 0, 0, 3, 1)
constant[3] = assay.constant([1., 2., -1.])
copy[3] = aten.copy.default(slice, constant, false)
slice_scatter[6] = aten.slice_scatter.default(select, copy, 0, 0, 3, 1)
select_scatter[4, 6] = aten.select_scatter.default(clone, slice_scatter, 0, 1)
select_1[6] = aten.select.int(select_scatter, 0, 2)
scalar_tensor[] = aten.scalar_tensor.default(0.5, dtype=float32)
expand[6] = aten.expand.default(scalar_tensor, [6], implicit=false)
copy_1[6] = aten.copy.default(select_1, expand, false)
y[4, 6] = aten.select_scatter.default(select_scatter, copy_1, 0, 2)
)");
  const test::Run run = test::run_program(kX, program_of_numbers);
  EXPECT_EQ(to_text(run.graph), to_text(graph));
}

TEST(InPlaceWrites, WriteThroughTheWholeChangesAnOlderView) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto y = program.input("x").clone();
    const auto row = y.select(0, 1);
    const auto column = y.t().narrow(0, 2, 1);
    y.mul_(3.0);
    program.output("row", at::add(row, 1.0));
    program.output("column", at::add(column, 1.0));
  });
}

TEST(InPlaceWrites, WriteThroughOneViewChangesAnother) {
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

TEST(InPlaceWrites, OutVariantWritesItsDestination) {
  const Graph graph = capture_and_check(kX, [](ProgramContext& program) {
    const auto x = program.input("x");
    auto y = at::empty({4, 4});
    at::mm_out(y, x, x.t());
    program.output("y", y);
  });
  EXPECT_EQ(test::producer(graph, "y").op, "aten.mm.default");
}

TEST(InPlaceWrites, BufferFilledPieceByPiece) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto x = program.input("x");
    const auto buffer = at::zeros({8, 6});
    buffer.narrow(0, 0, 4).copy_(x);
    buffer.narrow(0, 4, 4).copy_(x).add_(1.0);
    program.output("y", at::sum(buffer, 1));
  });
}

TEST(InPlaceWrites, ListOfTensorsInPlace) {
  capture_and_check(kX, [](ProgramContext& program) {
    const auto x = program.input("x").clone();
    const auto rows = x.unbind(0);
    rows[1].add_(rows[0]);
    program.output("y", at::stack({x.diagonal(), x.diagonal()}));
  });
}

TEST(InPlaceWrites, OtherSizesInPlaceAreViews) {
  const Graph graph = capture_and_check(kX, [](ProgramContext& program) {
    const auto y = program.input("x").clone();
    const auto row = y.select(0, 1);
    y.unsqueeze_(0).mul_(2.0);
    y.transpose_(1, 2).detach_();
    program.output("row", at::add(row, 1.0));
    program.output("y", at::add(y, 1.0));
    program.output("z", at::mul(program.input("x").clone().resize_({6, 4}), 2.0));
  });
  EXPECT_EQ(to_text(graph), R"(clone[4, 6] = aten.clone.default(x)
select[6] = aten.select.int(clone, 0, 1)
unsqueeze[1, 4, 6] = aten.unsqueeze.default(clone, 0)
mul[1, 4, 6] = aten.mul.Scalar(unsqueeze, 2.)
view[4, 6] = aten.view.default(mul, [4, 6])
transpose[1, 6, 4] = aten.transpose.int(mul, 1, 2)
select_1[6] = aten.select.int(view, 0, 1)
row[6] = aten.add.Scalar(select_1, 1., 1)
y[1, 6, 4] = aten.add.Scalar(transpose, 1., 1)
clone_1[4, 6] = aten.clone.default(x)
view_1[6, 4] = aten.view.default(clone_1, [6, 4])
z[6, 4] = aten.mul.Scalar(view_1, 2.)
)");
}

TEST(InPlaceWrites, ProductOfAVectorAndAMatrix) {
  capture_and_check({{"x", {4}}, {"w", {4, 6}}}, [](ProgramContext& program) {
    program.output("y", at::matmul(program.input("x"), program.input("w")));
    program.output("z", at::matmul(program.input("w").t(), program.input("x")));
  });
}

TEST(InPlaceWrites, CopyCasts) {
  capture_and_check({{"x", {4}, DType::kBFloat16}, {"y", {4}}}, [](ProgramContext& program) {
    const auto copy = program.input("x").clone();
    copy.copy_(program.input("y"));
    program.output("z", copy);
  });
}

TEST(InPlaceWrites, WriteOfAWiderTypeIsRefused) {
  const auto program = [](ProgramContext& context) {
    context.output("z", context.input("x").clone().add_(context.input("y")));
  };
  EXPECT_THROW(capture("narrow", {{"x", {4}, DType::kBFloat16}, {"y", {4}}}, 0, Mesh(), program),
               UserError);
  EXPECT_NO_THROW(capture("wide", {{"x", {4}}, {"y", {4}, DType::kBFloat16}}, 0, Mesh(), program));
}

}  // namespace
}  // namespace assay
