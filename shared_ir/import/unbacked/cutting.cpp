// Slices and pieces of sizes that depend on values, which stay where they are, and tensors one
// after the other.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

// The elements of a dimension whose positions are in [start, start + length).
Padded piece(Call& call, const Padded& x, size_t dim, TensorId start, TensorId end) {
  Emitter& emit = call.p.emit();
  const TensorId at = call.p.position(x.dims[dim]);
  const TensorId inside = emit.both(emit.compare("ge", at, start), emit.compare("lt", at, end));
  Padded result = x;
  result.dims[dim] = call.p.masked(x.dims[dim], inside);
  return result;
}

// A bound of a slice, counted from the front and cut off at the ends.
TensorId bound_of(Call& call, const Size& size, TensorId count) {
  Emitter& emit = call.p.emit();
  if (size.is_number() && *size.most >= 0) return emit.number(*size.most);
  if (size.is_number()) return emit.arithmetic("add", count, emit.number(*size.most));
  const TensorId negative = emit.compare("lt", size.value, emit.number(0));
  return emit.where(negative, emit.arithmetic("add", size.value, count), size.value);
}

// With the step 1, or nothing.
void slice(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", x.rank(), 0);
  const Extent& own = x.dims[dim];
  if (call.number(4, "step", 1) != 1)
    call.p.fail("a step has no rule where sizes depend on values");
  constexpr int64_t kEnd = int64_t{1} << 62;
  const Arg *first = call.find(2, "start"), *last = call.find(3, "end");
  const Size start = first == nullptr ? Size{kNone, 0} : call.p.size(*first);
  const Size end = last == nullptr ? Size{kNone, kEnd} : call.p.size(*last);
  const bool whole = start.is_number() && *start.most == 0 && end.is_number() && *end.most >= kEnd;
  if (whole) return call.p.set_result(0, x);
  if (own.is_known() && start.is_number() && end.is_number()) {
    const auto at = [&](int64_t bound) {
      return std::clamp<int64_t>(bound < 0 ? bound + own.bound : bound, 0, own.bound);
    };
    const int64_t from = at(*start.most), count = std::max<int64_t>(at(*end.most) - from, 0);
    Padded result = x;
    result.id = call.p.emit().slice(x.id, static_cast<int64_t>(dim), from, count);
    result.dims[dim] = {count};
    return call.p.set_result(0, result);
  }
  const TensorId count = call.p.count(own);
  Padded result = piece(call, x, dim, bound_of(call, start, count),
                        *end.most >= kEnd && end.is_number() ? count : bound_of(call, end, count));
  if (start.is_number() && *start.most == 0) result.dims[dim].packed = own.packed;
  call.p.set_result(0, result);
}

// torch.narrow: what lies outside is an error.
void narrow(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", x.rank(), 0);
  Emitter& emit = call.p.emit();
  const TensorId start = call.p.tensor_of(call.p.size(call.given(2, "start")));
  const TensorId length = call.p.tensor_of(call.p.size(call.given(3, "length")));
  const TensorId end = emit.arithmetic("add", start, length), zero = emit.number(0);
  call.p.demand(emit.compare("ge", start, zero));
  call.p.demand(emit.compare("ge", length, zero));
  call.p.demand(emit.compare("le", end, call.p.count(x.dims[dim])));
  call.p.set_result(0, piece(call, x, dim, start, end));
}

// Pieces whose sizes are given, and add up to the whole.
void split(Call& call) {
  const Padded x = call.tensor(0, "self");
  const size_t dim = call.dim(2, "dim", x.rank(), 0);
  const Arg& given = call.given(1, "split_sizes");
  if (!std::holds_alternative<ArgList>(given.value))
    call.p.fail("pieces of one size have no rule where that depends on values");
  Emitter& emit = call.p.emit();
  const TensorId zero = emit.number(0);
  TensorId start = zero;
  size_t output = 0;
  for (const Arg& arg : std::get<ArgList>(given.value)) {
    const TensorId size = call.p.tensor_of(call.p.size(arg));
    call.p.demand(emit.compare("ge", size, zero));
    const TensorId end = emit.arithmetic("add", start, size);
    call.p.set_result(output++, piece(call, x, dim, start, end));
    start = end;
  }
  call.p.demand(emit.compare("eq", start, call.p.count(x.dims[dim])));
}

void cat(Call& call) {
  std::vector<Padded> pieces;
  for (const Arg& arg : call.list(0, "tensors")) {
    pieces.push_back(call.tensor(arg));
    // One without elements, which torch.cat leaves out.
    const std::vector<Extent>& dims = pieces.back().dims;
    if (dims.size() == 1 && dims[0] == Extent{0}) pieces.pop_back();
  }
  if (pieces.empty()) call.p.fail("nothing to put together");
  const size_t rank = pieces[0].rank(), dim = call.dim(1, "dim", rank, 0);
  Emitter& emit = call.p.emit();
  std::vector<Extent> dims = pieces[0].dims;
  for (size_t i = 0; i < rank; ++i) {
    if (i == dim) continue;
    std::vector<std::pair<Padded*, size_t>> along;
    for (Padded& one : pieces) {
      if (one.rank() != rank) call.p.fail("tensors of different numbers of dimensions");
      along.emplace_back(&one, i);
    }
    dims[i] = call.p.unify(along);
  }
  std::vector<TensorId> values, masks;
  bool known = true;
  dims[dim].bound = 0;
  for (const Padded& one : pieces) {
    values.push_back(one.id);
    masks.push_back(call.p.mask(one.dims[dim]));
    dims[dim].bound += one.dims[dim].bound;
    known = known && one.dims[dim].is_known();
  }
  if (known) {
    dims[dim] = {dims[dim].bound};
  } else {
    dims[dim].mask = emit.cat(masks, 0);
    dims[dim].packed = false;
  }
  call.p.set_result(0, {emit.cat(values, static_cast<int64_t>(dim)), dims});
}

const Rules kCuts = {
    {"aten.slice", slice},
    {"aten.narrow", narrow},
    {"aten.split_with_sizes", split},
    {"aten.split_with_sizes_copy", split},
    {"aten.cat", cat},
    {"aten.split", split},
};

}  // namespace

const Rules& cutting_rules() { return kCuts; }

}  // namespace assay::unbacked
