#include "dynamic_check/run/execute/rank_environment.h"

#include <ATen/Parallel.h>
#include <c10/core/AutogradState.h>

namespace assay {

void enter_rank_thread(int kernel_threads) {
  at::set_num_threads(kernel_threads);
  auto autograd = c10::AutogradState::get_tls_state();
  autograd.set_multithreading_enabled(false);
  c10::AutogradState::set_tls_state(autograd);
}

}  // namespace assay
