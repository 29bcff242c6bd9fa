#include "shared_ir/dtype.h"

#include <array>

namespace assay {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  size_t bytes;
  double epsilon;
};

// In the order of the enumeration.
constexpr std::array<Row, 14> kRows = {{
    {DType::kBool, "bool", 1, 0},
    {DType::kUint8, "uint8", 1, 0},
    {DType::kUint16, "uint16", 2, 0},
    {DType::kUint32, "uint32", 4, 0},
    {DType::kInt8, "int8", 1, 0},
    {DType::kInt16, "int16", 2, 0},
    {DType::kInt32, "int32", 4, 0},
    {DType::kInt64, "int64", 8, 0},
    {DType::kFloat8E4M3, "float8_e4m3fn", 1, 0x1p-3},
    {DType::kFloat8E5M2, "float8_e5m2", 1, 0x1p-2},
    {DType::kFloat16, "float16", 2, 0x1p-10},
    {DType::kBFloat16, "bfloat16", 2, 0x1p-7},
    {DType::kFloat32, "float32", 4, 0x1p-23},
    {DType::kFloat64, "float64", 8, 0x1p-52},
}};

const Row& row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view to_string(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  for (const Row& candidate : kRows) {
    if (candidate.name == name) return candidate.dtype;
  }
  return std::nullopt;
}

size_t byte_size(DType dtype) { return row(dtype).bytes; }

double machine_epsilon(DType dtype) { return row(dtype).epsilon; }

}  // namespace assay
