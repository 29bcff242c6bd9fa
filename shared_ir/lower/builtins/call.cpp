#include "shared_ir/lower/builtins/call.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

void Call::fail(const std::string& message) const {
  context_.site.fail(fmt::format("{}: {}", name_, message));
}

CoreId Call::tensor(size_t i) const {
  if (i < size())
    if (const TensorRef* found = tensor_if(i)) return found->id;
  fail(fmt::format("argument {} must be a tensor", i + 1));
}

std::vector<CoreId> Call::tensors(size_t i) const {
  if (i < size() && tensor_if(i)) return {tensor(i)};
  std::vector<CoreId> result;
  for (const Value& element : list(i)) {
    const TensorRef* found = element.get_if<TensorRef>();
    if (!found) fail(fmt::format("argument {} must be a list of tensors", i + 1));
    result.push_back(found->id);
  }
  return result;
}

const ValueList& Call::list(size_t i) const {
  if (i < size())
    if (const ValueList* found = arguments_[i].get_if<ValueList>()) return *found;
  fail(fmt::format("argument {} must be a list", i + 1));
}

Int Call::integer(size_t i) const {
  if (i < size())
    if (const Int* found = arguments_[i].get_if<Int>()) return *found;
  fail(fmt::format("argument {} must be an integer", i + 1));
}

std::vector<Int> Call::integers(size_t i) const {
  if (i < size() && arguments_[i].get_if<Int>()) return {integer(i)};
  std::vector<Int> result;
  for (const Value& element : list(i)) {
    const Int* found = element.get_if<Int>();
    if (!found) fail(fmt::format("argument {} must be a list of integers", i + 1));
    result.push_back(*found);
  }
  return result;
}

bool Call::flag(size_t i) const {
  if (i < size())
    if (const bool* found = arguments_[i].get_if<bool>()) return *found;
  fail(fmt::format("argument {} must be true or false", i + 1));
}

const std::string& Call::text(size_t i) const {
  if (i < size())
    if (const std::string* found = arguments_[i].get_if<std::string>()) return *found;
  fail(fmt::format("argument {} must be a text", i + 1));
}

DType Call::dtype(size_t i) const {
  if (i < size())
    if (const DType* found = arguments_[i].get_if<DType>()) return *found;
  fail(fmt::format("argument {} must be a dtype", i + 1));
}

std::optional<double> Call::number_if(size_t i) const {
  if (i >= size()) return {};
  const Value& value = arguments_[i];
  if (const auto* integer = value.get_if<Int>()) return static_cast<double>(*integer);
  if (const auto* real = value.get_if<double>()) return *real;
  if (const auto* flag = value.get_if<bool>()) return *flag ? 1 : 0;
  return {};
}

double Call::number(size_t i) const {
  if (auto found = number_if(i)) {
    if (arguments_[i].get_if<Int>() && std::abs(*found) >= kExactIntegers)
      unsupported(fmt::format("argument {} is an integer beyond 2^53", i + 1));
    return *found;
  }
  fail(fmt::format("argument {} must be a number", i + 1));
}

uint32_t Call::linear_operands(size_t first) const {
  uint32_t result = 0;
  for (size_t i = first; i < size(); ++i) {
    const TensorRef* tensor = tensor_if(i);
    if (!tensor || !tensor->linear) continue;
    if (i - first >= 32) fail("an operand behind the first 32 is marked linear");
    result |= 1u << (i - first);
  }
  return result;
}

Rational Call::coefficient(size_t i) {
  if (i < size())
    if (const auto* integer = arguments_[i].get_if<Int>()) return Rational(*integer);
  return coefficient_of(number(i));
}

Rational Call::coefficient_of(double value) {
  RationalFromDouble exact = builder().rational(value);
  if (!exact.exact)
    fail(fmt::format("{} is no finite number of 64-bit numerator and denominator", value));
  return exact.value;
}

Int Call::checked_dim(Int dim, Int rank) const {
  Int range = std::max<Int>(rank, 1);
  if (dim < -range || dim >= range)
    fail(fmt::format("dimension {} of a tensor of {} dimensions", dim, rank));
  return dim < 0 ? dim + range : dim;
}

Int Call::existing_dim(Int dim, Int rank) const {
  if (rank == 0) fail("the tensor has no dimensions");
  return checked_dim(dim, rank);
}

std::vector<Int> Call::dims_or_all(size_t i, Int rank) const {
  std::vector<Int> dims;
  if (has(i))
    for (Int dim : integers(i)) dims.push_back(checked_dim(dim, rank));
  if (dims.empty()) {
    dims.resize(rank);
    std::iota(dims.begin(), dims.end(), 0);
  }
  if (rank == 0) return {};
  std::sort(dims.begin(), dims.end());
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
    fail("a dimension is named twice");
  return dims;
}

Shape Call::sizes(size_t i) const {
  Shape result = integers(i);
  for (Int size : result)
    if (size < 0) fail(fmt::format("size {} is negative", size));
  return result;
}

DType Call::dtype_or_recorded(size_t i) const {
  if (has(i)) return dtype(i);
  if (!context_.recorded) unsupported("needs a recorded dtype");
  return context_.recorded->dtype;
}

}  // namespace assay::lowering
