#include "shared_ir/capture/places/source_lines.h"

#include <backtrace.h>

#include <mutex>
#include <unordered_map>

namespace assay {
namespace {

void ignore_error(void*, const char*, int) {}

int add_place(void* places, uintptr_t, const char* file, int line, const char*) {
  if (file != nullptr) {
    static_cast<std::vector<SourcePlace>*>(places)->push_back({file, line, 0});
  }
  return 0;
}

}  // namespace

const std::vector<SourcePlace>& source_lines(uintptr_t address) {
  static std::mutex mutex;
  static std::unordered_map<uintptr_t, std::vector<SourcePlace>> cache;
  static backtrace_state* state = backtrace_create_state(nullptr, 0, ignore_error, nullptr);
  const std::lock_guard lock(mutex);
  auto [entry, is_new] = cache.try_emplace(address);
  if (is_new) backtrace_pcinfo(state, address, add_place, ignore_error, &entry->second);
  return entry->second;
}

}  // namespace assay
