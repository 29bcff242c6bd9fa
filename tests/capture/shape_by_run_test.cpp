// Operators that have neither a kernel for meta tensors nor a shape function: they are run once for
// the shapes of their results, and what that cannot show is refused.
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/repeat_interleave.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/library.h>

#include <csignal>

#include "tests/capture/graph_text.h"
#include "tests/capture/run_program.h"

namespace assay::by_run {
namespace {

using testing::HasSubstr;
using testing::Not;

// Kernels of a library that registers none for meta tensors.
at::Tensor rows_of(const at::Tensor& table, const at::Tensor& ids) {
  const at::Tensor result = at::empty({ids.numel(), table.size(1)}, table.options());
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const int64_t id = ids.const_data_ptr<int64_t>()[i];
    TORCH_CHECK(id >= 0 && id < table.size(0), "id ", id, " lies outside its table");
    result.select(0, i).copy_(table.select(0, id));
  }
  return result;
}

at::Tensor crash(const at::Tensor& x) {
  std::raise(SIGSEGV);
  return x.clone();
}

at::Tensor positive(const at::Tensor& x) { return at::masked_select(x, x.gt(0.2)); }

std::tuple<at::Tensor, int64_t> halves(const at::Tensor& x) {
  return {x.narrow(0, x.size(0) / 2, x.size(0) - x.size(0) / 2), x.size(0) / 2};
}

void add_one(at::Tensor& x) { x.add_(1); }

// For all devices, it reads memory that meta tensors do not have.
at::Tensor reads(const at::Tensor& x) {
  return at::empty({x.size(0)}, x.options()).fill_(x.const_data_ptr<float>()[0]);
}

at::Tensor parallel(const at::Tensor& x) {
  at::empty({1 << 22}).fill_(1).exp_();  // on as many threads as there are
  return x.clone();
}

at::Tensor fail(const at::Tensor& x) {
  TORCH_CHECK(false, "this kernel wants another machine");
  return x;
}

at::Tensor endless(const at::Tensor& x) {
  at::Tensor result = at::empty({int64_t{1} << 40}, x.options());
  return result.fill_(1);
}

TORCH_LIBRARY(by_run, library) {
  library.def("rows_of(Tensor table, Tensor ids) -> Tensor");
  library.def("crash(Tensor x) -> Tensor");
  library.def("positive(Tensor x) -> Tensor");
  library.def("halves(Tensor(a) x) -> (Tensor(a), int)");
  library.def("add_one(Tensor(a!) x) -> ()");
  library.def("parallel(Tensor x) -> Tensor");
  library.def("fail(Tensor x) -> Tensor");
  library.def("endless(Tensor x) -> Tensor");
  library.def("reads(Tensor x) -> Tensor");
  library.impl("reads", c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(reads));
}

TORCH_LIBRARY_IMPL(by_run, CPU, library) {
  library.impl("rows_of", rows_of);
  library.impl("crash", crash);
  library.impl("positive", positive);
  library.impl("halves", halves);
  library.impl("add_one", add_one);
  library.impl("parallel", parallel);
  library.impl("fail", fail);
  library.impl("endless", endless);
}

template <typename Signature>
auto own(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

at::Tensor unary(const char* name, const at::Tensor& x) {
  return own<at::Tensor(const at::Tensor&)>(name).call(x);
}

const CaptureSpec kX = {{"x", {6, 4}, DType::kFloat32, true}};

// What capturing y = f(x) throws.
std::string refusal_of(const std::function<at::Tensor(const at::Tensor&)>& f,
                       Shape shape = {6, 4}) {
  try {
    capture("program", {{"x", std::move(shape)}}, 0, Mesh(),
            [&](ProgramContext& program) { program.output("y", f(program.input("x"))); });
  } catch (const UserError& error) {
    EXPECT_TRUE(error.place().file.ends_with("shape_by_run_test.cpp")) << error.what();
    return error.what();
  }
  return "no error";
}

void check_with_gradients(const CaptureSpec& inputs,
                          const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f) {
  test::capture_and_check(inputs, [&](ProgramContext& program) {
    std::vector<at::Tensor> tensors, differentiable;
    for (const CaptureInput& input : inputs) {
      tensors.push_back(program.input(input.name));
      if (input.requires_grad) differentiable.push_back(tensors.back());
    }
    const at::Tensor y = f(tensors);
    program.output("y", y);
    const auto gradients = torch::autograd::grad({at::mul(y, y).sum()}, differentiable);
    for (size_t i = 0; i < gradients.size(); ++i)
      program.output("gradient" + std::to_string(i), gradients[i]);
  });
}

TEST(ShapeByRun, OfAConvolutionForwardAndBackward) {
  check_with_gradients({{"x", {2, 4, 7, 6}, DType::kFloat32, true},
                        {"w", {6, 2, 3, 3}, DType::kFloat32, true},
                        {"b", {6}, DType::kFloat32, true}},
                       [](const std::vector<at::Tensor>& t) {
                         return at::convolution(t[0], t[1], t[2], {2, 1}, {1, 1}, {1, 2}, false,
                                                {0, 0}, 2);
                       });
}

TEST(ShapeByRun, OfAGroupNormForwardAndBackward) {
  check_with_gradients(
      {{"x", {2, 4, 3}, DType::kFloat32, true},
       {"w", {4}, DType::kFloat32, true},
       {"b", {4}, DType::kFloat32, true}},
      [](const std::vector<at::Tensor>& t) { return at::group_norm(t[0], 2, t[1], t[2]); });
}

TEST(ShapeByRun, OfALogSigmoidForwardAndBackward) {
  check_with_gradients(kX, [](const std::vector<at::Tensor>& t) { return at::log_sigmoid(t[0]); });
}

TEST(ShapeByRun, OfAGridSampleForwardAndBackward) {
  check_with_gradients(
      {{"x", {2, 3, 4, 5}, DType::kFloat32, true}, {"grid", {2, 3, 2, 2}, DType::kFloat32, true}},
      [](const std::vector<at::Tensor>& t) {
        return at::grid_sampler_2d(t[0], t[1], 0, 0, false);
      });
}

// Its kernel refuses what is not positive definite.
TEST(ShapeByRun, OfAFactorization) {
  EXPECT_EQ(
      test::to_text(capture("program", {{"x", {3, 5, 5}}}, 0, Mesh(),
                            [](ProgramContext& program) {
                              const auto y = at::linalg_cholesky(program.input("x"));
                              program.output("y", y);
                            })),
      R"(y[3, 5, 5], linalg_cholesky_ex.1[3] = aten.linalg_cholesky_ex.default(x, upper=false, check_errors=false)
)");
}

TEST(ShapeByRun, OfALibrarysKernelWithIndices) {
  test::capture_and_check({{"table", {5, 3}}, {"ids", {4}, DType::kInt64}}, [](auto& program) {
    program.output("y", own<at::Tensor(const at::Tensor&, const at::Tensor&)>("by_run::rows_of")
                            .call(program.input("table"), program.input("ids")));
  });
}

TEST(ShapeByRun, OfAKernelForAllDevicesThatReadsMemory) {
  test::capture_and_check({{"x", {5, 3}}}, [](auto& program) {
    program.output("y", unary("by_run::reads", program.input("x")));
  });
}

TEST(ShapeByRun, KeepsSharedMemoryAndNumbers) {
  test::capture_and_check({{"x", {5, 3}}}, [](auto& program) {
    const auto x = program.input("x").clone();
    const auto [half, at] =
        own<std::tuple<at::Tensor, int64_t>(const at::Tensor&)>("by_run::halves").call(x);
    EXPECT_EQ(at, 2);
    EXPECT_TRUE(half.is_alias_of(x));
    EXPECT_EQ(half.storage_offset(), 6);
    program.output("y", half.mul(2));
  });
}

TEST(ShapeByRun, OfAKernelThatWritesItsOperand) {
  const auto program = [](ProgramContext& context) {
    auto x = context.input("x").clone();
    own<void(at::Tensor&)>("by_run::add_one").call(x);
    context.output("y", x.mul(2));
  };
  const CaptureSpec inputs = {{"x", {5, 3}}};
  const std::string graph = test::to_text(capture("program", inputs, 0, Mesh(), program));
  EXPECT_EQ(graph, R"(clone[5, 3] = aten.clone.default(x)
add_one[5, 3] = by_run.add_one.default(clone)
y[5, 3] = aten.mul.Scalar(add_one, 2)
)");
  EXPECT_EQ(graph, test::to_text(test::run_program(inputs, program).graph));
}

// 16 GiB each, of which a few MiB are there.
TEST(ShapeByRun, OfLargeOperands) {
  const Shape table{int64_t{1} << 30, 4};
  const Graph graph = capture(
      "program", {{"table", table}, {"ids", {4}, DType::kInt64}}, 0, Mesh(), [](auto& program) {
        program.output("y", own<at::Tensor(const at::Tensor&, const at::Tensor&)>("by_run::rows_of")
                                .call(program.input("table"), program.input("ids")));
      });
  EXPECT_EQ(graph.tensors[static_cast<size_t>(graph.outputs[0])].shape, (Shape{4, 4}));
}

TEST(ShapeByRun, OfOperandsThatAreTooLargeIsAnError) {
  EXPECT_THAT(refusal_of([](const at::Tensor& x) { return unary("by_run::positive", x); },
                         {int64_t{1} << 40}),
              HasSubstr("64 GiB at most"));
  EXPECT_THAT(refusal_of([](const at::Tensor& x) { return unary("by_run::endless", x); }),
              HasSubstr("memory"));
}

TEST(ShapeByRun, ACrashIsAnErrorThatSaysWhatToDo) {
  const std::string error =
      refusal_of([](const at::Tensor& x) { return unary("by_run::crash", x); });
  EXPECT_THAT(error, HasSubstr("by_run.crash.default"));
  EXPECT_THAT(error, HasSubstr("killed by signal 11"));
  EXPECT_THAT(error, HasSubstr("TORCH_LIBRARY_IMPL(by_run, Meta, m)"));
}

TEST(ShapeByRun, AKernelThatRefusesItsOperandsSaysWhy) {
  EXPECT_THAT(refusal_of([](const at::Tensor& x) { return unary("by_run::fail", x); }),
              HasSubstr("wants another machine"));
}

TEST(ShapeByRun, AShapeThatDependsOnValuesIsRefused) {
  const std::vector<std::pair<std::string, std::function<at::Tensor(const at::Tensor&)>>> cases = {
      {"by_run.positive.default", [](const auto& x) { return unary("by_run::positive", x); }},
      {"aten.nonzero.default", [](const auto& x) { return at::nonzero(x); }},
      {"aten.masked_select.default", [](const auto& x) { return at::masked_select(x, x.gt(0)); }},
      {"aten.bincount.default",
       [](const auto& x) { return at::bincount(x.to(at::kLong).flatten()); }},
  };
  for (const auto& [op, f] : cases) {
    const std::string error = refusal_of(f);
    EXPECT_THAT(error, HasSubstr(op + " cannot be captured")) << op;
    EXPECT_THAT(error, HasSubstr("depend on values")) << op;
    EXPECT_THAT(error, HasSubstr("where, masked_fill")) << op;
  }
}

TEST(ShapeByRun, AnOutputSizeThatIsGivenIsTheShape) {
  const auto repeats = [](const at::Tensor& x) { return x.to(at::kLong).flatten(); };
  EXPECT_THAT(refusal_of([&](const auto& x) { return at::repeat_interleave(repeats(x)); }),
              HasSubstr("pass it output_size"));
  test::capture_and_check({{"x", {3, 2}}}, [](ProgramContext& program) {
    const auto two = at::empty({3}, at::kLong).fill_(2);
    program.output("y", at::repeat_interleave(program.input("x"), two, 0, 6));
  });
}

TEST(ShapeByRun, ShapesThatDoNotFitAreReportedAsSuch) {
  EXPECT_THAT(refusal_of([](const at::Tensor& x) { return at::mm(x, x); }),
              Not(HasSubstr("for the shapes of its results")));
}

// The process that runs the operator has the calling thread alone: one that waits for others, as
// parallel loops do, would wait forever.
TEST(ShapeByRun, DoesNotWaitForThreadsThatAreNotThere) {
  const int before = at::get_num_threads();
  at::set_num_threads(4);
  parallel(at::empty({1}));
  const auto start = std::chrono::steady_clock::now();
  capture("program", kX, 0, Mesh(), [](auto& program) {
    program.output("y", unary("by_run::parallel", program.input("x")));
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  at::set_num_threads(before);
}

TEST(ShapeByRun, OfEqualCallsIsFoundOnce) {
  const auto seconds_of = [](int calls) {
    const auto start = std::chrono::steady_clock::now();
    capture("program", {{"x", {4, 4, 9}}}, 0, Mesh(), [&](auto& program) {
      at::Tensor x = program.input("x");
      for (int i = 0; i < calls; ++i) x = at::log_sigmoid(x);
      program.output("y", x);
    });
    return std::chrono::steady_clock::now() - start;
  };
  seconds_of(1);
  EXPECT_LT(seconds_of(2000), std::chrono::seconds(2));
}

}  // namespace
}  // namespace assay::by_run
