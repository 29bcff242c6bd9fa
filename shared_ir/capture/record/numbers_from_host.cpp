#include "shared_ir/capture/record/numbers_from_host.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>

#include "shared_ir/capture/torch/meta_kernels.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "shared_ir/capture/torch/storage_address.h"

namespace assay {
namespace {

constexpr int64_t kMostElements = 1 << 14;
// No number that a program writes consists of these bytes alone, and what reads them shows: NaN, or
// a large negative integer.
unsigned char unset_byte(const at::Tensor& tensor) {
  return tensor.is_floating_point() ? 0xFF : 0xA7;
}

bool is_written(const at::Tensor& tensor) {
  const auto* bytes = static_cast<const unsigned char*>(tensor.storage().data());
  return std::any_of(bytes, bytes + tensor.nbytes(),
                     [&](unsigned char byte) { return byte != unset_byte(tensor); });
}

Arg number_of(const at::Scalar& number) {
  if (number.isBoolean()) return {number.toBool()};
  if (number.isIntegral(false)) return {number.toLong()};
  return {number.toDouble()};
}

Arg numbers_of(const at::Tensor& tensor) {
  // On a meta tensor's memory, which lies on the host.
  const at::Tensor host = at::from_blob(const_cast<void*>(tensor.storage().data()), tensor.sizes(),
                                        at::TensorOptions().dtype(tensor.scalar_type()));
  ArgList list;
  for (int64_t i = 0; i < host.numel(); ++i) list.push_back(number_of(host[i].item()));
  return {std::move(list)};
}

}  // namespace

bool HostNumbers::watch(const at::Tensor& made) {
  if (made.dim() != 1 || made.numel() == 0 || made.numel() > kMostElements ||
      at::isComplexType(made.scalar_type()) || !made.is_contiguous())
    return false;
  auto* storage = made.storage().unsafeGetStorageImpl();
  if (shapes_only_) {
    at::DataPtr memory = c10::GetCPUAllocator()->allocate(made.nbytes());
    void* const bytes = memory.get();
    void* const context = memory.release_context();
    storage->set_data_ptr_noswap({bytes, context, memory.get_deleter(), at::Device(at::kMeta)});
  } else if (!made.is_cpu() || storage->nbytes() < made.nbytes()) {
    return false;
  }
  auto* bytes = static_cast<char*>(storage->mutable_data());
  Watched watched{made, {}};
  if (!shapes_only_) watched.before.assign(bytes, bytes + made.nbytes());
  std::memset(bytes, unset_byte(made), made.nbytes());
  watched_.insert_or_assign(storage, std::move(watched));
  return true;
}

void HostNumbers::add_scalar(const at::Tensor& made, ArgList args,
                             std::vector<std::pair<std::string, Arg>> kwargs) {
  scalars_.insert_or_assign(storage_address(made),
                            Scalar{made, std::move(args), std::move(kwargs)});
}

void HostNumbers::record_scalar(const at::Tensor& tensor, Scalar scalar) {
  const NodeId node = tape_.add("aten.scalar_tensor.default", std::move(scalar.args),
                                std::move(scalar.kwargs), {tensor});
  values_.define(tensor, tape_.node(node).outputs[0]);
}

void HostNumbers::before_use(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  const c10::StorageImpl* address = storage_address(tensor);
  if (const auto found = scalars_.find(address); found != scalars_.end()) {
    Scalar scalar = std::move(found->second);
    scalars_.erase(found);
    const at::Tensor made = scalar.tensor;
    return record_scalar(made, std::move(scalar));
  }
  if (const auto found = watched_.find(address); found != watched_.end()) {
    const auto [made, before] = std::move(found->second);
    watched_.erase(found);
    if (!is_written(made)) {
      if (!before.empty())
        std::memcpy(made.storage().unsafeGetStorageImpl()->mutable_data(), before.data(),
                    before.size());
    } else {
      const NodeId node = tape_.add(std::string(kConstantOp), {numbers_of(made)}, {}, {made});
      values_.define(made, tape_.node(node).outputs[0]);
    }
    // What the program writes from here on, nobody sees.
    if (shapes_only_) forbid_writes(made);
    return;
  }
  // Which number it is the capture has recorded, at a use of the same operand.
  const bool bare = !shapes_only_ && tensor.is_cpu() && tensor.dim() == 0 &&
                    !tensor.requires_grad() && !at::isComplexType(tensor.scalar_type());
  if (bare && values_.peek(tensor) == kNone) {
    const DType dtype = to_dtype(tensor.scalar_type());
    record_scalar(tensor, {tensor, {number_of(tensor.item())}, {{"dtype", {dtype}}}});
  }
}

}  // namespace assay
