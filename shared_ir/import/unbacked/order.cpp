// Sorting: what is not there comes last.
#include <map>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

// Of integers, which of a size that depends on values are in memory in ascending order.
struct Sorted {
  Padded values, places;
};

// Its arguments come by their keywords alone.
bool is_stable(const Call& call) { return call.node.op.ends_with(".stable"); }

Sorted sorted(Call& call, const Padded& x) {
  Emitter& emit = call.p.emit();
  if (x.rank() != 1) call.p.fail("sorts along a dimension whose size depends on values");
  const DType dtype = emit.dtype(x.id);
  if (is_floating(dtype) || is_bool(dtype)) call.p.fail("sorts what are no integers");
  call.dim(is_stable(call) ? call.node.args.size() : 1, "dim", 1, -1);
  if (call.flag(is_stable(call) ? call.node.args.size() : 2, "descending"))
    call.p.fail("sorts downwards");
  call.flag(call.node.args.size(), "stable");  // the order is
  const Extent& extent = x.dims[0];
  const int64_t bound = extent.bound;
  constexpr int64_t kAbsent = int64_t{1} << 62;
  if (dtype == DType::kInt64) call.p.assume("integers that are sorted lie below 2^62");
  const TensorId keys =
      emit.where(call.p.mask(extent), emit.cast(x.id, DType::kInt64), emit.number(kAbsent));
  const TensorId order = emit.stable_order(keys);
  const Extent packed{bound, emit.compare("lt", emit.arange(bound), call.p.count(extent)), true};
  return {{emit.take(x.id, 0, order), {packed}},
          {emit.take(call.p.position(extent), 0, order), {packed}}};
}

void sort(Call& call) {
  const Sorted made = sorted(call, call.tensor(0, "self"));
  call.p.set_result(0, made.values);
  call.p.set_result(1, made.places);
}

void argsort(Call& call) { call.p.set_result(0, sorted(call, call.tensor(0, "self")).places); }

const Rules kOrders = {{"aten.sort", sort}, {"aten.argsort", argsort}};

}  // namespace

const Rules& order_rules() { return kOrders; }

}  // namespace assay::unbacked
