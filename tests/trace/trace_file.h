// What tests of traces write and read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_ir/trace/trace_reader.h"
#include "shared_ir/trace/trace_writer.h"

namespace assay::test {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text);
std::string text_of(const Bytes& bytes);
std::string text_of_file(const std::filesystem::path& file);

// A finished archive of these entries, which need not be a trace.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& entries);

// A trace of two tensors: "x", two floats, and "y", one int64, with the data below.
std::string small_trace();
inline constexpr std::string_view kDataOfX = "\x01\x23\x45\x67\x89\xab\xcd\xef";
inline constexpr std::string_view kDataOfY = "eight of";

// Opens a trace and reads all of it. Returns what() of the UserError, or "accepted".
std::string error_of(const std::string& archive);

}  // namespace assay::test
