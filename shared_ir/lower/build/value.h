// What an expression of an operator declaration evaluates to: a core tensor, an attribute, or a
// list of them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "shared_ir/core.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

struct TensorRef {
  CoreId id = kNone;
  bool linear = false;  // as an operand of map or block: the function is linear in it
};

struct Value;
using ValueList = std::vector<Value>;

struct Value {
  std::variant<NoArg, TensorRef, Int, double, bool, std::string, DType, ValueList> data;

  bool is_none() const { return std::holds_alternative<NoArg>(data); }
  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }
};

// Text of an attribute inside a function's name; equal attributes give equal text (1, 1.0 and true
// are "1", "1", "true").
std::string attribute_text(const Value& value);

}  // namespace assay::lowering
