// A file that no folder has: it is gone with its last descriptor, however the process ends.
#pragma once

#include <filesystem>
#include <string_view>

#include "dynamic_check/run/execute/processes/file_descriptor.h"

namespace assay {

// On disk, where temporary files are. Throws UserError when it cannot be made. Closed by exec.
FileDescriptor make_anonymous_file();

// Writes at the descriptor's position. Throws UserError when the disk is full.
void append(const FileDescriptor& file, std::string_view bytes);

// Opens the same file again in this process, as long as the descriptor is open.
std::filesystem::path path_of(const FileDescriptor& file);

}  // namespace assay
