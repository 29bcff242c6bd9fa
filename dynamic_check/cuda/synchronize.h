// Waiting for a device.
#pragma once

#include <c10/core/Device.h>

namespace assay {

// Waits for all that runs there, on any stream. Nothing on a CPU.
void synchronize(c10::Device device);

}  // namespace assay
