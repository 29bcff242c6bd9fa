// Reads a trace (trace.h), one tensor at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/trace/trace.h"

namespace assay {

// Holds the index alone; no memory is made for what the file is too small to have. One thread at a
// time.
class TraceReader {
 public:
  // Reads and checks everything but the data themselves. Throws UserError that names the file, and
  // what to do, for what is no trace, for a trace of a newer form, one that did not end, was cut
  // off, or is not as trace.h says.
  explicit TraceReader(const std::filesystem::path& file);

  // The same from an archive's bytes, which are copied; `name` is the file that errors name.
  TraceReader(std::string_view archive, const std::string& name);

  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  ~TraceReader();

  const TraceRun& run() const;
  // In the order in which they were made. What follows takes their numbers in this list.
  const std::vector<TracedTensor>& tensors() const;

  // Reads a tensor's data and compares their checksum; `into` has its data_bytes(). Throws
  // UserError that names the file and the tensor when they are damaged.
  void read(size_t tensor, std::span<std::byte> into);
  std::vector<std::byte> read(size_t tensor);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
