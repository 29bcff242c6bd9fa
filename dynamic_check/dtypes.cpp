#include "dynamic_check/dtypes.h"

#include <array>
#include <string>
#include <utility>

#include "shared_ir/error.h"

namespace assay {
namespace {

constexpr std::array<std::pair<DType, at::ScalarType>, 12> kTypes{{
    {DType::kBool, at::kBool},
    {DType::kUint8, at::kByte},
    {DType::kInt8, at::kChar},
    {DType::kInt16, at::kShort},
    {DType::kInt32, at::kInt},
    {DType::kInt64, at::kLong},
    {DType::kFloat8E4M3, at::kFloat8_e4m3fn},
    {DType::kFloat8E5M2, at::kFloat8_e5m2},
    {DType::kFloat16, at::kHalf},
    {DType::kBFloat16, at::kBFloat16},
    {DType::kFloat32, at::kFloat},
    {DType::kFloat64, at::kDouble},
}};

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  for (const auto& [ours, theirs] : kTypes) {
    if (ours == dtype) return theirs;
  }
  throw InternalError("unknown element type");
}

DType dtype_of(at::ScalarType type) {
  for (const auto& [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  throw UserError({}, std::string("tensors of type ") + c10::toString(type) + " are not supported");
}

}  // namespace assay
