// Exchange of pieces of sizes that depend on values: everybody sends all of its rows to everybody,
// with a mask of those that it means to send.
#include <map>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

// Waits at once.
TensorId exchanged(Call& call, TensorId x, int64_t members, const Arg& group) {
  Emitter& emit = call.p.emit();
  const Shape shape = emit.shape(x);
  const Shape each(static_cast<size_t>(members), shape[0] / members);
  const TensorId sent =
      emit.exchange("_c10d_functional.all_to_all_single.default",
                    {tensor_arg(x), sizes_arg(each), sizes_arg(each), group}, emit.dtype(x), shape);
  return emit.exchange("_c10d_functional.wait_tensor.default", {tensor_arg(sent)}, emit.dtype(x),
                       shape);
}

void all_to_all(Call& call) {
  const Padded x = call.tensor(0, "self");
  const std::vector<Arg> received = call.list(1, "output_split_sizes"),
                         sent = call.list(2, "input_split_sizes");
  const auto members = static_cast<int64_t>(sent.size());
  if (members == 0 || received.size() != sent.size())
    call.p.fail("as many pieces are sent as are received, one of each for every member");
  Emitter& emit = call.p.emit();
  const Extent& rows = x.dims[0];
  const TensorId at = call.p.position(rows), zero = emit.number(0);
  std::vector<TensorId> masks;
  TensorId start = zero;
  for (const Arg& arg : sent) {
    const TensorId size = call.p.tensor_of(call.p.size(arg));
    call.p.demand(emit.compare("ge", size, zero));
    const TensorId end = emit.arithmetic("add", start, size);
    masks.push_back(emit.both(
        rows.mask, emit.both(emit.compare("ge", at, start), emit.compare("lt", at, end))));
    start = end;
  }
  call.p.demand(emit.compare("eq", start, call.p.count(rows)));
  Shape copies = bounds_of(x.dims), flat = copies;
  copies.insert(copies.begin(), members);
  flat[0] *= members;
  Shape one = bounds_of(x.dims);
  one.insert(one.begin(), 1);
  const TensorId everything = emit.reshape(emit.expand(emit.reshape(x.id, one), copies), flat);
  const Arg& group = call.given(3, "group_name");
  const TensorId values = exchanged(call, everything, members, group);
  const TensorId flags =
      exchanged(call, emit.cast(emit.cat(masks, 0), DType::kInt64), members, group);
  // What is received is what was sent.
  const TensorId counts = emit.sum(emit.reshape(flags, {members, rows.bound}), {1});
  for (int64_t member = 0; member < members; ++member) {
    const TensorId wanted = call.p.tensor_of(call.p.size(received[static_cast<size_t>(member)]));
    const TensorId found = emit.reshape(emit.slice(counts, 0, member, 1), {});
    call.p.demand(emit.compare("eq", found, wanted));
  }
  std::vector<Extent> dims = x.dims;
  dims[0] = {flat[0], emit.compare("ne", flags, zero), false};
  call.p.set_result(0, {values, dims});
}

// The exchange was waited for where it was made.
void wait(Call& call) { call.p.set_result(0, call.tensor(0, "self")); }

const Rules kExchanges = {
    {"_c10d_functional.all_to_all_single", all_to_all},
    {"_c10d_functional_autograd.all_to_all_single", all_to_all},
    {"_c10d_functional.wait_tensor", wait},
};

}  // namespace

const Rules& exchange_rules() { return kExchanges; }

}  // namespace assay::unbacked
