#include "dynamic_check/execute/thread_work.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace assay {

size_t PendingResults::add(at::Tensor destination, at::Tensor value) {
  entries_.push_back({std::move(destination), std::move(value)});
  return entries_.size() - 1;
}

void PendingResults::deliver(size_t ticket) {
  Entry& entry = entries_.at(ticket);
  if (entry.delivered) return;
  // The program calls wait(), and delivery is no operator of the program.
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::impl::ExcludeDispatchKeyGuard below_recording(c10::DispatchKey::Fake);
  entry.destination.copy_(entry.value);
  entry.delivered = true;
  entry.value.reset();
}

}  // namespace assay
