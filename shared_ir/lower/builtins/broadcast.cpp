#include "shared_ir/lower/builtins/broadcast.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/lower/build/promotion.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {

Shape broadcast_shape(const Call& call, const std::vector<Shape>& shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t lead = result.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      Int& size = result[lead + i];
      if (size == 1) size = shape[i];
      if (shape[i] != 1 && shape[i] != size)
        call.fail(fmt::format("shapes [{}] and [{}] do not broadcast", fmt::join(shape, ", "),
                              fmt::join(result, ", ")));
    }
  }
  return result;
}

CoreId broadcast_to(Builder& builder, CoreId x, const Shape& shape) {
  Shape own = builder.shape(x);
  own.insert(own.begin(), shape.size() - own.size(), 1);
  return builder.expand(builder.reshape(x, own), shape);
}

namespace {

DType type_of_number(const Call& call, size_t i) {
  if (call[i].get_if<Int>()) return DType::kInt64;  // of any size
  if (call[i].get_if<bool>()) return DType::kBool;
  call.number(i);  // or says what it is
  return DType::kFloat32;
}

}  // namespace

DType promoted_dtype(Call& call, size_t first) {
  Promotion promotion;
  for (size_t i = first; i < call.size(); ++i) {
    if (const TensorRef* tensor = call.tensor_if(i)) {
      promotion.add_tensor(call.builder().dtype(tensor->id), call.builder().rank(tensor->id) > 0);
    } else {
      promotion.add_number(type_of_number(call, i));
    }
  }
  return promotion.result();
}

CoreId constant_of_number(Call& call, size_t i, DType dtype, const Shape& shape) {
  Builder& builder = call.builder();
  const Int* integer = call[i].get_if<Int>();
  return integer ? builder.constant(Rational(*integer), dtype, shape)
                 : builder.constant(call.number(i), dtype, shape);
}

AlikeOperands alike_operands(Call& call, size_t first, bool floating) {
  Builder& builder = call.builder();
  AlikeOperands result;
  result.dtype = promoted_dtype(call, first);
  if (floating && !is_floating(result.dtype)) result.dtype = DType::kFloat32;
  std::vector<Shape> shapes;
  for (size_t i = first; i < call.size(); ++i)
    if (const TensorRef* tensor = call.tensor_if(i)) shapes.push_back(builder.shape(tensor->id));
  if (shapes.empty()) call.fail("needs a tensor");
  Shape shape = broadcast_shape(call, shapes);
  for (size_t i = first; i < call.size(); ++i) {
    const TensorRef* tensor = call.tensor_if(i);
    result.ids.push_back(tensor
                             ? broadcast_to(builder, builder.cast(tensor->id, result.dtype), shape)
                             : constant_of_number(call, i, result.dtype, shape));
  }
  return result;
}

}  // namespace assay::lowering
