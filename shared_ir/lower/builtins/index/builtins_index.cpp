// Builtins that read or write at integer indices: contractions with the one-hot matrix of the
// indices. They mean what the operator means as long as each index lies in its table's range, which
// is noted as an assumption; indices that the program itself gives are held against it.
#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "shared_ir/lower/build/contract.h"
#include "shared_ir/lower/builtins/broadcast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/builtins/constant_values.h"
#include "shared_ir/lower/builtins/index/checked_indices.h"
#include "shared_ir/lower/builtins/index/constant_rows.h"
#include "shared_ir/lower/builtins/index/whole_orders.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

std::vector<int32_t> labels_from(int32_t first, size_t count) {
  std::vector<int32_t> labels(count);
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

Value one_hot(Call& call) {
  if (call.integer(1) < 1) call.fail("the number of classes must be given");
  return tensor_value(one_hot_of(call, call.tensor(0), call.integer(1), call.dtype_or_recorded(2),
                                 beside_rows(call, 3, call.integer(1))));
}

// What one-hots that read x are made in: of infinities, what they leave out must not be multiplied
// by 0.
DType reading_dtype(Call& call, CoreId x) {
  return call.builder().may_be_infinite(x) ? DType::kBool : call.builder().dtype(x);
}

// Which dimensions of a tensor are indexed, by what: tensors of one shape.
struct Indexing {
  std::vector<Int> dims;  // ascending, adjacent
  std::vector<CoreId> ids;
  std::optional<Int> beside = std::nullopt;  // what an index may be that is no row
};

bool is_full_iota(const Builder& builder, CoreId ids, Int size) {
  return builder.op(ids).prim == Prim::kIota && builder.shape(ids) == Shape{size};
}

// The contraction of one-hots that Indexing is. Labels: 0... dimensions of the tensor, then those
// of the ids. An index that counts through its whole dimension is that dimension: it needs no
// one-hot.
struct IndexLabels {
  std::vector<Factor> one_hots;
  std::vector<int32_t> table;  // of the indexed tensor
  std::vector<int32_t>
      indexed;  // of the result: unindexed leading, ids, unindexed trailing dimensions
};

// The one-hots are of that type.
IndexLabels label_indices(Call& call, CoreId x, const Indexing& indexing, DType dtype) {
  Builder& builder = call.builder();
  IndexLabels result;
  Int rank = builder.rank(x);
  result.table = labels_from(0, rank);
  std::vector<int32_t> ids = labels_from(static_cast<int32_t>(rank), builder.rank(indexing.ids[0]));
  for (size_t i = 0; i < indexing.dims.size(); ++i) {
    Int dim = indexing.dims[i], size = builder.shape(x)[dim];
    if (is_full_iota(builder, indexing.ids[i], size) &&
        std::count(result.table.begin(), result.table.end(), ids[0]) == 0) {
      result.table[dim] = ids[0];
      continue;
    }
    std::vector<int32_t> labels = ids;
    labels.push_back(static_cast<int32_t>(dim));
    result.one_hots.push_back(
        {one_hot_of(call, indexing.ids[i], size, dtype, indexing.beside), std::move(labels)});
  }
  for (Int dim = 0; dim < indexing.dims[0]; ++dim)
    result.indexed.push_back(static_cast<int32_t>(dim));
  result.indexed.insert(result.indexed.end(), ids.begin(), ids.end());
  for (Int dim = indexing.dims.back() + 1; dim < rank; ++dim)
    result.indexed.push_back(static_cast<int32_t>(dim));
  return result;
}

CoreId read_at(Builder& builder, CoreId x, const IndexLabels& labels) {
  std::vector<Factor> factors = labels.one_hots;
  factors.push_back({x, labels.table});
  return contract(builder, factors, labels.indexed);
}

CoreId written_at(Builder& builder, CoreId values, const IndexLabels& labels) {
  std::vector<Factor> factors = labels.one_hots;
  factors.push_back({values, labels.indexed});
  return contract(builder, factors, labels.table);
}

Value take(Call& call) {
  CoreId x = call.tensor(0);
  if (call.builder().rank(x) == 0) call.fail("the tensor has no dimensions");
  const Int dim = call.dim(1, call.builder().rank(x));
  Indexing indexing{{dim},
                    {checked_ids(call, call.tensor(2))},
                    beside_rows(call, 3, call.builder().shape(x)[dim])};
  if (const auto rows = read_rows(call.builder(), x, dim, indexing.ids[0]))
    return tensor_value(*rows);
  return tensor_value(
      read_at(call.builder(), x, label_indices(call, x, indexing, reading_dtype(call, x))));
}

// The gradient of take(x, 0, ids) for x of `rows` rows.
Value take_backward(Call& call) {
  Builder& builder = call.builder();
  CoreId gradient = call.tensor(0), ids = call.tensor(1);
  Int rows = call.integer(2), lead = builder.rank(ids), rank = builder.rank(gradient);
  const Shape& shape = builder.shape(gradient);
  if (rank < lead ||
      !std::equal(builder.shape(ids).begin(), builder.shape(ids).end(), shape.begin()))
    call.fail("the gradient's leading dimensions are not those of the indices");
  if (rows < 1) call.fail("the table has no rows");
  if (const auto sums = added_rows(builder, gradient, ids, rows)) return tensor_value(*sums);
  std::vector<int32_t> labels = labels_from(0, rank), one_hot_labels = labels_from(0, lead);
  auto row = static_cast<int32_t>(rank);
  one_hot_labels.push_back(row);
  std::vector<int32_t> output{row};
  output.insert(output.end(), labels.begin() + lead, labels.end());
  CoreId one_hots = one_hot_of(call, ids, rows, builder.dtype(gradient));
  return tensor_value(contract(builder, {{one_hots, one_hot_labels}, {gradient, labels}}, output));
}

// x cut to the sizes of `ids` off `dim`.
CoreId cut_to(Call& call, CoreId x, CoreId ids, Int dim) {
  Builder& builder = call.builder();
  if (builder.rank(x) != builder.rank(ids))
    call.fail("indices and tensor have different numbers of dimensions");
  for (Int i = 0; i < builder.rank(x); ++i) {
    Int size = builder.shape(ids)[i];
    if (i == dim) continue;
    if (size > builder.shape(x)[i]) call.fail("there are more indices than rows");
    x = builder.slice(x, i, 0, 1, size);
  }
  return x;
}

// Element c of the result is x at c, with the index at c in place of c[dim].
Value gather(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0), ids = checked_ids(call, call.tensor(2));
  Int rank = builder.rank(x), dim = call.dim(1, rank);
  if (rank == 0) return tensor_value(x);
  x = cut_to(call, x, ids, dim);
  std::vector<int32_t> table = labels_from(0, rank), output = table;
  table[dim] = static_cast<int32_t>(rank);
  std::vector<int32_t> one_hot_labels = output;
  one_hot_labels.push_back(static_cast<int32_t>(rank));
  const Int rows = builder.shape(x)[dim];
  CoreId one_hots = one_hot_of(call, ids, rows, reading_dtype(call, x), beside_rows(call, 3, rows));
  return tensor_value(contract(builder, {{one_hots, one_hot_labels}, {x, table}}, output));
}

// Flags add up as numbers, and are true again where the sum is not 0.
CoreId summable(Builder& builder, CoreId x) {
  return is_bool(builder.dtype(x)) ? builder.cast(x, DType::kInt64) : x;
}

// x with src at c added to the element whose coordinate in `dim` is the index at c.
Value scatter_add(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0), ids = checked_ids(call, call.tensor(2)), src = call.tensor(3);
  Int rank = builder.rank(x), dim = call.dim(1, rank);
  if (rank == 0) call.unsupported("a scatter into a scalar");
  if (builder.rank(src) != rank || builder.rank(ids) != rank)
    call.fail("the tensors' numbers of dimensions differ");
  for (Int i = 0; i < rank; ++i) {
    if (builder.shape(ids)[i] > builder.shape(src)[i])
      call.fail("there are more indices than values");
    src = builder.slice(src, i, 0, 1, builder.shape(ids)[i]);
    if (i != dim && builder.shape(ids)[i] != builder.shape(x)[i])
      call.unsupported("scatter into a corner");
  }
  const DType dtype = builder.dtype(x);
  src = summable(builder, builder.cast(src, dtype));
  x = summable(builder, x);
  std::vector<int32_t> from = labels_from(0, rank), one_hot_labels = from, output = from;
  one_hot_labels.push_back(static_cast<int32_t>(rank));
  output[dim] = static_cast<int32_t>(rank);
  CoreId one_hots = one_hot_of(call, ids, builder.shape(x)[dim], reading_dtype(call, src));
  CoreId sum = contract(builder, {{one_hots, one_hot_labels}, {src, from}}, output);
  return tensor_value(builder.cast(builder.linear({x, sum}, {Rational(1), Rational(1)}), dtype));
}

// The integer tensors of an index list, broadcast to one shape.
Indexing indexing_of(Call& call, CoreId x, const ValueList& list) {
  Builder& builder = call.builder();
  if (static_cast<Int>(list.size()) > builder.rank(x))
    call.fail("there are more indices than dimensions");
  Indexing result;
  std::vector<Shape> shapes;
  for (size_t dim = 0; dim < list.size(); ++dim) {
    const TensorRef* ids = list[dim].get_if<TensorRef>();
    if (!ids) continue;
    // PyTorch takes integers of 8 bits without a sign for flags.
    if (is_bool(builder.dtype(ids->id)) || builder.dtype(ids->id) == DType::kUint8)
      call.unsupported("a mask as index has a shape that depends on data");
    if (!result.dims.empty() && result.dims.back() + 1 != static_cast<Int>(dim))
      call.unsupported("indices of dimensions that are not adjacent");
    result.dims.push_back(static_cast<Int>(dim));
    const CoreId checked = checked_ids(call, ids->id);
    const Int rows = builder.shape(x)[static_cast<Int>(dim)];
    // Values are looked at only where they may matter: they hold at these sizes alone.
    result.ids.push_back(
        is_full_iota(builder, checked, rows) ? checked : from_the_start(builder, checked, rows));
    shapes.push_back(builder.shape(ids->id));
  }
  if (result.dims.empty()) call.fail("no dimension is indexed");
  Shape shape = broadcast_shape(call, shapes);
  for (CoreId& ids : result.ids) ids = broadcast_to(builder, ids, shape);
  return result;
}

Value index(Call& call) {
  CoreId x = call.tensor(0);
  Indexing indexing = indexing_of(call, x, call.list(1));
  if (indexing.dims.size() == 1 &&
      !is_full_iota(call.builder(), indexing.ids[0], call.builder().shape(x)[indexing.dims[0]]))
    if (const auto rows = read_rows(call.builder(), x, indexing.dims[0], indexing.ids[0]))
      return tensor_value(*rows);
  return tensor_value(
      read_at(call.builder(), x, label_indices(call, x, indexing, reading_dtype(call, x))));
}

// x where the mask, over its leading dimensions, is false, else the value.
Value masked(Call& call, CoreId x, CoreId mask, CoreId value) {
  Builder& builder = call.builder();
  Shape shape = builder.shape(mask);
  if (shape.size() > builder.shape(x).size() ||
      !std::equal(shape.begin(), shape.end(), builder.shape(x).begin()))
    call.fail("the mask's dimensions are not the leading ones of the tensor");
  if (element_count(builder.shape(value)) != 1)
    call.unsupported("values put under a mask, more than one");
  shape.resize(builder.shape(x).size(), 1);
  Call choice(
      call.context(), "index_put",
      {tensor_value(builder.reshape(mask, shape)),
       tensor_value(builder.cast(builder.reshape(value, {}), builder.dtype(x))), tensor_value(x)});
  return find_builtin("where")->function(choice);
}

// Without accumulation: x + onehot * (value - what was there), exact where no element is written
// twice.
Value index_put(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0), values = call.tensor(2);
  const ValueList& list = call.list(1);
  bool accumulate = call.flag(3);
  const TensorRef* mask = list.size() == 1 ? list[0].get_if<TensorRef>() : nullptr;
  if (mask && is_bool(builder.dtype(mask->id)) && !accumulate)
    return masked(call, x, mask->id, values);
  Indexing indexing = indexing_of(call, x, list);
  const DType dtype = builder.dtype(x);
  values = summable(builder, builder.cast(values, dtype));
  x = summable(builder, x);
  Shape indexed = builder.shape(x), ids_shape = builder.shape(indexing.ids[0]);
  const auto first = indexed.begin() + indexing.dims[0];
  indexed.insert(indexed.erase(first, first + static_cast<Int>(indexing.dims.size())),
                 ids_shape.begin(), ids_shape.end());
  values = broadcast_to(builder, values, broadcast_shape(call, {builder.shape(values), indexed}));
  if (builder.shape(values) != indexed) call.fail("the values do not fit the indices");
  const Int dim = indexing.dims[0];
  if (indexing.dims.size() == 1 && !is_full_iota(builder, indexing.ids[0], builder.shape(x)[dim]))
    if (const auto rows = written_rows(call, x, dim, indexing.ids[0], values, accumulate))
      return tensor_value(builder.cast(*rows, dtype));
  IndexLabels labels = label_indices(
      call, x, indexing, builder.may_be_infinite(x) ? DType::kBool : reading_dtype(call, values));
  if (!accumulate && indexing.ids.size() == 1 && ids_shape.size() == 1 &&
      is_whole_order(builder, indexing.ids[0], 0, builder.shape(x)[dim])) {
    if (const auto inverse = inverse_of_order(call, indexing.ids[0], 0, values))
      return tensor_value(builder.cast(*inverse, dtype));
    return tensor_value(builder.cast(written_at(builder, values, labels), dtype));
  }
  if (!accumulate) {
    CoreId old = read_at(builder, x, labels);
    bool rows_differ = labels.one_hots.size() < indexing.dims.size();
    const std::optional<bool> twice = name_a_place_twice(builder.program(), indexing.ids);
    if (twice.value_or(false)) call.unsupported("it writes an element twice");
    if (!rows_differ && !twice && element_count(ids_shape) > 1 &&
        !(indexing.ids.size() == 1 && builder.rank(indexing.ids[0]) == 1 &&
          are_places_of_an_order(builder.program(), indexing.ids[0], 0))) {
      Shape rows;
      for (const Int indexed_dim : indexing.dims) rows.push_back(builder.shape(x)[indexed_dim]);
      builder.assume_single_write("index_put", indexing.ids, std::move(rows));
    }
    values = builder.linear({values, old}, {Rational(1), Rational(-1)});
  }
  const CoreId sum =
      builder.linear({x, written_at(builder, values, labels)}, {Rational(1), Rational(1)});
  return tensor_value(builder.cast(sum, dtype));
}

// The gather of HLO where it takes whole rows along one dimension: start indices [..,
// index_vector_dim = last].
Value gather_rows(Call& call) {
  Builder& builder = call.builder();
  CoreId x = call.tensor(0), ids = checked_ids(call, call.tensor(1));
  std::vector<Int> offsets = call.integers(2), collapsed = call.integers(3),
                   started = call.integers(4);
  Shape slices = builder.shape(x), ids_shape = builder.shape(ids);
  Int vector_dim = call.integer(5), rank = builder.rank(x);
  if (collapsed.size() != 1 || collapsed != started)
    call.unsupported("a gather of more than whole rows");
  Int dim = call.existing_dim(collapsed[0], rank);
  slices[dim] = 1;
  if (call.sizes(6) != slices) call.unsupported("a gather of parts of rows");
  if (vector_dim == builder.rank(ids) - 1 && ids_shape.back() == 1) {
    ids_shape.pop_back();
    ids = builder.reshape(ids, ids_shape);
  } else if (vector_dim != builder.rank(ids)) {
    if (vector_dim < 0 || vector_dim > builder.rank(ids))
      call.fail(fmt::format("index_vector_dim {} of indices of {} dimensions", vector_dim,
                            builder.rank(ids)));
    call.unsupported("a gather by vectors of several indices, or not the last dimension's");
  }
  // The result's dimensions: those of the row at `offsets`, those of the ids in between.
  IndexLabels labels = label_indices(call, x, {{dim}, {ids}}, reading_dtype(call, x));
  size_t result_rank = ids_shape.size() + offsets.size();
  if (static_cast<Int>(offsets.size()) != rank - 1 ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    call.fail("an offset is needed for each dimension of a row");
  std::vector<int32_t> output;
  auto id_label = static_cast<int32_t>(rank), row_label = int32_t{0};
  for (size_t i = 0; i < result_rank; ++i) {
    if (std::binary_search(offsets.begin(), offsets.end(), static_cast<Int>(i))) {
      if (row_label == dim) ++row_label;
      output.push_back(row_label++);
    } else {
      output.push_back(id_label++);
    }
  }
  if (static_cast<size_t>(id_label) != rank + ids_shape.size())
    call.fail("offsets beyond the result");
  labels.indexed = output;
  return tensor_value(read_at(builder, x, labels));
}

constexpr Builtin kIndexBuiltins[] = {
    {"one_hot", 3, 4, one_hot, Effect::kSelects,
     "one_hot(ids, classes, dtype, ignore_index=none): [ids..., classes], 1 where the index is the "
     "class; all 0 at an ignore_index that is no class"},
    {"take", 3, 4, take, Effect::kLooksUp,
     "take(x, dim, ids, ignore_index=none): rows of x; the ids' dimensions replace dim; 0 at an "
     "ignore_index that is no row"},
    {"take_backward", 3, 3, take_backward, Effect::kSums,
     "take_backward(g, ids, rows): the gradient of take(x, 0, ids)"},
    {"gather", 3, 4, gather, Effect::kLooksUp,
     "gather(x, dim, ids, ignore_index=none): x at the index in place of the coordinate in dim; 0 "
     "at an ignore_index that is no row"},
    {"scatter_add", 4, 4, scatter_add, Effect::kSums,
     "scatter_add(x, dim, ids, src): src added where the ids say"},
    {"index", 2, 2, index, Effect::kLooksUp,
     "index(x, [ids or none, ...]): x at the indices of adjacent dimensions"},
    {"index_put", 4, 4, index_put, Effect::kSums,
     "index_put(x, [ids or none, ...] or [mask], values, accumulate)"},
    {"gather_rows", 7, 7, gather_rows, Effect::kLooksUp,
     "gather_rows(x, ids, offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim, "
     "slice_sizes)"},
};

}  // namespace

std::span<const Builtin> index_builtins() { return kIndexBuiltins; }

}  // namespace assay::lowering
