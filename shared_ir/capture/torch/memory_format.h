// Memory formats as arguments of graphs name them: "torch.contiguous_format".
#pragma once

#include <c10/core/MemoryFormat.h>

#include <optional>
#include <string_view>

namespace assay {

// nullopt where graphs have no such text.
std::optional<at::MemoryFormat> memory_format(std::string_view text);

// Empty for a format that graphs do not name.
std::string_view memory_format_name(at::MemoryFormat format);

}  // namespace assay
