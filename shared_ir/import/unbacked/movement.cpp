// Operators that rearrange dimensions as wholes.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

bool is_number(const SymbolExpr& expr) { return expr.kind == SymbolExpr::Kind::kNumber; }

// Dimensions of sizes that depend on values, and the product of the others before each and after
// the last.
struct Segments {
  std::vector<size_t> unknown;
  std::vector<int64_t> products{1};

  void add(size_t dim, bool is_unknown, int64_t size) {
    if (is_unknown) {
      unknown.push_back(dim);
      products.push_back(1);
    } else {
      products.back() *= size;
    }
  }
};

// A dimension with those before and after it as one.
Extent merged(Call& call, const Extent& extent, int64_t before, int64_t after) {
  Emitter& emit = call.p.emit();
  const Shape apart = {before, extent.bound, after};
  const TensorId mask = emit.expand(emit.reshape(extent.mask, {1, extent.bound, 1}), apart);
  const int64_t bound = before * extent.bound * after;
  return {bound, emit.reshape(mask, {bound}), extent.packed && before == 1};
}

// The size that follows from the others.
bool is_rest(const Arg& size) {
  const auto* number = std::get_if<int64_t>(&size.value);
  return number != nullptr && *number == -1;
}

void reshape(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const std::vector<SymbolExpr> sizes = call.recorded();
  const bool flattens = call.node.op.starts_with("aten.flatten.");
  if (flattens) call.follows(1, "start_dim"), call.follows(2, "end_dim");
  const std::vector<Arg> wanted = flattens ? std::vector<Arg>() : call.list(1, "size");
  Segments from, to;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    from.add(dim, !x.dims[dim].is_known(), x.dims[dim].bound);
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    const bool known = is_number(sizes[dim]);
    to.add(dim, !known, known ? sizes[dim].number : 0);
    const auto* number = dim < wanted.size() ? std::get_if<int64_t>(&wanted[dim].value) : nullptr;
    if (number != nullptr && *number != -1 && (!known || *number != sizes[dim].number))
      call.p.fail(fmt::format("dimension {} is {}, and recorded otherwise", dim, *number));
  }
  std::vector<Extent> dims;
  for (const SymbolExpr& size : sizes) dims.push_back({size.number});
  if (from.products == to.products) {
    for (size_t i = 0; i < to.unknown.size(); ++i) dims[to.unknown[i]] = x.dims[from.unknown[i]];
  } else if (from.unknown.size() == 1 && to.unknown.size() == 1 && to.products[0] > 0 &&
             to.products[1] > 0 && from.products[0] % to.products[0] == 0 &&
             from.products[1] % to.products[1] == 0) {
    dims[to.unknown[0]] = merged(call, x.dims[from.unknown[0]], from.products[0] / to.products[0],
                                 from.products[1] / to.products[1]);
  } else {
    call.p.fail("splits a dimension whose size depends on values, or joins two of them");
  }
  for (size_t i = 0; i < to.unknown.size(); ++i) {
    const size_t dim = to.unknown[i];
    const Extent& kept = x.dims[from.unknown[i]];
    if (dim < wanted.size() && !is_rest(wanted[dim]))
      call.p.demand_count(wanted[dim], dims[dim], kept,
                          dims[dim].bound / std::max<int64_t>(kept.bound, 1));
  }
  call.p.set_result(0, {call.p.emit().reshape(x.id, bounds_of(dims)), dims});
}

void permute(Call& call, const std::vector<size_t>& order) {
  const Padded& x = call.tensor(0, "self");
  std::vector<Extent> dims;
  std::vector<int64_t> axes;
  for (const size_t dim : order) {
    dims.push_back(x.dims[dim]);
    axes.push_back(static_cast<int64_t>(dim));
  }
  const TensorId moved =
      call.p.emit().call("aten.permute.default", {tensor_arg(x.id), sizes_arg(axes)},
                         call.p.emit().dtype(x.id), bounds_of(dims));
  call.p.set_result(0, {moved, std::move(dims)});
}

std::vector<size_t> ascending(size_t rank) {
  std::vector<size_t> order;
  for (size_t dim = 0; dim < rank; ++dim) order.push_back(dim);
  return order;
}

void permute_dims(Call& call) {
  const size_t rank = call.tensor(0, "self").rank();
  std::vector<size_t> order;
  for (const Arg& arg : call.list(1, "dims")) {
    const int64_t dim = call.known(call.p.size(arg), "dims");
    order.push_back(static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim));
  }
  std::vector<size_t> sorted = order;
  std::ranges::sort(sorted);
  if (sorted != ascending(rank)) call.p.fail("its dimensions are no order of all");
  permute(call, order);
}

void transpose(Call& call) {
  const size_t rank = call.tensor(0, "self").rank();
  std::vector<size_t> order = ascending(rank);
  std::swap(order[call.dim(1, "dim0", rank, 0)], order[call.dim(2, "dim1", rank, 1)]);
  permute(call, order);
}

void turn(Call& call) {
  std::vector<size_t> order = ascending(call.tensor(0, "self").rank());
  std::ranges::reverse(order);
  permute(call, order);
}

void unsqueeze(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", x.rank() + 1, 0);
  std::vector<Extent> dims = x.dims;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(dim), Extent{1});
  call.p.set_result(0, {call.p.emit().reshape(x.id, bounds_of(dims)), dims});
}

void squeeze(Call& call) {
  const Padded& x = call.tensor(0, "self");
  std::vector<bool> dropped(x.rank(), !call.has(1, "dim"));
  for (const Arg& arg : call.list(1, "dim")) {
    const int64_t dim = call.known(call.p.size(arg), "dim");
    dropped.at(static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(x.rank()) : dim)) = true;
  }
  std::vector<Extent> dims;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    if (!dropped[dim] || !x.dims[dim].is_known() || x.dims[dim].bound != 1)
      dims.push_back(x.dims[dim]);
  call.p.set_result(0, {call.p.emit().reshape(x.id, bounds_of(dims)), dims});
}

// A dimension of 1 becomes any, -1 keeps what is there.
void expand(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const std::vector<Arg> wanted = call.list(1, "size");
  std::vector<Extent> dims;
  for (size_t dim = 0; dim < wanted.size(); ++dim) {
    const bool fresh = dim + x.rank() < wanted.size();
    const Extent own = fresh ? Extent{1} : x.dims[dim + x.rank() - wanted.size()];
    if (is_rest(wanted[dim])) {
      dims.push_back(own);
      continue;
    }
    const Size size = call.p.size(wanted[dim]);
    if (!own.is_known()) {
      call.p.demand_count(wanted[dim], own, own, 1);
      dims.push_back(own);
    } else if (own.bound == 1) {
      dims.push_back(size.is_number() ? Extent{*size.most}
                                      : call.p.extent_of(call.recorded()[dim]));
    } else {
      call.p.demand_equal(size, own);
      dims.push_back(own);
    }
  }
  call.p.set_result(0, {call.p.emit().expand(x.id, bounds_of(dims)), dims});
}

// One row of a dimension of a known size.
void select(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", x.rank(), 0);
  if (!x.dims[dim].is_known()) call.p.fail("selects from a dimension whose size depends on values");
  const int64_t at = call.number(2, "index", 0), size = x.dims[dim].bound;
  if (at < -size || at >= size) call.p.fail("selects what is not there");
  std::vector<Extent> dims = x.dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dim));
  const TensorId row = call.p.emit().call(
      "aten.select.int", {tensor_arg(x.id), {static_cast<int64_t>(dim)}, {at < 0 ? at + size : at}},
      call.p.emit().dtype(x.id), bounds_of(dims));
  call.p.set_result(0, {row, std::move(dims)});
}

void unbind(Call& call) {
  const Padded& x = call.tensor(0, "self");
  const size_t dim = call.dim(1, "dim", x.rank(), 0);
  if (!x.dims[dim].is_known()) call.p.fail("takes apart a dimension whose size depends on values");
  std::vector<Extent> dims = x.dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dim));
  for (int64_t at = 0; at < x.dims[dim].bound; ++at) {
    const TensorId row =
        call.p.emit().call("aten.select.int", {tensor_arg(x.id), {static_cast<int64_t>(dim)}, {at}},
                           call.p.emit().dtype(x.id), bounds_of(dims));
    call.p.set_result(static_cast<size_t>(at), {row, dims});
  }
}

const Rules kMovements = {
    {"aten.view", reshape},    {"aten.reshape", reshape},      {"aten._unsafe_view", reshape},
    {"aten.flatten", reshape}, {"aten.permute", permute_dims}, {"aten.transpose", transpose},
    {"aten.t", turn},          {"aten.unsqueeze", unsqueeze},  {"aten.squeeze", squeeze},
    {"aten.expand", expand},   {"aten.select", select},        {"aten.unbind", unbind},
};

}  // namespace

const Rules& movement_rules() { return kMovements; }

}  // namespace assay::unbacked
