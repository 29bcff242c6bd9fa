#include "bench/peak_memory.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace assay::bench {
namespace {

// A line "KEY:  N kB" of /proc/self/status, in bytes.
int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return 1024 * std::stoll(line.substr(key.size() + 1));
  return 0;
}

}  // namespace

int64_t peak_bytes(const std::function<void()>& work) {
  malloc_trim(0);  // what earlier work freed is given back
  const int64_t before = status_bytes("RssAnon");
  std::atomic<int64_t> peak = before;
  std::atomic<bool> done = false;
  std::thread watch([&] {
    while (!done) {
      peak = std::max<int64_t>(peak, status_bytes("RssAnon"));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  work();
  done = true;
  watch.join();
  return peak - before;
}

}  // namespace assay::bench
