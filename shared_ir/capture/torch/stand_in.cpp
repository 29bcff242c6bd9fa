#include "shared_ir/capture/torch/stand_in.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace assay {
namespace {

constexpr int64_t kChunk = int64_t{4} << 20;  // bytes
constexpr int64_t kMost = int64_t{64} << 30;

// From the first element to the last, with what lies between.
int64_t extent(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  int64_t last = 0;
  for (int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  return last + 1;
}

at::Tensor positions_modulo(int64_t count, int64_t period) {
  return at::arange(count, at::kLong).remainder(period);
}

// `count` elements one after another.
at::Tensor pattern(int64_t count, at::ScalarType type, StandInValues values) {
  const bool floating = at::isFloatingType(type) || at::isComplexType(type);
  at::Tensor result;
  switch (values) {
    case StandInValues::kFirst:
      result = at::empty({count}, floating ? at::kFloat : at::kLong);
      result.fill_(floating ? 0.25 : type == at::kBool ? 1.0 : 0.0);
      break;
    case StandInValues::kSecond:
      result = floating ? positions_modulo(count, 7).to(at::kFloat).add_(1).div_(16)
                        : at::empty({count}, at::kLong).fill_(type == at::kBool ? 0 : 1);
      break;
    case StandInValues::kThird:
      result = floating ? positions_modulo(count, 5).to(at::kFloat).sub_(2).div_(8)
                        : positions_modulo(count, 2);
      break;
  }
  return result.to(type);
}

bool overlaps(const at::Tensor& tensor) {
  return std::ranges::any_of(tensor.strides(), [](int64_t stride) { return stride == 0; });
}

// Memory of `bytes` bytes that are copies of the chunk.
void* repeated(const at::Tensor& chunk, int64_t bytes) {
  const int file = ::memfd_create("assay-stand-in", MFD_CLOEXEC);
  TORCH_CHECK(file >= 0 && ::ftruncate(file, kChunk) == 0, "no memory for a stand-in");
  const int64_t chunks = (bytes + kChunk - 1) / kChunk;
  auto* memory = static_cast<char*>(::mmap(nullptr, static_cast<size_t>(chunks * kChunk), PROT_NONE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  TORCH_CHECK(memory != MAP_FAILED, "no memory for a stand-in");
  for (int64_t i = 0; i < chunks; ++i) {
    const void* mapped = ::mmap(memory + i * kChunk, kChunk, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED, file, 0);
    TORCH_CHECK(mapped != MAP_FAILED, "no memory for a stand-in");
  }
  std::memcpy(memory, chunk.const_data_ptr(), kChunk);
  ::close(file);
  return memory;
}

}  // namespace

at::Tensor make_stand_in(const at::Tensor& meta, StandInValues values) {
  const at::ScalarType type = meta.scalar_type();
  const int64_t element = static_cast<int64_t>(meta.itemsize());
  const int64_t count = extent(meta);
  TORCH_CHECK(count <= kMost / element, "an operand of ", count * element / (int64_t{1} << 30),
              " GiB is too large to be stood in for (64 GiB at most)");
  if (count * element > kChunk) {
    void* memory = repeated(pattern(kChunk / element, type, values), count * element);
    return at::from_blob(memory, meta.sizes(), meta.strides(), at::TensorOptions().dtype(type));
  }
  at::Tensor tensor = at::as_strided(pattern(count, type, values), meta.sizes(), meta.strides(), 0);
  const bool floating = at::isFloatingType(type) || at::isComplexType(type);
  if (floating && tensor.dim() >= 2 && tensor.numel() > 0 && !overlaps(tensor) &&
      !at::isFloat8Type(type))
    tensor.diagonal(0, -2, -1).fill_(static_cast<double>(tensor.size(-1)));
  return tensor;
}

}  // namespace assay
