// Writes a trace (trace.h) while its program runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "shared_ir/trace/trace.h"

namespace assay {

// Each tensor goes to disk as it is given; of all of them, names, dtypes and shapes are kept. One
// thread at a time. Functions throw UserError that names the file when it cannot be written; after
// that, nothing can be added.
class TraceWriter {
 public:
  // Replaces the file; its folder exists. A run without a producer gets this Assay's version.
  TraceWriter(const std::filesystem::path& file, TraceRun run);

  // Without finish(), readers refuse the file: the recording did not end.
  ~TraceWriter();

  // `data` has the tensor's data_bytes(), as trace.h says. Throws UserError for a name that is
  // taken or that cannot name a tensor, and for an impossible shape.
  void add(const TracedTensor& tensor, std::span<const std::byte> data);

  // Once, at the end.
  void finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
