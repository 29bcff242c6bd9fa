// Whole text files.
#pragma once

#include <string>

namespace assay::cli {

// Both throw UserError that names the file when it cannot be read or written.
std::string read_text(const std::string& file);
void write_text(const std::string& file, const std::string& text);

}  // namespace assay::cli
