// Builtins between ranks. A group of one rank leaves its tensor as it is.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "shared_ir/collective.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

Collective in_group(Call& call, size_t i, Collective::Kind kind) {
  Collective result;
  result.kind = kind;
  result.group = call[i].get_if<Int>() ? decimal(call.integer(i)) : call.text(i);
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
  if (call.integer(i) != static_cast<Int>(what.ranks.size()))
    call.fail(fmt::format("process group '{}' has {} ranks, the program expects {}", what.group,
                          what.ranks.size(), call.integer(i)));
}

Int member_count(const Collective& what) { return static_cast<Int>(what.ranks.size()); }

// A member by its position in the group.
Rank member(const Call& call, size_t i, const Collective& what) {
  const Int position = call.integer(i);
  if (position < 0 || position >= member_count(what))
    call.fail(fmt::format("member {} of a group of {} ranks", position, what.ranks.size()));
  return what.ranks[position];
}

// Flags add up to "or" and multiply to "and". NCCL: ProcessGroupNCCL maps their sum to a maximum,
// so that the bytes which hold them do not overflow, and refuses their average. Gloo:
// ProcessGroupGloo reduces them as bytes, which PyTorch reads as true where they are not 0, and has
// no average.
Collective::Reduce reduction_of_flags(const Call& call, Collective::Reduce reduce) {
  switch (reduce) {
    case Collective::Reduce::kSum:
      return Collective::Reduce::kMax;
    case Collective::Reduce::kProduct:
      return Collective::Reduce::kMin;
    case Collective::Reduce::kAvg:
      call.fail("flags have no average");
    default:
      return reduce;
  }
}

CoreId emit(Call& call, Collective what, CoreId x, const Shape& shape) {
  if (what.ranks.size() == 1) return x;
  const DType dtype = call.builder().dtype(x);
  if (is_reduction(what.kind) && is_bool(dtype))
    what.reduce = reduction_of_flags(call, what.reduce);
  else if (is_reduction(what.kind) && what.reduce == Collective::Reduce::kAvg && is_integer(dtype))
    call.unsupported("an average of integers");
  return call.builder().collective(std::move(what), x, shape);
}

// What only the rank `what.source` gets: to the others it is memory that nobody wrote.
Value for_the_source(Call& call, const Collective& what, CoreId result) {
  if (call.context().rank == what.source) return tensor_value(result);
  const Shape shape = call.builder().shape(result);
  return tensor_value(call.builder().uninit(call.builder().dtype(result), shape));
}

// One collective for each tensor of a list, in its order; of a single tensor, one.
template <class One>
Value of_each(Call& call, One one) {
  const ValueList* list = call[0].get_if<ValueList>();
  if (!list) return tensor_value(one(call.tensor(0)));
  ValueList results;
  for (CoreId x : call.tensors(0)) results.push_back(tensor_value(one(x)));
  return {std::move(results)};
}

Shape leading_dims(const Call& call, CoreId x) {
  Shape shape = call.context().builder.shape(x);
  if (shape.empty()) call.fail("the tensor has no dimensions");
  return shape;
}

Value all_reduce(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kAllReduce);
  what.reduce = reduction(call, 1);
  return of_each(call,
                 [&](CoreId x) { return emit(call, what, x, Shape(call.builder().shape(x))); });
}

Value reduce_to(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kReduce);
  what.reduce = reduction(call, 1);
  what.source = member(call, 2, what);
  const CoreId x = call.tensor(0);
  return for_the_source(call, what, emit(call, what, x, Shape(call.builder().shape(x))));
}

CoreId gathered(Call& call, const Collective& what, CoreId x) {
  Shape shape = leading_dims(call, x);
  shape[0] = times(shape[0], member_count(what));
  return emit(call, what, x, shape);
}

Value all_gather(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kAllGather);
  check_size(call, 1, what);
  return of_each(call, [&](CoreId x) { return gathered(call, what, x); });
}

Value gather_to(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kGather);
  what.source = member(call, 1, what);
  check_size(call, 2, what);
  return for_the_source(call, what, gathered(call, what, call.tensor(0)));
}

Value reduce_scatter(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kReduceScatter);
  what.reduce = reduction(call, 1);
  check_size(call, 2, what);
  return of_each(call, [&](CoreId x) {
    Shape shape = leading_dims(call, x);
    if (shape[0] % member_count(what))
      call.fail(fmt::format("{} rows do not split over {} ranks", shape[0], what.ranks.size()));
    shape[0] /= member_count(what);
    return emit(call, what, x, shape);
  });
}

Value broadcast_from(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kBroadcast);
  what.source = member(call, 1, what);
  return of_each(call,
                 [&](CoreId x) { return emit(call, what, x, Shape(call.builder().shape(x))); });
}

// The source's operand is its list along a new dimension, everybody's result one row of it.
Value scatter_from(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kScatter);
  what.source = member(call, 2, what);
  Builder& builder = call.builder();
  const CoreId memory = call.tensor(0);
  const Shape piece = builder.shape(memory);
  Shape row = piece;
  row.insert(row.begin(), 1);
  std::vector<CoreId> rows;
  if (call.context().rank != what.source) {
    rows = {builder.reshape(memory, row)};
  } else {
    for (CoreId x : call.tensors(1)) {
      if (builder.shape(x) != piece || builder.dtype(x) != builder.dtype(memory))
        call.fail("a piece has another shape or dtype than the tensor that receives it");
      rows.push_back(builder.reshape(x, row));
    }
    if (static_cast<Int>(rows.size()) != member_count(what))
      call.fail(fmt::format("{} pieces for {} ranks", rows.size(), what.ranks.size()));
  }
  const CoreId x = rows.size() == 1 ? rows[0] : builder.cat(rows, 0);
  return tensor_value(builder.reshape(emit(call, what, x, row), piece));
}

// `i`: the argument that is the peer, as a position in the group; behind it the tag and the group.
Collective between(Call& call, size_t i, Collective::Kind kind) {
  Collective what = in_group(call, i + 2, kind);
  const Rank peer = member(call, i, what), own = call.context().rank;
  if (peer == own) call.fail("a rank sends to itself");
  what.source = kind == Collective::Kind::kSend ? own : peer;
  what.destination = kind == Collective::Kind::kSend ? peer : own;
  what.tag = call.integer(i + 1);
  call.builder().note(
      "a send that is not waited for goes on without its receiver; between two ranks of a group, "
      "messages arrive in the order in which they are sent");
  return what;
}

Value send_to(Call& call) {
  const Collective what = between(call, 1, Collective::Kind::kSend);
  const CoreId x = call.tensor(0);
  return tensor_value(emit(call, what, x, Shape(call.builder().shape(x))));
}

Value receive_from(Call& call) {
  const Collective what = between(call, 1, Collective::Kind::kReceive);
  const CoreId memory = call.tensor(0);
  return tensor_value(emit(call, what, memory, Shape(call.builder().shape(memory))));
}

Value barrier(Call& call) {
  const Collective what = in_group(call, 0, Collective::Kind::kBarrier);
  const CoreId nothing = call.builder().constant(Rational(0), DType::kInt64, {});
  return tensor_value(emit(call, what, nothing, {}));
}

std::vector<Int> splits(const Call& call, size_t i, size_t members, Int rows) {
  std::vector<Int> result = call.has(i) ? call.integers(i) : std::vector<Int>{};
  if (result.empty() && rows % static_cast<Int>(members) == 0)
    result.assign(members, rows / static_cast<Int>(members));
  if (result.size() != members)
    call.fail(fmt::format("a split size is needed for each of {} ranks", members));
  for (Int size : result)
    if (size < 0) call.fail("a split size is negative");
  return result;
}

CoreId exchanged(Call& call, const Collective& what, CoreId x) {
  Shape shape = leading_dims(call, x);
  if (total_of(what.send_splits) != shape[0])
    call.fail(fmt::format("split sizes add up to {}, the tensor has {} rows",
                          total_of(what.send_splits), shape[0]));
  shape[0] = total_of(what.receive_splits);
  return emit(call, what, x, shape);
}

Value all_to_all(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kAllToAll);
  const CoreId x = call.tensor(0);
  const Int rows = leading_dims(call, x)[0];
  what.send_splits = splits(call, 2, what.ranks.size(), rows);
  what.receive_splits = splits(call, 1, what.ranks.size(), rows);
  return tensor_value(exchanged(call, what, x));
}

// `pieces` of a flat tensor, one after the other in the shapes of `memory`.
ValueList in_the_shapes_of(Builder& builder, const std::vector<CoreId>& memory, CoreId flat) {
  ValueList pieces;
  Int start = 0;
  for (CoreId like : memory) {
    const Shape shape = builder.shape(like);
    const Int size = element_count(shape);
    pieces.push_back(tensor_value(builder.reshape(builder.slice(flat, 0, start, 1, size), shape)));
    start += size;
  }
  return pieces;
}

void check_members(const Call& call, const std::vector<CoreId>& tensors, const Collective& what) {
  if (tensors.size() != what.ranks.size())
    call.fail(fmt::format("a tensor is needed for each of {} ranks", what.ranks.size()));
}

// Of equal tensors it is a gather of rows; tensors of different shapes are sent to each member.
Value all_gather_each(Call& call) {
  Collective what = in_group(call, 3, Collective::Kind::kAllGather);
  check_size(call, 2, what);
  Builder& builder = call.builder();
  const std::vector<CoreId> memory = call.tensors(0);
  const CoreId x = call.tensor(1);
  check_members(call, memory, what);
  const Int own = element_count(builder.shape(x));
  const auto position = std::find(what.ranks.begin(), what.ranks.end(), call.context().rank);
  const CoreId place = memory[static_cast<size_t>(position - what.ranks.begin())];
  if (element_count(builder.shape(place)) != own)
    call.fail(fmt::format("the rank gives {} elements, its place in the list has {}", own,
                          element_count(builder.shape(place))));
  const bool equal = std::all_of(memory.begin(), memory.end(), [&](CoreId like) {
    return builder.shape(like) == builder.shape(memory[0]);
  });
  const CoreId row = builder.reshape(x, {own});
  if (equal) return {in_the_shapes_of(builder, memory, gathered(call, what, row))};
  what.kind = Collective::Kind::kAllToAll;
  what.send_splits.assign(memory.size(), own);
  for (CoreId like : memory) what.receive_splits.push_back(element_count(builder.shape(like)));
  return {in_the_shapes_of(
      builder, memory,
      exchanged(call, what, builder.cat(std::vector<CoreId>(memory.size(), row), 0)))};
}

// Tensors of any shape: they travel one after the other as rows of one element.
Value all_to_all_each(Call& call) {
  Collective what = in_group(call, 2, Collective::Kind::kAllToAll);
  Builder& builder = call.builder();
  const std::vector<CoreId> memory = call.tensors(0), sent = call.tensors(1);
  check_members(call, memory, what);
  check_members(call, sent, what);
  std::vector<CoreId> rows;
  for (size_t i = 0; i < sent.size(); ++i) {
    const CoreId x = sent[i];
    if (builder.dtype(x) != builder.dtype(memory[0])) call.fail("tensors of different dtypes");
    what.send_splits.push_back(element_count(builder.shape(x)));
    what.receive_splits.push_back(element_count(builder.shape(memory[i])));
    rows.push_back(builder.reshape(x, {what.send_splits.back()}));
  }
  const CoreId received = exchanged(call, what, rows.size() == 1 ? rows[0] : builder.cat(rows, 0));
  return {in_the_shapes_of(builder, memory, received)};
}

Value wait(Call& call) {
  const CoreId x = call.tensor(0);
  call.builder().wait(x);
  return tensor_value(x);
}

constexpr Builtin kCollectiveBuiltins[] = {
    {"all_reduce", 3, 3, all_reduce, Effect::kReduces,
     "all_reduce(x, sum | avg | max | min | product, group); of a list, one after the other"},
    {"reduce_to", 4, 4, reduce_to, Effect::kReduces,
     "reduce_to(x, reduction, root, group): to member number root; unwritten at the others"},
    {"all_gather", 3, 3, all_gather, Effect::kExchanges,
     "all_gather(x, ranks, group): rows of all members, in group order; of a list, one after the "
     "other"},
    {"all_gather_each", 4, 4, all_gather_each, Effect::kExchanges,
     "all_gather_each(memory, x, ranks, group): the tensor of each member, a list in group order"},
    {"gather_to", 4, 4, gather_to, Effect::kExchanges,
     "gather_to(x, root, ranks, group): to member number root; unwritten at the others"},
    {"reduce_scatter", 4, 4, reduce_scatter, Effect::kReduces,
     "reduce_scatter(x, reduction, ranks, group): each member's share of rows; of a list, one "
     "after "
     "the other"},
    {"broadcast_from", 3, 3, broadcast_from, Effect::kExchanges,
     "broadcast_from(x, source, group): the tensor of member number source; of a list, one after "
     "the other"},
    {"scatter_from", 4, 4, scatter_from, Effect::kExchanges,
     "scatter_from(memory, pieces, source, group): piece i of member number source to member i"},
    {"all_to_all", 4, 4, all_to_all, Effect::kExchanges,
     "all_to_all(x, rows received from each, rows sent to each, group)"},
    {"all_to_all_each", 3, 3, all_to_all_each, Effect::kExchanges,
     "all_to_all_each(memory, tensors, group): tensor i to member i; a list in group order"},
    {"send_to", 4, 4, send_to, Effect::kExchanges, "send_to(x, member, tag, group): x"},
    {"receive_from", 4, 4, receive_from, Effect::kExchanges,
     "receive_from(memory, member, tag, group): what that member sends"},
    {"barrier", 1, 1, barrier, Effect::kMakes, "barrier(group): 0, when all members have come"},
    {"wait", 1, 1, wait, Effect::kMoves,
     "wait(x): x, which if it is a collective's result is there from here on"},
};

}  // namespace

std::span<const Builtin> collective_builtins() { return kCollectiveBuiltins; }

}  // namespace assay::lowering
