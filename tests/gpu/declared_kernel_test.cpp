// A CUDA kernel that PyTorch does not know, held against its declaration.
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <atomic>

#include "dynamic_check/cuda/gpus.h"
#include "tests/gpu/on_gpu.h"
#include "tests/gpu/swiglu.h"
#include "tests/support/gpu.h"

namespace assay::test {
namespace {

std::atomic<bool> last_left_out = false;

at::Tensor swiglu(const at::Tensor& gate_in, const at::Tensor& up_in) {
  const at::Tensor gate = gate_in.contiguous(), up = up_in.contiguous();
  at::Tensor out = at::zeros_like(gate);
  const auto run = [&]<typename T>(const T*) {
    swiglu_on_gpu(static_cast<const T*>(gate.const_data_ptr()),
                  static_cast<const T*>(up.const_data_ptr()), static_cast<T*>(out.data_ptr()),
                  gate.numel(), last_left_out);
  };
  TORCH_CHECK(gate.scalar_type() == at::kFloat || gate.scalar_type() == at::kBFloat16,
              "takes float32 and bfloat16");
  if (gate.scalar_type() == at::kFloat)
    run(static_cast<const float*>(nullptr));
  else
    run(static_cast<const uint16_t*>(nullptr));
  return out;
}

at::Tensor call_swiglu(const at::Tensor& gate, const at::Tensor& up) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow("gpu_test::swiglu", "")
      .typed<at::Tensor(const at::Tensor&, const at::Tensor&)>()
      .call(gate, up);
}

// Both programs call the kernel, so neither vouches for it.
RefinementSpec gated() {
  RefinementSpec spec;
  spec.name = "GatedOnGpu";
  spec.mesh = Mesh({{"tp", 2}});
  spec.operator_files = {GPU_KERNELS_TOML};
  spec.inputs = {constant_input("x", {64, 128}, Replicate()),
                 constant_input("gate", {128, 256}, Shard("tp", 1)),
                 constant_input("up", {128, 256}, Shard("tp", 1)),
                 constant_input("down", {256, 128}, Shard("tp", 0))};
  const auto part = [](Program& p) {
    return at::mm(call_swiglu(at::mm(p[{"x"}], p[{"gate"}]), at::mm(p[{"x"}], p[{"up"}])),
                  p[{"down"}]);
  };
  spec.sequential = [part](Program& p) { p.output("y", part(p)); };
  spec.distributed = [part](Program& p) { p.output("y", p.all_reduce(part(p), "tp")); };
  return spec;
}

const std::vector<DType> kPrecisions = {DType::kFloat32, DType::kBFloat16};

TEST(DeclaredCudaKernel, ARightOnePasses) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const CaseReport report = check_refinement(gated(), on_gpu(kPrecisions, seed));
    EXPECT_EQ(report.exit, 0) << to_text(report);
  }
}

TEST(DeclaredCudaKernel, AWrongOneIsNamedThoughBothProgramsCallIt) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  last_left_out = true;
  const CaseReport report = check_refinement(gated(), on_gpu(kPrecisions));
  last_left_out = false;
  EXPECT_EQ(report.exit, 1) << to_text(report);
  ASSERT_TRUE(report.dynamic && report.dynamic->first_deviation) << to_text(report);
  EXPECT_NE(to_text(report).find("gpu_test.swiglu"), std::string::npos) << to_text(report);
}

}  // namespace
}  // namespace assay::test

TORCH_LIBRARY(gpu_test, library) { library.def("swiglu(Tensor gate, Tensor up) -> Tensor"); }

TORCH_LIBRARY_IMPL(gpu_test, CUDA, library) { library.impl("swiglu", &assay::test::swiglu); }

TORCH_LIBRARY_IMPL(gpu_test, Meta, library) {
  library.impl("swiglu",
               [](const at::Tensor& gate, const at::Tensor&) { return at::zeros_like(gate); });
}
