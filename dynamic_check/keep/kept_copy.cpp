#include "dynamic_check/keep/kept_copy.h"

#include <ATen/ops/from_blob.h>

#include <atomic>

#include "dynamic_check/keep/file_segment.h"
#include "dynamic_check/keep/machine_memory.h"
#include "dynamic_check/keep/reused_memory.h"

namespace assay {
namespace {

constexpr int64_t kAlwaysInMemory = 64 << 10;

std::atomic<int64_t> in_memory{0};

std::atomic<int64_t>& budget() {
  static std::atomic<int64_t> bytes{default_copy_memory()};
  return bytes;
}

at::Tensor copy_in_file(const at::Tensor& tensor) {
  static FilePieces pieces;
  const at::Tensor dense = tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
  const FilePiece piece = pieces.copy(dense.const_data_ptr(), dense.nbytes());
  return at::from_blob(
      piece.memory, dense.sizes(), dense.strides(), [segment = piece.segment](void*) {},
      dense.options());
}

// Whether the budget has room for so much, which is taken then.
bool takes_memory(int64_t size) {
  if (in_memory.fetch_add(size) + size <= budget()) return true;
  in_memory -= size;
  return false;
}

// Gives the memory back with the last that uses it.
at::Tensor counted(const at::Tensor& tensor, int64_t size) {
  return at::from_blob(
      tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(),
      [tensor, size](void*) { in_memory -= size; }, tensor.options());
}

bool has_its_memory_alone(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.has_storage() && !tensor.is_neg() && !tensor.requires_grad() &&
         tensor.is_non_overlapping_and_dense() && tensor.storage().use_count() == 1 &&
         tensor.storage().nbytes() == tensor.nbytes();
}

}  // namespace

void set_copy_memory(int64_t bytes) { budget() = bytes; }

int64_t copy_memory() { return budget(); }

at::Tensor kept_copy(const at::Tensor& tensor) {
  const UnfilledMemory unfilled;
  const at::Tensor plain = tensor.detach().resolve_neg();
  const auto size = static_cast<int64_t>(plain.nbytes());
  if (!plain.is_cpu() || size < kAlwaysInMemory) return plain.clone();
  return takes_memory(size) ? counted(plain.clone(), size) : copy_in_file(plain);
}

at::Tensor kept(const at::Tensor& tensor) {
  if (!has_its_memory_alone(tensor)) return kept_copy(tensor);
  const auto size = static_cast<int64_t>(tensor.nbytes());
  if (size < kAlwaysInMemory) return tensor;
  return takes_memory(size) ? counted(tensor, size) : copy_in_file(tensor);
}

}  // namespace assay
