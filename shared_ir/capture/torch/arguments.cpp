#include "shared_ir/capture/torch/arguments.h"

#include <ATen/core/jit_type.h>

#include "shared_ir/base/error.h"
#include "shared_ir/capture/torch/memory_format.h"
#include "shared_ir/capture/torch/scalar_type.h"

namespace assay {
namespace {

// What an integer of the schema means: `ScalarType`, `Layout` and `MemoryFormat` travel as
// integers.
c10::TypeKind element_kind(const c10::Argument& schema) {
  c10::TypePtr type = schema.real_type();
  while (true) {
    if (const auto optional = type->cast<c10::OptionalType>()) {
      type = optional->getElementType();
    } else if (const auto list = type->cast<c10::ListType>()) {
      type = list->getElementType();
    } else {
      return type->kind();
    }
  }
}

Arg to_arg(const c10::IValue& value, c10::TypeKind kind, const TensorToArg& tensor) {
  if (value.isNone() || value.isDevice() || value.isGenerator()) return {};
  if (value.isTensor()) return value.toTensor().defined() ? tensor(value.toTensor()) : Arg{};
  if (value.isInt()) {
    if (kind == c10::TypeKind::LayoutType) return {};
    if (kind == c10::TypeKind::MemoryFormatType) {
      const auto name = memory_format_name(static_cast<at::MemoryFormat>(value.toInt()));
      return name.empty() ? Arg{} : Arg{std::string(name)};
    }
    if (kind == c10::TypeKind::ScalarTypeType) {
      return {to_dtype(static_cast<at::ScalarType>(value.toInt()))};
    }
    return {value.toInt()};
  }
  if (value.isSymInt()) return {value.toSymInt().guard_int(__FILE__, __LINE__)};
  if (value.isDouble()) return {value.toDouble()};
  if (value.isBool()) return {value.toBool()};
  if (value.isString()) return {value.toStringRef()};
  if (value.isList()) {
    ArgList list;
    for (const c10::IValue& element : value.toListRef()) {
      list.push_back(to_arg(element, kind, tensor));
    }
    return {std::move(list)};
  }
  throw UserError({}, "an argument of type " + value.tagKind() + " cannot be captured",
                  "pass tensors, real numbers, bools, strings or lists of them");
}

}  // namespace

Arg to_arg(const c10::IValue& value, const c10::Argument& schema, const TensorToArg& tensor) {
  return to_arg(value, element_kind(schema), tensor);
}

Arg int_list(const std::vector<int64_t>& values) {
  ArgList list(values.size());
  for (size_t i = 0; i < values.size(); ++i) list[i].value = values[i];
  return {std::move(list)};
}

void for_each_tensor(const c10::IValue& value,
                     const std::function<void(const at::Tensor&)>& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, visit);
  }
}

}  // namespace assay
