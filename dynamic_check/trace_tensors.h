// Tensors of a run in a trace.
#pragma once

#include <ATen/core/Tensor.h>

#include "shared_ir/trace/trace_reader.h"
#include "shared_ir/trace/trace_writer.h"

namespace assay {

// `described` has everything but dtype and shape. Throws UserError as TraceWriter::add does, and
// for a dtype that Assay does not know.
void add_to_trace(TraceWriter& writer, TracedTensor described, const at::Tensor& tensor);

// On the CPU. Throws UserError as TraceReader::read does.
at::Tensor read_from_trace(TraceReader& reader, size_t tensor);

}  // namespace assay
