// The zip around a .pt2 program.
#pragma once

#include <istream>
#include <string>

namespace assay::pt2 {

// The JSON text of the one program in the archive; `file` is what errors name. Entries are stored,
// not compressed, so no text is larger than its archive. Throws UserError for what is no zip, holds
// no program or several, or is damaged.
std::string read_program(std::istream& archive, const std::string& file);

}  // namespace assay::pt2
