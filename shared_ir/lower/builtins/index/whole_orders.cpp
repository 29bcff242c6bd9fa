#include "shared_ir/lower/builtins/index/whole_orders.h"

#include "shared_ir/cast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/constant_values.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// Whether each element is its coordinate in dimension `dim`.
bool counts_along(const Builder& builder, CoreId id, Int dim) {
  const auto values = constant_values(builder.program(), id);
  if (!values) return false;
  const Shape& shape = builder.shape(id);
  size_t behind = 1;
  for (size_t i = static_cast<size_t>(dim) + 1; i < shape.size(); ++i)
    behind *= static_cast<size_t>(shape[i]);
  const auto rows = static_cast<size_t>(shape[static_cast<size_t>(dim)]);
  for (size_t i = 0; i < values->size(); ++i)
    if ((*values)[i] != static_cast<double>(i / behind % rows)) return false;
  return true;
}

}  // namespace

bool is_whole_order(const Builder& builder, CoreId ids, Int dim, Int rows) {
  // Integers that a cast does not fit wrap, and may meet then.
  while (builder.op(ids).prim == Prim::kCast && builder.dtype(ids) == DType::kInt64)
    ids = builder.op(ids).operands[0];
  return builder.op(ids).prim == Prim::kBlock && builder.shape(ids)[dim] == rows &&
         are_places_of_an_order(builder.program(), ids, static_cast<size_t>(dim));
}

std::optional<CoreId> inverse_of_order(Call& call, CoreId ids, Int dim, CoreId values) {
  Builder& builder = call.builder();
  if (builder.shape(ids) != builder.shape(values) || !is_integer(builder.dtype(values)) ||
      !counts_along(builder, values, dim))
    return std::nullopt;
  const DType dtype = builder.dtype(values);
  Call inverse(call.context(), "argsort",
               {Value{std::string("argsort(false)")}, Value{dim}, tensor_value(ids)});
  const Value places = find_builtin("int_block_along")->function(inverse);
  return builder.cast(places.get_if<TensorRef>()->id, dtype);
}

namespace {

Value is_order_of_all(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0), ids = call.tensor(2), src = call.tensor(3);
  if (builder.rank(x) == 0 || builder.rank(ids) != builder.rank(x)) return {false};
  const Int dim = call.dim(1, builder.rank(x));
  return {builder.shape(ids) == builder.shape(x) && builder.shape(src) == builder.shape(x) &&
          is_whole_order(builder, ids, dim, builder.shape(x)[dim])};
}

Value put_in_order(Call& call) {
  Builder& builder = call.builder();
  const CoreId x = call.tensor(0), ids = call.tensor(2), src = call.tensor(3);
  const Int dim = call.dim(1, builder.rank(x));
  if (const auto inverse = inverse_of_order(call, ids, dim, src))
    return tensor_value(builder.cast(*inverse, builder.dtype(x)));
  const CoreId zeros = builder.constant(Rational(0), builder.dtype(x), builder.shape(x));
  Call added(call.context(), "scatter_add",
             {tensor_value(zeros), Value{dim}, tensor_value(ids), tensor_value(src)});
  return find_builtin("scatter_add")->function(added);
}

constexpr Builtin kOrderBuiltins[] = {
    {"is_order_of_all", 4, 4, is_order_of_all, Effect::kMakes,
     "is_order_of_all(x, dim, ids, src): whether a scatter of src writes each element of x once, "
     "at "
     "the places of an order"},
    {"put_in_order", 4, 4, put_in_order, Effect::kSums,
     "put_in_order(x, dim, ids, src): what such a scatter makes of x"},
};

}  // namespace

std::span<const Builtin> order_builtins() { return kOrderBuiltins; }

}  // namespace assay::lowering
