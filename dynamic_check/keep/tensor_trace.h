// Tensors into and out of traces (shared_ir/trace/trace.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared_ir/trace/trace_reader.h"
#include "shared_ir/trace/trace_writer.h"

namespace assay {

// Adds a tensor of any device and strides. `described`: its name, operator and source; dtype and
// shape are the tensor's. Throws UserError as TraceWriter does.
void add_tensor(TraceWriter& trace, TracedTensor described, const at::Tensor& tensor);

// Tensor `index` of the trace, on the CPU. Throws UserError as TraceReader::read does.
at::Tensor read_tensor(TraceReader& trace, size_t index);

// A trace whose tensors are read by name, one at a time, onto the CPU.
class TensorTrace {
 public:
  // Throws UserError as TraceReader does.
  explicit TensorTrace(const std::filesystem::path& file);

  const std::string& file() const { return file_; }
  const TraceRun& run() const { return reader_.run(); }
  const std::vector<TracedTensor>& tensors() const { return reader_.tensors(); }

  // nullptr when there is no such tensor.
  const TracedTensor* find(const std::string& name) const;

  // Undefined when there is no such tensor. Throws UserError when its data are damaged.
  at::Tensor read(const std::string& name);

 private:
  std::string file_;
  TraceReader reader_;
  std::unordered_map<std::string, size_t> places_;  // in tensors()
};

}  // namespace assay
