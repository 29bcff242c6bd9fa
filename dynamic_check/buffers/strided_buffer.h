// Tensors as memory has them: what clean expressions are evaluated on. Needs no LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shared_ir/dtype.h"
#include "shared_ir/graph.h"

namespace assay {

// Element (i, j, ...) is at data + (i * strides[0] + j * strides[1] + ...) * byte_size(dtype).
struct StridedBuffer {
  DType dtype = DType::kFloat64;
  Shape shape;
  std::vector<int64_t> strides;  // in elements
  const std::byte* data = nullptr;
  // Where `data` was made here. Else it is the caller's, which must outlive this.
  std::shared_ptr<std::byte[]> owned;

  int64_t elements() const;
  bool is_contiguous() const;
};

// Those of a tensor without gaps, row-major.
std::vector<int64_t> contiguous_strides(const Shape& shape);

// Without gaps; zeros where `zeros`, else undefined until all of `owned` is written.
StridedBuffer make_buffer(DType dtype, const Shape& shape, bool zeros);

// Views of the same memory. What is asked must fit the shape.
StridedBuffer narrow(const StridedBuffer& buffer, int64_t dim, int64_t start, int64_t size);
StridedBuffer permute(const StridedBuffer& buffer, std::span<const int64_t> dims);

// A view where there are no gaps, else a copy.
StridedBuffer reshape(const StridedBuffer& buffer, const Shape& shape);

// Writes the elements of one to those of the other, which have its shape and type; `to.owned`
// begins at `to.data`.
void copy_into(const StridedBuffer& from, const StridedBuffer& to);

// Copies. Where elements are of several types, or are added or scaled, floats become float64; sums
// of integers stay of their type and wrap around, and of bools they are "or".
StridedBuffer copy(const StridedBuffer& buffer);
StridedBuffer contiguous(const StridedBuffer& buffer);  // the same memory where there are no gaps
StridedBuffer concat(std::span<const StridedBuffer> parts, int64_t dim);
StridedBuffer pad(const StridedBuffer& buffer, int64_t dim, int64_t before, int64_t after);
StridedBuffer sum(std::span<const StridedBuffer> parts);
// Of integers, float64 too.
StridedBuffer scale(const StridedBuffer& buffer, double numerator, double denominator);

}  // namespace assay
