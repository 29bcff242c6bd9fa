// Kernels of PyTorch that divide an integer by zero, which ends a process.
#pragma once

#include <functional>

namespace assay::test {

// Runs the action, and says whether the processor stopped it at a division (SIGFPE). What the
// action held is then lost. Exceptions pass through. One thread at a time.
bool traps(const std::function<void()>& action);

}  // namespace assay::test
