// Numbers that the program itself puts into a tensor, without an operator that shows them: those of
// at::tensor({3, 4}), and the 0 of x.index_put_({...}, 0.0), which LibTorch makes by an operator on
// meta tensors alone.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shared_ir/capture/record/storage_values.h"
#include "shared_ir/capture/record/tape.h"

namespace assay {

class HostNumbers {
 public:
  HostNumbers(Tape& tape, StorageValues& values, bool shapes_only)
      : tape_(tape), values_(values), shapes_only_(shapes_only) {}

  // A new tensor on the host, of elements that are not set: where it is a small vector, the program
  // may set them before an operator uses it. Returns whether it may.
  bool watch(const at::Tensor& made);

  // A new tensor of one number, which is recorded when it is used.
  void add_scalar(const at::Tensor& made, ArgList args,
                  std::vector<std::pair<std::string, Arg>> kwargs);

  // An operator is about to use the tensor: what the program has put into it is recorded.
  void before_use(const at::Tensor& tensor);

 private:
  struct Scalar {
    at::Tensor tensor;  // keeps the address from being used again
    ArgList args;
    std::vector<std::pair<std::string, Arg>> kwargs;
  };

  struct Watched {
    at::Tensor tensor;
    std::vector<char> before;  // what was there
  };

  void record_scalar(const at::Tensor& tensor, Scalar scalar);

  Tape& tape_;
  StorageValues& values_;
  bool shapes_only_;
  std::unordered_map<const c10::StorageImpl*, Watched> watched_;
  std::unordered_map<const c10::StorageImpl*, Scalar> scalars_;
};

}  // namespace assay
