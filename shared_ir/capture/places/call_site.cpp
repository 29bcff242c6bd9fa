#include "shared_ir/capture/places/call_site.h"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "shared_ir/capture/places/source_lines.h"

namespace assay {
namespace {

// Deep enough for the layers between an operator and its caller; recursion beyond is of no
// interest.
constexpr size_t kMaxFrames = 24;

struct AddressRange {
  uintptr_t begin;
  uintptr_t end;
};

bool is_system_library(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  static constexpr std::array<std::string_view, 8> kPrefixes = {"libtorch", "libc10",  "libstdc++",
                                                                "libgcc_s", "libc.so", "libpthread",
                                                                "libgomp",  "ld-linux"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return file.starts_with(prefix); });
}

int add_range(dl_phdr_info* info, size_t, void* ranges) {
  if (!is_system_library(info->dlpi_name)) return 0;
  AddressRange range{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    range.begin = std::min(range.begin, begin);
    range.end = std::max<uintptr_t>(range.end, begin + segment.p_memsz);
  }
  static_cast<std::vector<AddressRange>*>(ranges)->push_back(range);
  return 0;
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& frames = *static_cast<std::vector<uintptr_t>*>(argument);
  // The return address is behind the call, which may be the last instruction of its line.
  const uintptr_t address = _Unwind_GetIP(context) - 1;
  if (!in_system_library(address)) frames.push_back(address);
  return frames.size() < kMaxFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The root of Assay's sources, as the compiler saw it.
std::string_view assay_root() {
  static constexpr std::string_view kFile = __FILE__;
  return kFile.substr(0, kFile.rfind("shared_ir/capture/"));
}

bool is_user_file(std::string_view file) {
  static constexpr std::array<std::string_view, 4> kSystem = {"/torch/include/", "/usr/include/",
                                                              "/usr/lib/", "/usr/local/include/"};
  for (const auto part : kSystem) {
    if (file.find(part) != std::string_view::npos) return false;
  }
  if (!file.starts_with(assay_root())) return true;
  file.remove_prefix(assay_root().size());
  if (file.starts_with("gtest_plugin/examples/")) return true;
  static constexpr std::array<std::string_view, 3> kAssay = {"shared_ir/", "dynamic_check/",
                                                             "gtest_plugin/"};
  return std::none_of(kAssay.begin(), kAssay.end(),
                      [&](std::string_view folder) { return file.starts_with(folder); });
}

}  // namespace

bool in_system_library(uintptr_t address) {
  static const std::vector<AddressRange> ranges = [] {
    std::vector<AddressRange> found;
    dl_iterate_phdr(add_range, &found);
    return found;
  }();
  return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) {
    return range.begin <= address && address < range.end;
  });
}

CallSite CallSites::here() {
  std::vector<uintptr_t> frames;
  frames.reserve(kMaxFrames);
  _Unwind_Backtrace(visit, &frames);
  const auto [entry, is_new] =
      ids_.try_emplace(std::move(frames), static_cast<CallSite>(stacks_.size()));
  if (is_new) stacks_.push_back(&entry->first);
  return entry->second;
}

SourcePlace CallSites::resolve(CallSite site) {
  for (const uintptr_t address : *stacks_.at(static_cast<size_t>(site))) {
    for (const SourcePlace& place : source_lines(address)) {
      if (is_user_file(place.file)) return place;
    }
  }
  return {};
}

}  // namespace assay
