// Element types of tensors, by PyTorch's names ("float32", "bfloat16", "int64", "bool", ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class DType : uint8_t {
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat8E4M3,
  kFloat8E5M2,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
};

std::string_view to_string(DType dtype);

// PyTorch's name with or without the "torch." prefix; nullopt if it is none of ours.
std::optional<DType> parse_dtype(std::string_view name);

inline bool is_floating(DType dtype) { return dtype >= DType::kFloat8E4M3; }
inline bool is_bool(DType dtype) { return dtype == DType::kBool; }
inline bool is_unsigned(DType dtype) { return dtype >= DType::kUint8 && dtype <= DType::kUint32; }
inline bool is_integer(DType dtype) { return !is_floating(dtype) && !is_bool(dtype); }

// Bytes of one element (bool: 1).
size_t byte_size(DType dtype);

// Distance from 1 to the next larger number (bfloat16: 2^-7, float32: 2^-23). 0 for integers and
// bool.
double machine_epsilon(DType dtype);

}  // namespace assay
