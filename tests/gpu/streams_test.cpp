// Programs that overlap work on streams of their own.
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include <optional>

#include "dynamic_check/cuda/gpus.h"
#include "tests/gpu/on_gpu.h"
#include "tests/support/gpu.h"

namespace assay::test {
namespace {

// A stream beside the current one, which begins where that one is. On meta tensors nothing.
class Beside {
 public:
  explicit Beside(at::Device device) {
    if (!device.is_cuda()) return;
    impl_.emplace(at::kCUDA);
    main_ = impl_->getStream(device);
    const c10::Stream side = impl_->getStreamFromGlobalPool(device, /*isHighPriority=*/false);
    c10::Event begin(at::kCUDA);
    begin.record(*main_);
    begin.block(side);
    guard_.emplace(side);
  }

  // Back to the first stream, which waits for the other one, or does not.
  void end(bool waits) {
    if (!guard_) return;
    c10::Event end(at::kCUDA);
    end.record(guard_->current_stream());
    guard_.reset();
    if (waits) end.block(*main_);
  }

 private:
  std::optional<c10::impl::VirtualGuardImpl> impl_;
  std::optional<c10::Stream> main_;
  std::optional<c10::StreamGuard> guard_;
};

// The second product runs on a stream of its own, behind much other work.
RefinementSpec overlapped(bool waits) {
  RefinementSpec spec;
  spec.name = "Overlapped";
  spec.mesh = Mesh({{"tp", 2}});
  spec.inputs = {constant_input("x", {512, 512}, Replicate()),
                 constant_input("up", {512, 512}, Shard("tp", 1)),
                 constant_input("down", {512, 512}, Shard("tp", 0))};
  spec.sequential = [](Program& p) {
    p.output("y", at::gelu(at::mm(at::mm(p[{"x"}], p[{"up"}]), p[{"down"}])));
  };
  spec.distributed = [waits](Program& p) {
    const at::Tensor x = p[{"x"}];
    const at::Tensor hidden = at::mm(x, p[{"up"}]);
    Beside side(x.device());
    at::Tensor busy = at::zeros({4096, 4096}, x.options());
    for (int i = 0; i < 20; ++i) busy = at::mm(busy, busy);
    const at::Tensor partial = at::mm(hidden, p[{"down"}]);
    side.end(waits);
    p.output("y", at::gelu(p.all_reduce(partial, "tp")));
  };
  return spec;
}

TEST(StreamsOnGpu, AProgramThatWaitsPasses) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  for (int i = 0; i < 3; ++i) {
    const CaseReport report = check_refinement(overlapped(true), on_gpu({DType::kFloat32}));
    EXPECT_EQ(report.exit, 0) << to_text(report);
  }
}

TEST(StreamsOnGpu, AProgramThatReadsTooEarlyIsFound) {
  ASSAY_NEED_GPU(usable_gpus() > 0);
  const CaseReport report = check_refinement(overlapped(false), on_gpu({DType::kFloat32}));
  EXPECT_EQ(report.exit, 1) << to_text(report);
}

}  // namespace
}  // namespace assay::test
