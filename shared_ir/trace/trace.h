// Traces: one run of a program on one rank, as the tensors that its operators made, kept in a file.
// They are written as the program runs (TraceWriter; record_trace.py for PyTorch programs in
// Python) and read one tensor at a time (TraceReader).
//
// A trace is a ZIP archive whose entries are stored, not compressed; ZIP64 where it is large. It
// holds an entry for the data of each tensor, and trace.json, which is written last: without it the
// recording did not end. trace.json is one object:
//
//   {"assay_trace": 1,          version of the form
//    "program": "train_step",   for people
//    "rank": 0,                 from 0, less than world_size
//    "world_size": 2,           ranks of the run
//    "precision": "float32",    dtype in which the program was meant to compute
//    "seed": 1,                 optional: of the inputs, from 0
//    "producer": "assay 0.1",   optional: what wrote the trace
//    "tensors": [               in the order in which they were made
//      {"name": "mm_1",         unique; letters, digits, `_ . - :`
//       "op": "aten.mm.default",        optional: the operator that made it; an input has none
//       "source": "model.py:12",        optional: the user's line that called the operator
//       "dtype": "float32",             a name of dtype.h
//       "shape": [2, 3],                elements per dimension; [] is a scalar
//       "data": "data/0"}]}             its entry, which is no other tensor's
//
// Data are the elements, little-endian, row-major, without gaps: product(shape) x byte_size(dtype)
// bytes. A bool is a byte, 0 or 1. There are no other keys and no other entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared_ir/dtype.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"

namespace assay {

inline constexpr int64_t kTraceVersion = 1;

// What was run.
struct TraceRun {
  std::string program;
  Rank rank = 0;
  Rank world_size = 1;
  DType precision = DType::kFloat32;
  std::optional<uint64_t> seed;
  std::string producer;  // empty: not known
};

struct TracedTensor {
  std::string name;
  std::string op;      // empty: not known, or an input
  std::string source;  // "file:line"; empty: not known
  DType dtype = DType::kFloat32;
  Shape shape;  // at most 2^60 elements

  uint64_t data_bytes() const {
    return static_cast<uint64_t>(element_count(shape)) * byte_size(dtype);
  }
};

}  // namespace assay
