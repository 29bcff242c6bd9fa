#include "dynamic_check/keep/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace assay {

int64_t machine_memory() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    // "max", and a number that does not fit, are no limit.
    int64_t limit = 0;
    if (std::ifstream(file) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

int64_t default_copy_memory() {
  constexpr int64_t kLeast = 256 << 20, kPart = 8;
  static const int64_t bytes = std::max(kLeast, machine_memory() / kPart);
  return bytes;
}

}  // namespace assay
