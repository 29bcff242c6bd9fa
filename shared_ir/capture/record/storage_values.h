// Which graph tensor is the current value of a torch tensor, when views share memory and operators
// write into it.
//
// A graph is functional. So every storage has one root tensor, and each view remembers the operator
// that made it. A write into a view gives the view a new value and scatters it back up to the root;
// other views of that storage are made anew when they are read next.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shared_ir/capture/record/tape.h"

namespace assay {

class StorageValues {
 public:
  explicit StorageValues(Tape& tape) : tape_(tape) {}

  // The graph tensor that holds the tensor's value now; kNone when the recording never saw its
  // memory. May append nodes (views that a write made stale). Throws UserError when such a view
  // cannot be made anew.
  TensorId read(const at::Tensor& tensor);

  // The last known value, current or not; kNone when there is none. Appends nothing.
  TensorId peek(const at::Tensor& tensor) const;

  // True if exactly these elements of the storage have a current value, so that the tensor is
  // another handle on it.
  bool is_current(const at::Tensor& tensor) const;

  // Another tensor object of the same elements, which keeps these sizes.
  static at::Tensor handle(const at::Tensor& tensor) { return tensor_at(key_of(tensor), tensor); }

  // The tensor has this value and is no view of another.
  void define(const at::Tensor& tensor, TensorId value);

  // `view` is output number `output` of view operator `maker` on `base`, which has been read.
  void define_view(const at::Tensor& view, const at::Tensor& base, NodeId maker, int32_t output);

  // An operator has written `value` into the tensor's memory; read() was called before it ran. May
  // append nodes (scatters into the bases of a view). Throws UserError when a base cannot be
  // rebuilt.
  void write(const at::Tensor& tensor, TensorId value);

 private:
  // How a tensor lies in its storage; equal keys in one storage are the same elements.
  struct Key {
    int64_t offset;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;  // 0 where the size is 1
    at::ScalarType dtype;
    bool operator==(const Key&) const = default;
  };
  struct Alias {
    Key key;
    TensorId value = kNone;
    int64_t version = 0;            // of the storage, when value was its content
    int32_t parent = kNone;         // index of the base it is a view of; kNone: a root
    NodeId maker = kNone;           // the view operator
    int32_t output = 0;             // which of its outputs
    TensorId parent_value = kNone;  // of the base, when maker ran
  };
  struct Memory {
    // Keeps the address from being used again, not the data.
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    std::vector<Alias> aliases;
    int64_t version = 0;
  };

  static Key key_of(const at::Tensor& tensor);
  static int32_t index_of(const Memory& memory, const Key& key);
  // Another handle on the same storage as `any`.
  static at::Tensor tensor_at(const Key& key, const at::Tensor& any);
  Memory& memory_of(const at::Tensor& tensor);
  void refresh(Memory& memory, int32_t index, const at::Tensor& any);
  TensorId scatter(const Alias& base, const Alias& view, const at::Tensor& base_tensor);

  Tape& tape_;
  std::unordered_map<const c10::StorageImpl*, Memory> memories_;
};

}  // namespace assay
