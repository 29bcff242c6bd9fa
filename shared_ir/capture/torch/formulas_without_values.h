// Which of LibTorch's formulas a recording sees.
#pragma once

#include <c10/core/impl/TorchDispatchModeTLS.h>

namespace assay {

// LibTorch has two formulas for some gradients (those of cumprod, prod and what is read at
// indices): one that looks at values, or writes in place, and one for tensors without values, which
// it takes for meta tensors and wherever a dispatch mode is active. While this lives its thread
// takes the latter on every device, so that a run is what was captured.
class FormulasWithoutValues {
 public:
  FormulasWithoutValues();
  ~FormulasWithoutValues();
  FormulasWithoutValues(const FormulasWithoutValues&) = delete;
  FormulasWithoutValues& operator=(const FormulasWithoutValues&) = delete;

 private:
  const c10::impl::TorchDispatchModeTLS before_;
};

}  // namespace assay
