#include "gtest_plugin/all_reduce.h"

#include <ATen/ops/clone.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace assay {
namespace {

struct SumOverRanks : torch::autograd::Function<SumOverRanks> {
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& tensor,
                            const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
    std::vector<at::Tensor> sum = {tensor.clone(at::MemoryFormat::Contiguous)};
    group->allreduce(sum)->wait();
    return sum.front();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    return {gradients.front(), at::Tensor()};
  }
};

}  // namespace

at::Tensor sum_over_ranks(const at::Tensor& tensor,
                          const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  return SumOverRanks::apply(tensor, group);
}

}  // namespace assay
