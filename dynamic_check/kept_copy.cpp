#include "dynamic_check/kept_copy.h"

#include <ATen/ops/from_blob.h>

#include <atomic>

#include "dynamic_check/file_segment.h"
#include "dynamic_check/machine_memory.h"

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

at::Tensor copy_in_memory(const at::Tensor& tensor, int64_t size) {
  const at::Tensor copy = tensor.clone();
  return at::from_blob(
      copy.mutable_data_ptr(), copy.sizes(), copy.strides(),
      [copy, size](void*) { in_memory -= size; }, copy.options());
}

}  // namespace

void set_copy_memory(int64_t bytes) { budget() = bytes; }

int64_t copy_memory() { return budget(); }

at::Tensor kept_copy(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().resolve_neg();
  const auto size = static_cast<int64_t>(plain.nbytes());
  if (!plain.is_cpu() || size < kAlwaysInMemory) return plain.clone();
  if (in_memory.fetch_add(size) + size <= budget()) return copy_in_memory(plain, size);
  in_memory -= size;
  return copy_in_file(plain);
}

}  // namespace assay
