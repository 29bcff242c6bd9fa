#pragma once

#include <ATen/core/Tensor.h>

namespace assay {

// What two tensors share exactly where they lie in one storage, for as long as one of them lives.
inline const c10::StorageImpl* storage_address(const at::Tensor& tensor) {
  return tensor.storage().unsafeGetStorageImpl();
}

}  // namespace assay
