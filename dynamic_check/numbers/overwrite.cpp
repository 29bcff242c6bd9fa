#include "dynamic_check/numbers/overwrite.h"

#include <ATen/core/LegacyTypeDispatch.h>

namespace assay {

void overwrite(const at::Tensor& tensor, const at::Tensor& value) {
  const at::AutoDispatchBelowADInplaceOrView silent;
  tensor.detach().copy_(value);
}

}  // namespace assay
