// How much memory a piece of work takes at its peak.
#pragma once

#include <cstdint>
#include <functional>

namespace assay::bench {

// Bytes of the process's own memory at the peak while `work` runs, less those before it, looked at
// every few milliseconds. Memory of files, which the system takes back as it likes, does not count.
// Linux alone: 0 where /proc/self does not say.
int64_t peak_bytes(const std::function<void()>& work);

}  // namespace assay::bench
