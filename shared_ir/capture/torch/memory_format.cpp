#include "shared_ir/capture/torch/memory_format.h"

#include <utility>

namespace assay {
namespace {

constexpr std::pair<at::MemoryFormat, std::string_view> kNames[] = {
    {at::MemoryFormat::Contiguous, "torch.contiguous_format"},
    {at::MemoryFormat::Preserve, "torch.preserve_format"},
    {at::MemoryFormat::ChannelsLast, "torch.channels_last"},
    {at::MemoryFormat::ChannelsLast3d, "torch.channels_last_3d"},
};

}  // namespace

std::optional<at::MemoryFormat> memory_format(std::string_view text) {
  for (const auto& [format, name] : kNames)
    if (name == text) return format;
  return std::nullopt;
}

std::string_view memory_format_name(at::MemoryFormat format) {
  for (const auto& [known, name] : kNames)
    if (known == format) return name;
  return {};
}

}  // namespace assay
