#pragma once

#include <string_view>

namespace assay {

/// A text file that the build put into a library (assay_embed_files in cmake/AssayTargets.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< path relative to the folder that embeds it
  std::string_view text;  ///< the whole file
};

}  // namespace assay
