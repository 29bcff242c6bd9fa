#include "tests/declarations/elements.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "shared_ir/capture/torch/scalar_type.h"

namespace assay::test {
namespace {

bool agree(double kernel, double declared, double tolerance) {
  if (std::isnan(kernel) || std::isnan(declared)) return std::isnan(kernel) && std::isnan(declared);
  if (kernel == declared) return true;
  if (std::isinf(kernel) || std::isinf(declared)) return false;
  return std::abs(kernel - declared) <= tolerance * std::max(1.0, std::abs(kernel));
}

std::string digits(double value) {
  std::ostringstream text;
  text << std::setprecision(17) << value;
  return text.str();
}

// Integers are exact modulo what their type holds.
std::vector<double> as_stored(std::vector<double> values, at::ScalarType type) {
  const int bits = static_cast<int>(8 * at::elementSize(type));
  if (!at::isIntegralType(type, false) || bits == 64) return values;
  const double count = std::ldexp(1, bits);
  const double least = type == at::kByte ? 0 : -count / 2;
  for (double& value : values) value -= count * std::floor((value - least) / count);
  return values;
}

}  // namespace

at::Tensor tensor_of(const Tensor& what, const ReferenceTensor& value) {
  return at::tensor(value.values, at::kDouble)
      .reshape(value.shape)
      .to(is_floating(what.dtype) ? at::kDouble : to_scalar_type(what.dtype));
}

std::string difference(const at::Tensor& kernel, const ReferenceTensor& declared,
                       double tolerance) {
  if (kernel.scalar_type() == at::kFloat) tolerance = 1e-5;
  if (!kernel.is_floating_point()) tolerance = 0;
  const at::Tensor flat = kernel.to(at::kDouble).contiguous();
  const double* expected = flat.const_data_ptr<double>();
  const std::vector<double> found = as_stored(declared.values, kernel.scalar_type());
  for (size_t i = 0; i < found.size(); ++i)
    if (!agree(expected[i], found[i], tolerance))
      return "element " + std::to_string(i) + " of " + to_string(declared.shape) + " is " +
             digits(expected[i]) + ", but " + digits(found[i]) + " by the declaration";
  return {};
}

ReferenceTensor values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kDouble).contiguous();
  const double* first = flat.const_data_ptr<double>();
  return {tensor.sizes().vec(), {first, first + flat.numel()}};
}

}  // namespace assay::test
