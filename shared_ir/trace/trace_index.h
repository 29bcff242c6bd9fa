// trace.json (trace.h), the index of a trace: as text and as what it says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/trace/trace.h"

namespace assay::trace {

inline constexpr const char* kIndexEntry = "trace.json";
inline constexpr std::string_view kDataFolder = "data/";
// What to do about a trace that no recorder writes.
inline constexpr const char* kRecordAgain = "record the trace again";

struct Index {
  TraceRun run;
  std::vector<TracedTensor> tensors;
  std::vector<std::string> data;  // of each tensor: the name of its entry
};

// Bytes that are no UTF-8 are replaced.
std::string to_json(const Index& index);

// Throws UserError that names `file` for what is not as trace.h says. Of the data it knows the
// name.
Index parse_index(std::string_view json, const std::string& file);

// Throw UserError that names `file` for what cannot be in a trace.
void check(const TraceRun& run, const std::string& file);
void check(const TracedTensor& tensor, const std::string& file);

}  // namespace assay::trace
