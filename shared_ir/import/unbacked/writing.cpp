// Writes at indices. What is not there writes zeros into row 0, which adds nothing.
#include <algorithm>
#include <limits>
#include <map>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

void index_add(Call& call) {
  const size_t dim = call.dim(1, "dim", call.tensor(0, "self").rank(), 0);
  const Padded self = call.p.packed(call.tensor(0, "self"), dim);
  Padded index = call.tensor(2, "index"), source = call.tensor(3, "source");
  if (!call.is_one(4, "alpha")) call.p.fail("a factor has no rule where sizes depend on values");
  if (index.rank() != 1) call.p.fail("adds at more than one row of indices");
  for (size_t i = 0; i < self.rank(); ++i)
    if (i != dim && self.dims[i] != source.dims.at(i))
      call.p.fail("adds rows of another size than those that it adds to");
  call.p.unify({{&index, 0}, {&source, dim}});
  Emitter& emit = call.p.emit();
  const TensorId sum = emit.call("aten.index_add.default",
                                 {tensor_arg(self.id),
                                  {static_cast<int64_t>(dim)},
                                  tensor_arg(legal_index(call, index, self.dims[dim])),
                                  tensor_arg(call.p.filled(source, {dim}))},
                                 emit.dtype(self.id), bounds_of(self.dims));
  call.p.set_result(0, {sum, self.dims});
}

void scatter_add(Call& call) {
  const Padded& self = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", self.rank(), 0);
  const Padded &index = call.tensor(2, "index"), &source = call.tensor(3, "src");
  if (index.dims != source.dims || self.is_ragged())
    call.p.fail("adds into a tensor of an unknown size, or what has another size than its indices");
  Emitter& emit = call.p.emit();
  const TensorId sum = emit.call("aten.scatter_add.default",
                                 {tensor_arg(self.id),
                                  {static_cast<int64_t>(dim)},
                                  tensor_arg(emit.cast(call.p.filled(index), DType::kInt64)),
                                  tensor_arg(call.p.filled(source))},
                                 emit.dtype(self.id), bounds_of(self.dims));
  call.p.set_result(0, {sum, self.dims});
}

// The rows of a tensor in their order as those of an extent, of which there must be as many, or no
// more.
TensorId rows_for(Call& call, const Padded& values, const Extent& extent, bool may_be_more) {
  if (values.dims[0] == extent) return values.id;
  Emitter& emit = call.p.emit();
  const Padded front = call.p.packed(values, 0);
  const TensorId here = call.p.count(values.dims[0]), wanted = call.p.count(extent);
  call.p.demand(emit.compare(may_be_more ? "ge" : "eq", here, wanted));
  const Arg low{int64_t{0}}, high{front.dims[0].bound - 1};
  const TensorId at =
      emit.call("aten.clamp.default", {tensor_arg(call.p.position(extent)), low, high},
                DType::kInt64, {extent.bound});
  return emit.take(front.id, 0, at);
}

// x[mask] = values, or += values: where the mask is set.
void put_by_mask(Call& call, const Padded& x, const Padded& flags, const Padded& values,
                 bool accumulate) {
  Emitter& emit = call.p.emit();
  for (size_t dim = 0; dim < flags.rank(); ++dim)
    if (dim >= x.rank() || x.dims[dim] != flags.dims[dim])
      call.p.fail("a mask of another size than what it selects from");
  Shape wide = emit.shape(flags.id);
  wide.resize(x.rank(), 1);
  const TensorId mask = emit.reshape(flags.id, wide);
  TensorId written = values.id;
  if (values.rank() > 0 && values.dims[0] != Extent{1}) {
    const int64_t count = element_count(emit.shape(flags.id));
    const Extent found{count, emit.reshape(flags.id, {count}), false};
    written = emit.reshape(rows_for(call, values, found, false), bounds_of(x.dims));
  }
  const TensorId result =
      accumulate
          ? emit.arithmetic("add", x.id,
                            emit.where(mask, written, emit.full({}, {0.0}, emit.dtype(x.id))))
          : emit.where(mask, written, x.id);
  call.p.set_result(0, {result, x.dims});
}

// The values of a mask, in its order, at its places.
void masked_scatter(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const Padded &flags = call.tensor(1, "mask"), &source = call.tensor(2, "source");
  Emitter& emit = call.p.emit();
  if (x.is_ragged() || flags.is_ragged()) call.p.fail("writes into a tensor of an unknown size");
  const Shape shape = broadcast_shape(bounds_of(x.dims), bounds_of(flags.dims));
  const TensorId mask = emit.expand(flags.id, shape);
  const int64_t count = element_count(shape);
  if (source.rank() != 1) call.p.fail("values with several dimensions have no rule");
  const Extent found{count, emit.reshape(mask, {count}), false};
  const TensorId rows = emit.reshape(rows_for(call, source, found, true), shape);
  call.p.set_result(0, {emit.where(mask, rows, x.id), known_extents(shape)});
}

struct Places {
  ArgList before;               // None, of dimensions that are written whole
  std::vector<Padded> indices;  // of the dimensions that follow
  std::vector<Extent> extents;  // of the indices together

  Arg list(const std::vector<TensorId>& tensors) const {
    ArgList all = before;
    for (const TensorId id : tensors) all.push_back(tensor_arg(id));
    return {std::move(all)};
  }
};

Places places_of(Call& call) {
  Places places;
  for (const Arg& arg : call.list(1, "indices")) {
    if (!arg.is_none()) {
      places.indices.push_back(call.tensor(arg));
    } else if (places.indices.empty()) {
      places.before.emplace_back();
    } else {
      call.p.fail("indices of dimensions that are apart have no rule where sizes depend on values");
    }
  }
  if (places.indices.empty()) call.p.fail("no index is given");
  return places;
}

// What is written twice is one of both: the program is defined where nothing is.
void index_put(Call& call) {
  Padded x = call.tensor(0, "self");
  Padded values = call.tensor(2, "values");
  const bool accumulate = call.flag(3, "accumulate");
  Emitter& emit = call.p.emit();
  Places places = places_of(call);
  for (const Padded& one : places.indices) refuse_byte_flags(call, one);
  if (is_bool(emit.dtype(places.indices[0].id))) {
    if (places.indices.size() != 1 || !places.before.empty())
      call.p.fail("a mask beside other indices has no rule");
    return put_by_mask(call, x, places.indices[0], values, accumulate);
  }
  // One extent for all indices, and for the values that go there: their dimensions are the last of
  // those that are written.
  const size_t first = places.before.size(), end = first + places.indices.size();
  if (end > x.rank()) call.p.fail("more indices than dimensions");
  const size_t written = x.rank() - places.indices.size() + 1;
  if (values.rank() > written) call.p.fail("values with more dimensions than they go to");
  const size_t left_out = written - values.rank();
  const bool spread = left_out > first || values.dims[first - left_out] == Extent{1};
  std::vector<std::pair<Padded*, size_t>> along;
  for (Padded& index : places.indices) {
    if (index.rank() != 1) call.p.fail("indices with more than one dimension have no rule");
    along.emplace_back(&index, 0);
  }
  if (!spread) along.emplace_back(&values, first - left_out);
  const Extent rows = call.p.unify(along);
  for (size_t dim = first; dim < end; ++dim) x = call.p.packed(x, dim);
  std::vector<Extent> wanted(x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(first));
  wanted.push_back(rows);
  wanted.insert(wanted.end(), x.dims.begin() + static_cast<std::ptrdiff_t>(end), x.dims.end());
  const TensorId one_row = values.id;
  values = {emit.expand(values.id, bounds_of(wanted)), wanted};
  std::vector<TensorId> at;
  for (size_t i = 0; i < places.indices.size(); ++i)
    at.push_back(legal_index(call, places.indices[i], x.dims[first + i]));
  const auto add = [&](TensorId to, const Arg& list, TensorId from) {
    return emit.call("aten.index_put.default", {tensor_arg(to), list, tensor_arg(from), {true}},
                     emit.dtype(to), emit.shape(to));
  };
  const TensorId source = call.p.filled(values, {first});
  if (accumulate) return call.p.set_result(0, {add(x.id, places.list(at), source), x.dims});
  Shape table, wide(x.rank(), 1);
  for (size_t dim = first; dim < end; ++dim) {
    table.push_back(x.dims[dim].bound);
    wide[dim] = x.dims[dim].bound;
  }
  const Arg whole = Places{}.list(at);
  const TensorId times = add(emit.full(table, {int64_t{0}}, DType::kInt64), whole,
                             emit.cast(call.p.mask(rows), DType::kInt64));
  const TensorId hit = emit.reshape(emit.compare("ne", times, emit.number(0)), wide);
  if (spread) {  // the same everywhere, however often
    Shape one = bounds_of(wanted), apart = bounds_of(x.dims);
    one[first] = 1;
    std::fill(apart.begin() + static_cast<std::ptrdiff_t>(first),
              apart.begin() + static_cast<std::ptrdiff_t>(end), 1);
    const TensorId row = emit.reshape(emit.expand(one_row, one), apart);
    return call.p.set_result(0, {emit.where(hit, row, x.id), x.dims});
  }
  std::vector<int64_t> axes;
  for (size_t dim = 0; dim < table.size(); ++dim) axes.push_back(static_cast<int64_t>(dim));
  call.p.assume(call.node.op + " writes no element twice");
  const TensorId twice = emit.compare("gt", times, emit.number(1));
  call.p.demand(emit.compare("eq", emit.sum(twice, axes), emit.number(0)));
  const DType dtype = emit.dtype(x.id);
  const Arg zero = is_floating(dtype) ? Arg{0.0} : Arg{int64_t{0}};
  const TensorId sums = add(emit.full(bounds_of(x.dims), zero, dtype), places.list(at), source);
  call.p.set_result(0, {emit.where(hit, sums, x.id), x.dims});
}

// There are as many elements as [start, end) cuts out.
void demand_cut(Call& call, const Extent& slice, const Extent& from, const Size& start) {
  Emitter& emit = call.p.emit();
  const Arg* last = call.find(4, "end");
  const Size end = last == nullptr ? Size{kNone, from.bound} : call.p.size(*last);
  if (end.is_number() && *end.most < 0)
    call.p.fail("an end that counts from the end has no rule where sizes depend on values");
  const TensorId at = call.p.position(from);
  const TensorId behind = emit.compare("ge", at, call.p.tensor_of(start));
  const bool cut_off = end.is_number() && *end.most >= from.bound;
  const Extent cut = call.p.masked(
      from, cut_off ? behind : emit.both(behind, emit.compare("lt", at, call.p.tensor_of(end))));
  const TensorId front = emit.compare("lt", emit.arange(slice.bound), call.p.count(cut));
  if (slice.mask == cut.mask || slice.mask == front) return;
  call.p.demand(emit.compare("eq", call.p.count(slice), call.p.count(cut)));
}

// The gradient of a slice with the step 1, in the place of the slice; zeros elsewhere.
void slice_backward(Call& call) {
  const Padded& slice = call.tensor(0, "grad_output");
  const size_t dim = call.dim(2, "dim", slice.rank(), 0);
  call.follows(1, "input_sizes");
  if (call.number(5, "step", 1) != 1)
    call.p.fail("a step has no rule where sizes depend on values");
  Emitter& emit = call.p.emit();
  const Padded front = call.p.packed(slice, dim);
  std::vector<Extent> dims = front.dims;
  dims[dim] = call.p.extent_of(call.recorded()[dim]);
  const DType dtype = emit.dtype(front.id);
  const TensorId zero = emit.full({}, is_floating(dtype) ? Arg{0.0} : Arg{int64_t{0}}, dtype);
  if (front.dims[dim].bound == 0)
    return call.p.set_result(0, {emit.expand(zero, bounds_of(dims)), dims});
  const Size start = call.p.size(call.given(3, "start"));
  if (start.is_number() && *start.most < 0)
    call.p.fail("a start that counts from the end has no rule where sizes depend on values");
  if (!start.is_number()) call.p.demand(emit.compare("ge", start.value, emit.number(0)));
  demand_cut(call, slice.dims[dim], dims[dim], start);
  const TensorId at = emit.arithmetic("sub", call.p.position(dims[dim]), call.p.tensor_of(start));
  const TensorId inside = emit.both(emit.compare("ge", at, emit.number(0)),
                                    emit.compare("lt", at, call.p.count(front.dims[dim])));
  const Arg low{int64_t{0}}, high{front.dims[dim].bound - 1};
  const TensorId place =
      emit.call("aten.clamp.default", {tensor_arg(at), low, high}, DType::kInt64, emit.shape(at));
  Shape along(dims.size(), 1);
  along[dim] = dims[dim].bound;
  const TensorId rows = emit.take(front.id, static_cast<int64_t>(dim), place);
  call.p.set_result(0, {emit.where(emit.reshape(inside, along), rows, zero), dims});
}

const Rules kWrites = {
    {"aten.index_add", index_add},         {"aten.scatter_add", scatter_add},
    {"aten.index_put", index_put},         {"aten.masked_scatter", masked_scatter},
    {"aten._unsafe_index_put", index_put}, {"aten.slice_backward", slice_backward},
};

}  // namespace

const Rules& writing_rules() { return kWrites; }

}  // namespace assay::unbacked
