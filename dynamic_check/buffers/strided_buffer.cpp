#include "dynamic_check/buffers/strided_buffer.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "dynamic_check/buffers/element.h"
#include "dynamic_check/buffers/rows.h"

namespace assay {
namespace {

int64_t count_elements(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  return elements;
}

// Calls update(out, in) for every element of memory that holds `In` and memory of the same shape
// that holds `Out`.
template <typename In, typename Out, typename Update>
void walk(const StridedBuffer& from, std::byte* to, const std::vector<int64_t>& strides,
          const Update& update) {
  const auto* source = reinterpret_cast<const In*>(from.data);
  auto* destination = reinterpret_cast<Out*>(to);
  for_each_row(from.shape, from.strides, strides, [&](const Row& row) {
    const In* in = source + row.from;
    Out* out = destination + row.to;
    if (row.from_step == 1 && row.to_step == 1) {
      for (int64_t i = 0; i < row.count; ++i) update(out[i], in[i]);
    } else {
      for (int64_t i = 0; i < row.count; ++i) update(out[i * row.to_step], in[i * row.from_step]);
    }
  });
}

// Of elements only the size matters.
template <typename Word>
void copy_words(const StridedBuffer& from, std::byte* to, const std::vector<int64_t>& strides) {
  const auto* source = reinterpret_cast<const Word*>(from.data);
  auto* destination = reinterpret_cast<Word*>(to);
  for_each_row(from.shape, from.strides, strides, [&](const Row& row) {
    const Word* in = source + row.from;
    Word* out = destination + row.to;
    if (row.from_step == 1 && row.to_step == 1) {
      std::copy_n(in, row.count, out);
    } else {
      for (int64_t i = 0; i < row.count; ++i) out[i * row.to_step] = in[i * row.from_step];
    }
  });
}

void copy_elements(const StridedBuffer& from, std::byte* to, const std::vector<int64_t>& strides) {
  switch (byte_size(from.dtype)) {
    case 1:
      return copy_words<uint8_t>(from, to, strides);
    case 2:
      return copy_words<uint16_t>(from, to, strides);
    case 4:
      return copy_words<uint32_t>(from, to, strides);
    case 8:
      return copy_words<uint64_t>(from, to, strides);
  }
  throw InternalError("an element of a size that no type has");
}

// Calls update(out, in) for every element, `out` of float64.
template <typename Update>
void update_doubles(const StridedBuffer& from, std::byte* to, const std::vector<int64_t>& strides,
                    const Update& update) {
  visit_type(from.dtype, [&]<typename T>(T) { walk<T, double>(from, to, strides, update); });
}

constexpr auto kSet = [](double& out, auto in) { out = static_cast<double>(in); };
constexpr auto kAdd = [](double& out, auto in) { out += static_cast<double>(in); };

// As `to`'s type has it.
void put(const StridedBuffer& from, DType dtype, std::byte* to,
         const std::vector<int64_t>& strides) {
  if (from.dtype == dtype) return copy_elements(from, to, strides);
  ASSAY_CHECK(dtype == DType::kFloat64, "what has several types becomes float64");
  update_doubles(from, to, strides, kSet);
}

DType common_type(std::span<const StridedBuffer> parts) {
  const DType first = parts.front().dtype;
  const bool same =
      std::ranges::all_of(parts, [&](const StridedBuffer& part) { return part.dtype == first; });
  return same ? first : DType::kFloat64;
}

// Both of one type.
void add_integers(const StridedBuffer& from, const StridedBuffer& to) {
  visit_type(to.dtype, [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      walk<bool, bool>(from, to.owned.get(), to.strides, [](bool& out, bool in) { out |= in; });
    } else if constexpr (std::is_integral_v<T>) {
      // Without a sign, wrapping around is defined.
      using U = std::make_unsigned_t<T>;
      walk<U, U>(from, to.owned.get(), to.strides,
                 [](U& out, U in) { out = static_cast<U>(out + in); });
    }
  });
}

}  // namespace

int64_t StridedBuffer::elements() const { return count_elements(shape); }

bool StridedBuffer::is_contiguous() const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] > 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::vector<int64_t> contiguous_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

StridedBuffer make_buffer(DType dtype, const Shape& shape, bool zeros) {
  StridedBuffer buffer{dtype, shape, contiguous_strides(shape), nullptr, nullptr};
  const auto size = static_cast<size_t>(count_elements(shape)) * byte_size(dtype);
  buffer.owned = std::make_shared_for_overwrite<std::byte[]>(size);
  if (zeros) std::memset(buffer.owned.get(), 0, size);
  buffer.data = buffer.owned.get();
  return buffer;
}

StridedBuffer narrow(const StridedBuffer& buffer, int64_t dim, int64_t start, int64_t size) {
  StridedBuffer view = buffer;
  const auto at = static_cast<size_t>(dim);
  view.shape.at(at) = size;
  view.data += start * view.strides[at] * static_cast<int64_t>(byte_size(buffer.dtype));
  return view;
}

StridedBuffer permute(const StridedBuffer& buffer, std::span<const int64_t> dims) {
  StridedBuffer view = buffer;
  for (size_t i = 0; i < dims.size(); ++i) {
    view.shape[i] = buffer.shape.at(static_cast<size_t>(dims[i]));
    view.strides[i] = buffer.strides[static_cast<size_t>(dims[i])];
  }
  return view;
}

StridedBuffer reshape(const StridedBuffer& buffer, const Shape& shape) {
  StridedBuffer view = contiguous(buffer);
  view.shape = shape;
  view.strides = contiguous_strides(shape);
  return view;
}

void copy_into(const StridedBuffer& from, const StridedBuffer& to) {
  copy_elements(from, to.owned.get(), to.strides);
}

StridedBuffer copy(const StridedBuffer& buffer) {
  StridedBuffer dense = make_buffer(buffer.dtype, buffer.shape, false);
  copy_into(buffer, dense);
  return dense;
}

StridedBuffer contiguous(const StridedBuffer& buffer) {
  return buffer.is_contiguous() ? buffer : copy(buffer);
}

StridedBuffer concat(std::span<const StridedBuffer> parts, int64_t dim) {
  const auto at = static_cast<size_t>(dim);
  Shape shape = parts.front().shape;
  shape.at(at) = 0;
  for (const StridedBuffer& part : parts) shape[at] += part.shape.at(at);
  const StridedBuffer whole = make_buffer(common_type(parts), shape, false);
  const auto bytes = static_cast<int64_t>(byte_size(whole.dtype));
  std::byte* to = whole.owned.get();
  for (const StridedBuffer& part : parts) {
    put(part, whole.dtype, to, whole.strides);
    to += part.shape[at] * whole.strides[at] * bytes;
  }
  return whole;
}

StridedBuffer pad(const StridedBuffer& buffer, int64_t dim, int64_t before, int64_t after) {
  const auto at = static_cast<size_t>(dim);
  Shape shape = buffer.shape;
  shape.at(at) += before + after;
  const StridedBuffer padded = make_buffer(buffer.dtype, shape, true);
  const auto bytes = static_cast<int64_t>(byte_size(buffer.dtype));
  copy_elements(buffer, padded.owned.get() + before * padded.strides[at] * bytes, padded.strides);
  return padded;
}

StridedBuffer sum(std::span<const StridedBuffer> parts) {
  const DType common = common_type(parts);
  const DType dtype = is_floating(common) ? DType::kFloat64 : common;
  const StridedBuffer total = make_buffer(dtype, parts.front().shape, false);
  put(parts.front(), dtype, total.owned.get(), total.strides);
  for (const StridedBuffer& part : parts.subspan(1)) {
    if (dtype == DType::kFloat64) {
      update_doubles(part, total.owned.get(), total.strides, kAdd);
    } else {
      add_integers(part, total);
    }
  }
  return total;
}

StridedBuffer scale(const StridedBuffer& buffer, double numerator, double denominator) {
  const StridedBuffer scaled = make_buffer(DType::kFloat64, buffer.shape, false);
  update_doubles(buffer, scaled.owned.get(), scaled.strides, [&](double& out, auto in) {
    out = static_cast<double>(in) * numerator / denominator;
  });
  return scaled;
}

}  // namespace assay
