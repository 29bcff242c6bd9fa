#include "shared_ir/capture/torch/scalar_type.h"

#include <array>
#include <string>
#include <utility>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr std::array<std::pair<DType, c10::ScalarType>, 14> kTypes = {{
    {DType::kBool, c10::ScalarType::Bool},
    {DType::kUint8, c10::ScalarType::Byte},
    {DType::kUint16, c10::ScalarType::UInt16},
    {DType::kUint32, c10::ScalarType::UInt32},
    {DType::kInt8, c10::ScalarType::Char},
    {DType::kInt16, c10::ScalarType::Short},
    {DType::kInt32, c10::ScalarType::Int},
    {DType::kInt64, c10::ScalarType::Long},
    {DType::kFloat8E4M3, c10::ScalarType::Float8_e4m3fn},
    {DType::kFloat8E5M2, c10::ScalarType::Float8_e5m2},
    {DType::kFloat16, c10::ScalarType::Half},
    {DType::kBFloat16, c10::ScalarType::BFloat16},
    {DType::kFloat32, c10::ScalarType::Float},
    {DType::kFloat64, c10::ScalarType::Double},
}};

}  // namespace

DType to_dtype(c10::ScalarType type) {
  for (const auto& [ours, torchs] : kTypes) {
    if (torchs == type) return ours;
  }
  throw UserError({}, std::string("element type ") + c10::toString(type) + " is not supported",
                  "use a real floating-point, integer or bool type");
}

c10::ScalarType to_scalar_type(DType dtype) {
  for (const auto& [ours, torchs] : kTypes) {
    if (ours == dtype) return torchs;
  }
  throw InternalError("an element type without a counterpart in torch");
}

}  // namespace assay
