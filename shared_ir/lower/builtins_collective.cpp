// Builtins between ranks. A group of one rank leaves its tensor as it is.
#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/lower/builtins.h"

namespace assay::lowering {
namespace {

Collective in_group(Call& call, size_t i, Collective::Kind kind) {
  Collective result;
  result.kind = kind;
  result.group = call[i].get_if<int64_t>() ? std::to_string(call.integer(i)) : call.text(i);
  auto found = call.context().groups.find(result.group);
  if (found == call.context().groups.end())
    call.fail(fmt::format("unknown process group '{}'", result.group));
  result.ranks = found->second;
  if (std::find(result.ranks.begin(), result.ranks.end(), call.context().rank) ==
      result.ranks.end())
    call.fail(fmt::format("process group '{}' does not contain rank {}", result.group,
                          call.context().rank));
  return result;
}

Collective::Reduce reduction(const Call& call, size_t i) {
  std::string name = call.text(i);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (name == "sum") return Collective::Reduce::kSum;
  if (name == "avg") return Collective::Reduce::kAvg;
  if (name == "max") return Collective::Reduce::kMax;
  if (name == "min") return Collective::Reduce::kMin;
  if (name == "product" || name == "prod") return Collective::Reduce::kProduct;
  call.fail(fmt::format("unknown reduction '{}'", call.text(i)));
}

// The program says how many ranks it expects.
void check_size(const Call& call, size_t i, const Collective& what) {
  if (call.integer(i) != static_cast<int64_t>(what.ranks.size()))
    call.fail(fmt::format("process group '{}' has {} ranks, the program expects {}", what.group,
                          what.ranks.size(), call.integer(i)));
}

Value emit(Call& call, Collective what, const Shape& shape) {
  CoreId x = call.tensor(0);
  if (what.ranks.size() == 1) return tensor_value(x);
  return tensor_value(call.builder().collective(std::move(what), x, shape));
}

Shape leading_dims(const Call& call, CoreId x) {
  Shape shape = call.context().builder.shape(x);
  if (shape.empty()) call.fail("the tensor has no dimensions");
  return shape;
}

Value all_reduce(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kAllReduce);
  what.reduce = reduction(call, 1);
  return emit(call, std::move(what), Shape(call.builder().shape(call.tensor(0))));
}

Value all_gather(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kAllGather);
  check_size(call, 1, what);
  Shape shape = leading_dims(call, call.tensor(0));
  shape[0] *= static_cast<int64_t>(what.ranks.size());
  return emit(call, std::move(what), shape);
}

Value reduce_scatter(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kReduceScatter);
  what.reduce = reduction(call, 1);
  check_size(call, 2, what);
  Shape shape = leading_dims(call, call.tensor(0));
  auto members = static_cast<int64_t>(what.ranks.size());
  if (shape[0] % members)
    call.fail(fmt::format("{} rows do not split over {} ranks", shape[0], members));
  shape[0] /= members;
  return emit(call, std::move(what), shape);
}

Value broadcast_from(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kBroadcast);
  int64_t source = call.integer(1);
  if (source < 0 || source >= static_cast<int64_t>(what.ranks.size()))
    call.fail(fmt::format("source {} of a group of {} ranks", source, what.ranks.size()));
  what.source = what.ranks[source];
  return emit(call, std::move(what), Shape(call.builder().shape(call.tensor(0))));
}

std::vector<int64_t> splits(const Call& call, size_t i, size_t members, int64_t rows) {
  std::vector<int64_t> result = call.has(i) ? call.integers(i) : std::vector<int64_t>{};
  if (result.empty() && rows % static_cast<int64_t>(members) == 0)
    result.assign(members, rows / static_cast<int64_t>(members));
  if (result.size() != members)
    call.fail(fmt::format("a split size is needed for each of {} ranks", members));
  for (int64_t size : result)
    if (size < 0) call.fail("a split size is negative");
  return result;
}

Value all_to_all(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kAllToAll);
  Shape shape = leading_dims(call, call.tensor(0));
  what.send_splits = splits(call, 2, what.ranks.size(), shape[0]);
  what.receive_splits = splits(call, 1, what.ranks.size(), shape[0]);
  int64_t sent = 0, received = 0;
  for (size_t i = 0; i < what.ranks.size(); ++i) {
    sent += what.send_splits[i];
    received += what.receive_splits[i];
  }
  if (sent != shape[0])
    call.fail(fmt::format("split sizes add up to {}, the tensor has {} rows", sent, shape[0]));
  shape[0] = received;
  return emit(call, std::move(what), shape);
}

constexpr Builtin kBuiltins[] = {
    {"all_reduce", 3, 3, all_reduce, "all_reduce(x, sum | avg | max | min | product, group)"},
    {"all_gather", 3, 3, all_gather,
     "all_gather(x, ranks, group): rows of all members, in group order"},
    {"reduce_scatter", 4, 4, reduce_scatter,
     "reduce_scatter(x, reduction, ranks, group): each member's share of rows"},
    {"broadcast_from", 3, 3, broadcast_from,
     "broadcast_from(x, source, group): the tensor of member number source"},
    {"all_to_all", 4, 4, all_to_all,
     "all_to_all(x, rows received from each, rows sent to each, group)"},
};

}  // namespace

std::span<const Builtin> collective_builtins() { return kBuiltins; }

}  // namespace assay::lowering
