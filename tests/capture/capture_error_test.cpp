// What cannot be captured is refused, with the user's line and what to do.
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/same_program.h"
#include "tests/capture/run_program.h"

namespace assay {
namespace {

const CaptureSpec kInput4x6 = {{"x", {4, 6}}};

// What capturing the program throws; fails the test when it does not throw.
UserError error_of(const RankProgram& program, const Mesh& mesh = Mesh()) {
  try {
    capture("program", kInput4x6, 0, mesh, program);
  } catch (const UserError& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return UserError({}, "");
}

void expect_in_this_file(const UserError& error, int line) {
  EXPECT_TRUE(error.place().file.ends_with("capture_error_test.cpp")) << error.what();
  EXPECT_EQ(error.place().line, line) << error.what();
}

TEST(CaptureError, ReadingAValue) {
  const int line = __LINE__ + 2;
  const UserError error = error_of([](ProgramContext& program) {
    if (program.input("x").sum().item<float>() > 0) return;
  });
  expect_in_this_file(error, line);
  EXPECT_THAT(error.what(), testing::HasSubstr("item()"));
  EXPECT_THAT(error.hint(), testing::HasSubstr("p.size_of(tensor)"));
  EXPECT_THAT(error.hint(), testing::HasSubstr("checked as fx-JSON"));
}

TEST(CaptureError, ShapeThatDependsOnValues) {
  const int line = __LINE__ + 2;
  const UserError error = error_of([](ProgramContext& program) {
    const auto positions = at::nonzero(program.input("x"));
    program.output("positions", positions);
  });
  expect_in_this_file(error, line);
  EXPECT_THAT(error.what(), testing::HasSubstr("aten.nonzero.default"));
  EXPECT_THAT(error.hint(), testing::HasSubstr("check it as fx-JSON"));
}

TEST(CaptureError, ShapesThatDoNotFit) {
  const int line = __LINE__ + 2;
  const UserError error =
      error_of([](ProgramContext& program) { at::mm(program.input("x"), program.input("x")); });
  expect_in_this_file(error, line);
  EXPECT_THAT(error.what(), testing::HasSubstr("aten.mm.default"));
}

TEST(CaptureError, TensorFromOutside) {
  const at::Tensor outside = at::empty({4, 6}, at::kMeta);
  const int line = __LINE__ + 2;
  const UserError error =
      error_of([&](ProgramContext& program) { at::add(program.input("x"), outside); });
  expect_in_this_file(error, line);
  EXPECT_THAT(error.what(), testing::HasSubstr("declare it"));
}

TEST(CaptureError, WritingIntoMemory) {
  const UserError error = error_of([](ProgramContext& program) {
    const auto mask = at::empty({4, 6});
    mask.mutable_data_ptr<float>()[0] = 1.0F;
    program.output("y", at::add(program.input("x"), mask));
  });
  EXPECT_THAT(error.what(), testing::HasSubstr("memory"));
}

// After an operator has used it, what the program writes is not seen.
TEST(CaptureError, WritingIntoAConstantThatIsInUse) {
  const UserError error = error_of([](ProgramContext& program) {
    const auto row = at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
    const auto y = at::add(program.input("x"), row);
    row.mutable_data_ptr<float>()[0] = 7.0F;
    program.output("y", at::add(y, row));
  });
  EXPECT_THAT(error.what(), testing::HasSubstr("memory"));
}

TEST(CaptureError, OtherMemoryInPlace) {
  const int line = __LINE__ + 2;
  const UserError error =
      error_of([](ProgramContext& program) { program.input("x").clone().resize_({8, 6}); });
  expect_in_this_file(error, line);
}

TEST(CaptureError, AReceiveFromAnySource) {
  const int line = __LINE__ + 3;
  const auto program = [](ProgramContext& context) {
    std::vector<at::Tensor> tensors = {context.input("x")};
    context.group("tp")->recvAnysource(tensors, 0);
  };
  const UserError error = error_of(program, Mesh({{"tp", 2}}));
  expect_in_this_file(error, line);
  EXPECT_THAT(error.what(), testing::HasSubstr("c10d.recv_any_source"));
}

TEST(CaptureError, UnknownInputAxisAndRepeatedOutput) {
  EXPECT_THAT(error_of([](ProgramContext& program) { program.input("z"); }).what(),
              testing::HasSubstr("'z'"));
  EXPECT_THAT(error_of([](ProgramContext& program) { program.group("tp"); }).what(),
              testing::HasSubstr("'tp'"));
  EXPECT_THAT(error_of([](ProgramContext& program) {
                program.output("y", program.input("x"));
                program.output("y", program.input("x"));
              }).what(),
              testing::HasSubstr("'y'"));
}

TEST(CaptureError, LeavesTheThreadAsItWas) {
  error_of([](ProgramContext& program) { at::nonzero(program.input("x")); });
  EXPECT_EQ(at::empty({2}).device().type(), at::kCPU);
}

TEST(SameProgram, RefusesOtherOperatorsArgumentsAndLengths) {
  const auto graph = [](int operators, double number) {
    return capture("graph", kInput4x6, 0, Mesh(), [=](ProgramContext& program) {
      auto x = program.input("x");
      for (int i = 0; i < operators; ++i) x = at::add(x, number);
    });
  };
  EXPECT_NO_THROW(check_same_program(graph(2, 1.0), graph(2, 1.0)));
  EXPECT_THROW(check_same_program(graph(2, 1.0), graph(2, 2.0)), UserError);
  EXPECT_THROW(check_same_program(graph(2, 1.0), graph(1, 1.0)), UserError);
  EXPECT_THROW(check_same_program(graph(1, 1.0), graph(2, 1.0)), UserError);
}

}  // namespace
}  // namespace assay
