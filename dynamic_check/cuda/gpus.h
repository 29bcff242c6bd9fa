// The GPUs of this machine.
#pragma once

namespace assay {

// GPUs that LibTorch can use here: 0 where there is none, no driver, or where this build or this
// LibTorch has no CUDA. Where there is one, LibTorch's CUDA library is loaded into the process, if
// the program is not linked with it: it need not be. LibTorch asks only once whether it has CUDA:
// with ASSAY_DEVICE=cuda that library is loaded before main().
int usable_gpus();

// Whether ASSAY_DEVICE says that programs run on the first GPU: it is cuda. Not where it is cpu, or
// not set. Throws UserError for anything else.
bool variable_names_gpu();

}  // namespace assay
