// The members' tensors as c10d gathers them, for programs of users.
#pragma once

#include <ATen/ops/empty.h>
#include <assay/gtest.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

/// [members, ...] of [...], in group order.
inline at::Tensor stacked(assay::Program& p, const at::Tensor& x, const std::string& axis) {
  auto sizes = x.sizes().vec();
  sizes.insert(sizes.begin(), p.size(axis));
  auto out = at::empty(sizes, x.options());
  auto flat = x.contiguous();
  p.group(axis)->_allgather_base(out, flat)->wait();
  return out;
}
