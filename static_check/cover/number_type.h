// What numbers a tensor's elements are: what is equal over the real numbers, or modulo 2^bits, need
// not be equal in tensors of two types.
#pragma once

#include <functional>

#include "shared_ir/clean_expr.h"
#include "shared_ir/dtype.h"

namespace assay {

struct NumberType {
  DType dtype = DType::kFloat32;
  bool may_wrap = false;  // integers that are given modulo 2^bits (CoreProgram)
};

// Whether equal values are the same numbers in tensors of these types: both floating, booleans or
// integers, and integers of two widths only where neither wraps.
bool alike(const NumberType& a, const NumberType& b);

// Whether the expression's value, computed in the types of its tensors, is a number of `target`:
// its tensors are alike, sums of integers are of one width, and no integer is divided.
bool is_of_type(const CleanExpr& expr, const NumberType& target,
                const std::function<NumberType(const CleanExpr& tensor)>& type_of);

}  // namespace assay
