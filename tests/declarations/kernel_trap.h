// Kernels of PyTorch that end a process: they divide an integer by zero, or read what is not theirs
// (the median along a dimension of size 0).
#pragma once

#include <functional>

namespace assay::test {

// Runs the action, and says what the processor stopped it at: "divides an integer by zero", "reads
// memory that it does not have"; nullptr where it ended. What the action held is lost after a stop.
// Exceptions pass through. One thread at a time.
const char* trap_of(const std::function<void()>& action);

}  // namespace assay::test
