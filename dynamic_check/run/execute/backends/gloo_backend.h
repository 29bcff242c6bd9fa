// LibTorch's Gloo backend.
#pragma once

#include "dynamic_check/run/execute/backends/process_backend.h"

namespace assay {

// On one machine its connections stay on the loopback device; else they take the interface that
// GLOO_SOCKET_IFNAME names, or that over which the ranks have met.
ProcessBackend gloo_backend();

}  // namespace assay
