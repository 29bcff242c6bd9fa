// How long processes are waited for before they are lost. Needs no LibTorch.
#pragma once

#include <chrono>

namespace assay {

// Until they have started and come; until what was sent to them is read; until a machine answers
// that cannot be reached. ASSAY_PATIENCE in seconds, by default a minute. Throws UserError when
// that is no number from 1 to 86400.
std::chrono::milliseconds patience();

}  // namespace assay
