#include "tests/plugin/own_kernels.h"

#include <ATen/ATen.h>
#include <torch/library.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <atomic>
#include <cmath>
#include <csignal>

namespace assay::test {
namespace {

std::atomic<KernelBug> active_bug = KernelBug::kNone;

bool has(KernelBug bug) { return active_bug == bug; }

// Calls `kernel` with a null pointer to the element type. Whoever calls it with another, float64
// say, gets LibTorch's error.
template <typename Kernel>
void by_type(const at::Tensor& tensor, const Kernel& kernel) {
  if (tensor.scalar_type() == at::kFloat) return kernel(static_cast<float*>(nullptr));
  if (tensor.scalar_type() == at::kBFloat16) return kernel(static_cast<at::BFloat16*>(nullptr));
  TORCH_CHECK(false, "own kernels take float32 and bfloat16, not ", tensor.scalar_type());
}

at::Tensor swiglu(const at::Tensor& gate_in, const at::Tensor& up_in) {
  const at::Tensor gate = gate_in.contiguous(), up = up_in.contiguous();
  at::Tensor result = at::zeros_like(gate);
  by_type(gate, [&]<typename T>(T*) {
    const T *g = gate.const_data_ptr<T>(), *u = up.const_data_ptr<T>();
    T* r = result.mutable_data_ptr<T>();
    const int64_t count = gate.numel() - (has(KernelBug::kLastElement) ? 1 : 0);
    for (int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(g[i]);
      r[i] = static_cast<T>(x / (1 + std::exp(-x)) * static_cast<float>(u[i]));
    }
  });
  return result;
}

void rms_norm(at::Tensor& out, const at::Tensor& x_in, const at::Tensor& weight, double eps) {
  const at::Tensor x = x_in.contiguous();
  const int64_t width = x.size(-1);
  by_type(x, [&]<typename T>(T*) {
    const T *from = x.const_data_ptr<T>(), *w = weight.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    for (int64_t row = 0; row < x.numel() / width; ++row, from += width, to += width) {
      float squares = 0;
      for (int64_t i = 0; i < width; ++i)
        squares += static_cast<float>(from[i]) * static_cast<float>(from[i]);
      const float scale =
          1 / std::sqrt(squares / static_cast<float>(width) + static_cast<float>(eps));
      // Rounds in between, as kernels of serving systems do.
      for (int64_t i = 0; i < width; ++i) {
        const T normalized = static_cast<T>(static_cast<float>(from[i]) * scale);
        to[i] = has(KernelBug::kWeightForgotten) ? normalized : normalized * w[i];
      }
    }
  });
}

template <typename Sum, typename T>
void product(const T* x, const T* w, T* to, int64_t rows, int64_t inner, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      Sum sum = 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += static_cast<Sum>(x[row * inner + k]) * static_cast<Sum>(w[column * inner + k]);
      to[row * columns + column] = static_cast<T>(sum);
    }
}

at::Tensor linear(const at::Tensor& x_in, const at::Tensor& weight_in) {
  const at::Tensor x = x_in.contiguous(), weight = weight_in.contiguous();
  at::Tensor result = at::empty({x.size(0), weight.size(0)}, x.options());
  by_type(x, [&]<typename T>(T*) {
    const auto run = has(KernelBug::kNarrowSums) ? product<T, T> : product<float, T>;
    run(x.const_data_ptr<T>(), weight.const_data_ptr<T>(), result.mutable_data_ptr<T>(), x.size(0),
        x.size(1), weight.size(0));
  });
  return result;
}

at::Tensor sum_over_ranks(const at::Tensor& x, const std::string& group_name) {
  const auto group = c10d::resolve_process_group(group_name);
  at::Tensor sum = x.clone();
  if (has(KernelBug::kRankForgotten) && group->getRank() == group->getSize() - 1) sum.zero_();
  std::vector<at::Tensor> tensors = {sum};
  group->allreduce(tensors)->wait();
  return sum;
}

at::Tensor undeclared(const at::Tensor& x) {
  by_type(x, [](auto*) {});
  return at::silu(x);
}

at::Tensor crashes(const at::Tensor& x) {
  std::raise(SIGABRT);
  return x;
}

at::Tensor positive(const at::Tensor& x) { return at::masked_select(x, x.gt(0)); }

at::Tensor like_first(const at::Tensor& x) { return at::empty_like(x); }

}  // namespace

WithBug::WithBug(KernelBug bug) { active_bug = bug; }
WithBug::~WithBug() { active_bug = KernelBug::kNone; }

}  // namespace assay::test

TORCH_LIBRARY(own, library) {
  library.def("swiglu(Tensor gate, Tensor up) -> Tensor");
  library.def("rms_norm(Tensor(a!) out, Tensor x, Tensor weight, float eps) -> ()");
  library.def("linear(Tensor x, Tensor weight) -> Tensor");
  library.def("sum_over_ranks(Tensor x, str group) -> Tensor");
  library.def("shapeless(Tensor x) -> Tensor");
  library.def("crashes(Tensor x) -> Tensor");
  library.def("positive(Tensor x) -> Tensor");
  library.def("undeclared(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(own, CPU, library) {
  library.impl("swiglu", &assay::test::swiglu);
  library.impl("rms_norm", &assay::test::rms_norm);
  library.impl("linear", &assay::test::linear);
  library.impl("sum_over_ranks", &assay::test::sum_over_ranks);
  library.impl("shapeless", &assay::test::undeclared);
  library.impl("crashes", &assay::test::crashes);
  library.impl("positive", &assay::test::positive);
  library.impl("undeclared", &assay::test::undeclared);
}

TORCH_LIBRARY_IMPL(own, Meta, library) {
  using assay::test::like_first;
  library.impl("swiglu",
               [](const at::Tensor& gate, const at::Tensor&) { return like_first(gate); });
  library.impl("rms_norm", [](at::Tensor&, const at::Tensor&, const at::Tensor&, double) {});
  library.impl("linear", [](const at::Tensor& x, const at::Tensor& weight) {
    return at::empty({x.size(0), weight.size(0)}, x.options());
  });
  library.impl("sum_over_ranks",
               [](const at::Tensor& x, const std::string&) { return like_first(x); });
  library.impl("undeclared", &like_first);
}
