// Operators that find elements, and reads and writes at indices.
#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

// Of a bool tensor, its elements in order; what is not there is not found.
Extent found_in(Call& call, const Padded& flags) {
  Emitter& emit = call.p.emit();
  std::vector<size_t> all;
  for (size_t dim = 0; dim < flags.rank(); ++dim) all.push_back(dim);
  const int64_t count = element_count(emit.shape(flags.id));
  TensorId mask = emit.dtype(flags.id) == DType::kBool
                      ? flags.id
                      : emit.call("aten.ne.Scalar", {tensor_arg(flags.id), {int64_t{0}}},
                                  DType::kBool, emit.shape(flags.id));
  if (const TensorId there = call.p.mask_of(flags, all); there != kNone)
    mask = emit.both(mask, emit.expand(there, emit.shape(flags.id)));
  return {count, emit.reshape(mask, {count}), false};
}

// Coordinate `dim` of the elements of a shape in order.
TensorId coordinate(Emitter& emit, const Shape& shape, size_t dim) {
  Shape along(shape.size(), 1);
  along[dim] = shape[dim];
  const TensorId at = emit.expand(emit.reshape(emit.arange(shape[dim]), along), shape);
  return emit.reshape(at, {element_count(shape)});
}

// The coordinates of padded dimensions that are not packed are no positions.
TensorId position_of(Call& call, const Padded& x, size_t dim) {
  Emitter& emit = call.p.emit();
  const TensorId at = coordinate(emit, bounds_of(x.dims), dim);
  if (x.dims[dim].packed) return at;
  return emit.take(call.p.position(x.dims[dim]), 0, at);
}

void nonzero(Call& call) {
  const Padded x = call.tensor(0, "self");
  const Extent found = found_in(call, x);
  Emitter& emit = call.p.emit();
  std::vector<TensorId> columns;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    columns.push_back(emit.reshape(position_of(call, x, dim), {found.bound, 1}));
  if (columns.empty()) call.p.fail("of a number has no rule");
  call.p.define(call.recorded()[0], found);
  call.p.set_result(0, {emit.cat(columns, 1), {found, {static_cast<int64_t>(x.rank())}}});
}

void masked_select(Call& call) {
  Padded x = call.tensor(0, "self"), flags = call.tensor(1, "mask");
  Emitter& emit = call.p.emit();
  const Shape shape = broadcast_shape(bounds_of(x.dims), bounds_of(flags.dims));
  for (Padded* one : {&x, &flags}) {
    if (one->is_ragged() && (x.dims != flags.dims))
      call.p.fail("selects from a tensor by a mask of another size");
    one->id = emit.expand(one->id, shape);
    if (!one->is_ragged()) one->dims = known_extents(shape);
  }
  const Extent found = found_in(call, flags);
  call.p.define(call.recorded()[0], found);
  call.p.set_result(0, {emit.reshape(x.id, {found.bound}), {found}});
}

struct Indices {
  size_t first = 0;             // dimension of the table
  std::vector<Padded> tensors;  // one a dimension from there on, or one of flags
};

Indices indices_of(Call& call) {
  Indices result;
  bool ended = false;
  size_t dim = 0;
  for (const Arg& arg : call.list(1, "indices")) {
    if (arg.is_none()) {
      if (result.tensors.empty()) {
        ++result.first;
      } else {
        ended = true;
      }
    } else if (ended) {
      call.p.fail("indices of dimensions that are apart have no rule where sizes depend on values");
    } else {
      result.tensors.push_back(call.tensor(arg));
    }
    ++dim;
  }
  if (result.tensors.empty()) call.p.fail("no index is given");
  return result;
}

}  // namespace

void refuse_byte_flags(Call& call, const Padded& index) {
  if (call.p.emit().dtype(index.id) == DType::kUint8)
    call.p.fail("flags of type uint8 have no rule", "give a mask of type bool");
}

namespace {

bool is_mask(Call& call, const Indices& indices) {
  const auto flag = [&](const Padded& one) { return is_bool(call.p.emit().dtype(one.id)); };
  for (const Padded& one : indices.tensors) refuse_byte_flags(call, one);
  if (std::ranges::none_of(indices.tensors, flag)) return false;
  if (indices.tensors.size() != 1) call.p.fail("a mask beside other indices has no rule");
  return true;
}

// The dimensions that the mask covers as one.
Padded flat_rows(Call& call, const Padded& x, const Indices& indices) {
  const Padded& flags = indices.tensors[0];
  const size_t first = indices.first, last = first + flags.rank();
  if (last > x.rank()) call.p.fail("a mask with more dimensions than what it selects from");
  for (size_t dim = first; dim < last; ++dim)
    if (x.dims[dim] != flags.dims[dim - first])
      call.p.fail("a mask of another size than what it selects from");
  const Extent found = found_in(call, flags);
  std::vector<Extent> dims(x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(first));
  dims.push_back(found);
  dims.insert(dims.end(), x.dims.begin() + static_cast<std::ptrdiff_t>(last), x.dims.end());
  return {call.p.emit().reshape(x.id, bounds_of(dims)), dims};
}

// Integer indices broadcast against each other; the dimensions of the result.
std::vector<Extent> broadcast(Call& call, std::vector<Padded>& tensors) {
  size_t rank = 0;
  for (const Padded& one : tensors) rank = std::max(rank, one.rank());
  std::vector<Extent> dims(rank, Extent{1});
  for (size_t dim = 0; dim < rank; ++dim) {
    std::vector<std::pair<Padded*, size_t>> along;
    for (Padded& one : tensors) {
      if (one.rank() + dim < rank) continue;
      const size_t own = dim + one.rank() - rank;
      if (one.dims[own] != Extent{1}) along.emplace_back(&one, own);
    }
    if (!along.empty()) dims[dim] = call.p.unify(along);
  }
  return dims;
}

void index(Call& call) {
  Padded x = call.tensor(0, "self");
  Indices indices = indices_of(call);
  if (is_mask(call, indices)) {
    const Padded rows = flat_rows(call, x, indices);
    call.p.define(call.recorded()[indices.first], rows.dims[indices.first]);
    return call.p.set_result(0, rows);
  }
  const std::vector<Extent> at = broadcast(call, indices.tensors);
  ArgList list(indices.first, Arg{});
  for (size_t i = 0; i < indices.tensors.size(); ++i) {
    x = call.p.packed(x, indices.first + i);
    list.push_back(tensor_arg(legal_index(call, indices.tensors[i], x.dims.at(indices.first + i))));
  }
  std::vector<Extent> dims = x.dims;
  const auto begin = dims.begin() + static_cast<std::ptrdiff_t>(indices.first);
  dims.erase(begin, begin + static_cast<std::ptrdiff_t>(indices.tensors.size()));
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(indices.first), at.begin(), at.end());
  const TensorId rows =
      call.p.emit().call("aten.index.Tensor", {tensor_arg(x.id), {std::move(list)}},
                         call.p.emit().dtype(x.id), bounds_of(dims));
  call.p.set_result(0, {rows, dims});
}

void index_select(Call& call) {
  const Padded& self = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", self.rank(), 0);
  const Padded& index = call.tensor(2, "index");
  Padded rows = call.p.packed(self, dim);
  rows.id = call.p.emit().take(rows.id, static_cast<int64_t>(dim),
                               legal_index(call, index, rows.dims[dim]));
  rows.dims[dim] = index.rank() == 0 ? Extent{1} : index.dims[0];
  call.p.set_result(0, rows);
}

void embedding(Call& call) {
  const Padded& table = call.tensor(0, "weight");
  const Padded& index = call.tensor(1, "indices");
  call.follows(2, "padding_idx");
  call.follows(3, "scale_grad_by_freq");
  call.follows(4, "sparse");
  if (table.is_ragged()) call.p.fail("a table of a size that depends on values has no rule");
  std::vector<Extent> dims = index.dims;
  dims.push_back(table.dims[1]);
  Emitter& emit = call.p.emit();
  const TensorId rows =
      emit.call("aten.embedding.default",
                {tensor_arg(table.id), tensor_arg(legal_index(call, index, table.dims[0]))},
                emit.dtype(table.id), bounds_of(dims));
  call.p.set_result(0, {rows, dims});
}

// Along a dimension, an element for each index.
void gather(Call& call) {
  const Padded& self = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", self.rank(), 0);
  const Padded& index = call.tensor(2, "index");
  call.follows(3, "sparse_grad");
  for (size_t i = 0; i < self.rank(); ++i)
    if (i != dim && self.dims[i] != index.dims.at(i))
      call.p.fail("indices of another size than what they read have no rule");
  const Padded rows = call.p.packed(self, dim);
  Emitter& emit = call.p.emit();
  const TensorId found = emit.call("aten.gather.default",
                                   {tensor_arg(rows.id),
                                    {static_cast<int64_t>(dim)},
                                    tensor_arg(legal_index(call, index, rows.dims[dim]))},
                                   emit.dtype(rows.id), bounds_of(index.dims));
  call.p.set_result(0, {found, index.dims});
}

const Rules kReads = {
    {"aten.nonzero", nonzero},     {"aten.masked_select", masked_select},
    {"aten.index", index},         {"aten._unsafe_index", index},
    {"aten.embedding", embedding}, {"aten.index_select", index_select},
    {"aten.gather", gather},
};

}  // namespace

TensorId legal_index(Call& call, const Padded& index, const Extent& table) {
  Emitter& emit = call.p.emit();
  TensorId at = emit.cast(call.p.filled(index), DType::kInt64);
  if (!table.is_known()) {
    const TensorId inside = emit.both(emit.compare("ge", at, emit.number(0)),
                                      emit.compare("lt", at, call.p.count(table)));
    // Of the elements that are not there, 0 is in no table that is empty.
    std::vector<size_t> all;
    for (size_t dim = 0; dim < index.rank(); ++dim) all.push_back(dim);
    TensorId outside = emit.call("aten.logical_not.default", {tensor_arg(inside)}, DType::kBool,
                                 emit.shape(inside));
    if (const TensorId there = call.p.mask_of(index, all); there != kNone)
      outside = emit.both(outside, there);
    std::vector<int64_t> axes;
    for (size_t dim = 0; dim < emit.shape(outside).size(); ++dim)
      axes.push_back(static_cast<int64_t>(dim));
    call.p.demand(emit.compare("eq", emit.sum(outside, axes), emit.number(0)));
    const Arg low{int64_t{0}}, high{table.bound - 1};
    at =
        emit.call("aten.clamp.default", {tensor_arg(at), low, high}, DType::kInt64, emit.shape(at));
  }
  return at;
}

const Rules& index_rules() { return kReads; }

}  // namespace assay::unbacked
