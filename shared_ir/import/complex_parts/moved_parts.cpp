// Operators that move elements: the same ones move the parts along.
#include <algorithm>

#include "shared_ir/import/complex_parts/rules.h"

namespace assay::complex_parts {
namespace {

// How an argument changes where each element becomes two, in a last dimension.
enum class Change {
  kDim,          // dimensions are counted from the front, so that none is that of the parts
  kNewDim,       // the same of dimensions of a result that has one more
  kPermutation,  // the parts stay last
  kSizes,
  kRepeats,  // the parts are there once
};

struct Edit {
  size_t position;
  std::string_view name;
  Change change;
};

struct Movement {
  std::string_view op;
  std::vector<Edit> edits;
};

using enum Change;
const std::vector<Movement> kMovements = {
    {"aten.detach.default", {}},
    {"aten.alias.default", {}},
    {"aten.clone.default", {}},
    {"aten.contiguous.default", {}},
    {"aten.lift_fresh_copy.default", {}},
    {"aten.resolve_conj.default", {}},
    {"aten.resolve_neg.default", {}},
    {"aten.squeeze.default", {}},
    {"aten.squeeze.dim", {{1, "dim", kDim}}},
    {"aten.squeeze.dims", {{1, "dim", kDim}}},
    {"aten.unsqueeze.default", {{1, "dim", kNewDim}}},
    {"aten.view.default", {{1, "size", kSizes}}},
    {"aten._unsafe_view.default", {{1, "size", kSizes}}},
    {"aten.reshape.default", {{1, "shape", kSizes}}},
    {"aten.expand.default", {{1, "size", kSizes}}},
    {"aten.repeat.default", {{1, "repeats", kRepeats}}},
    {"aten.permute.default", {{1, "dims", kPermutation}}},
    {"aten.transpose.int", {{1, "dim0", kDim}, {2, "dim1", kDim}}},
    {"aten.slice.Tensor", {{1, "dim", kDim}}},
    {"aten.select.int", {{1, "dim", kDim}}},
    {"aten.narrow.default", {{1, "dim", kDim}}},
    {"aten.slice_backward.default", {{1, "input_sizes", kSizes}, {2, "dim", kDim}}},
    {"aten.select_backward.default", {{1, "input_sizes", kSizes}, {2, "dim", kNewDim}}},
    {"aten.split.Tensor", {{2, "dim", kDim}}},
    {"aten.split.sizes", {{2, "dim", kDim}}},
    {"aten.split_with_sizes.default", {{2, "dim", kDim}}},
    {"aten.chunk.default", {{2, "dim", kDim}}},
    {"aten.unbind.int", {{1, "dim", kDim}}},
    {"aten.cat.default", {{1, "dim", kDim}}},
    {"aten.stack.default", {{1, "dim", kNewDim}}},
    {"aten.index_select.default", {{1, "dim", kDim}}},
    {"aten.index.Tensor", {}},
    {"aten.flip.default", {{1, "dims", kDim}}},
    {"aten.roll.default", {{2, "dims", kDim}}},
    {"aten.cumsum.default", {{1, "dim", kDim}}},
};

void edit(Call& call, Arg& arg, Change change) {
  const auto rank = static_cast<PlainInt>(call.rank());
  auto* list = std::get_if<ArgList>(&arg.value);
  const bool sizes = change == kSizes || change == kRepeats;
  if (list == nullptr && sizes) call.fail("has sizes that are no list");
  if (!sizes) {
    const PlainInt dims = change == kNewDim ? rank + 1 : rank;
    if (list == nullptr) {
      arg = {call.dimension(arg, dims)};
      return;
    }
    for (Arg& dim : *list) dim = {call.dimension(dim, dims)};
    if (change != kPermutation) return;
  }
  const PlainInt last = change == kPermutation ? rank : change == kSizes ? 2 : 1;
  list->push_back({Int(last)});
}

Arg* argument(Node& node, size_t position, std::string_view name) {
  if (position < node.args.size()) return &node.args[position];
  const auto found = std::ranges::find(node.kwargs, name, &std::pair<std::string, Arg>::first);
  return found == node.kwargs.end() ? nullptr : &found->second;
}

void move(Call& call) {
  const auto movement = std::ranges::find(kMovements, call.node().op, &Movement::op);
  Node node = call.node();
  if (const Arg* dtype = call.find(node.args.size(), "dtype"); dtype != nullptr) {
    const auto* name = std::get_if<std::string>(&dtype->value);
    const auto parts = name == nullptr ? std::nullopt : parse_complex_dtype(*name);
    if (!parts) call.fail("of a complex tensor has another dtype");
    *argument(node, node.args.size(), "dtype") = {*parts};
  }
  for (const Edit& one : movement->edits) {
    Arg* arg = argument(node, one.position, one.name);
    if (arg != nullptr && !arg->is_none()) edit(call, *arg, one.change);
  }
  std::erase_if(node.kwargs, [](const auto& arg) { return arg.first == "memory_format"; });
  call.finish(node.op, std::move(node.args), std::move(node.kwargs));
}

// Real operands among complex ones become complex.
void join_tensors(Call& call) {
  const auto* list = std::get_if<ArgList>(&call.given(0, "tensors").value);
  if (list == nullptr || list->empty()) call.fail("has no list of tensors");
  ArgList tensors;
  for (const Arg& one : *list) tensors.push_back(call.whole(one, "operand"));
  const bool is_stack = call.node().op == "aten.stack.default";
  Arg dim = call.find(1, "dim") == nullptr ? Arg{Int(0)} : *call.find(1, "dim");
  edit(call, dim, is_stack ? kNewDim : kDim);
  call.finish(call.node().op, {{std::move(tensors)}, dim});
}

void roll(Call& call) {
  const Arg* dims = call.find(2, "dims");
  const auto* list = dims == nullptr ? nullptr : std::get_if<ArgList>(&dims->value);
  if (dims == nullptr || (list != nullptr && list->empty()))
    call.fail("of a complex tensor needs dimensions", "name the dimensions along which it rolls");
  move(call);
}

void contiguous(Call& call) {
  const Arg* format = call.find(1, "memory_format");
  const auto* name = format == nullptr ? nullptr : std::get_if<std::string>(&format->value);
  if (name != nullptr && *name != "torch.contiguous_format")
    call.fail("of a complex tensor has memory format " + *name);
  call.finish("aten.contiguous.default", {call.given(0, "self")});
}

void index(Call& call) {
  const auto* list = std::get_if<ArgList>(&call.given(1, "indices").value);
  if (list == nullptr || list->size() > call.rank())
    call.fail("has more indices than the complex tensor has dimensions");
  move(call);
}

void t(Call& call) {
  const Arg& self = call.given(0, "self");
  if (call.rank() < 2) return call.finish("aten.alias.default", {self});
  call.finish("aten.transpose.int", {self, {Int(0)}, {Int(1)}});
}

void transpose_last(Call& call) {
  const auto rank = static_cast<PlainInt>(call.rank());
  if (rank < 2) call.fail("of fewer than two dimensions");
  call.finish("aten.transpose.int", {call.given(0, "self"), {Int(rank - 2)}, {Int(rank - 1)}});
}

void take_result_shape(Call& call) {
  call.finish("aten.reshape.default", {call.given(0, "self"), sizes_argument(call.result().shape)});
}

Rules all_movement_rules() {
  Rules rules;
  for (const Movement& movement : kMovements) rules.emplace(movement.op, move);
  rules["aten.cat.default"] = join_tensors;
  rules["aten.stack.default"] = join_tensors;
  rules["aten.roll.default"] = roll;
  rules["aten.index.Tensor"] = index;
  rules["aten.contiguous.default"] = contiguous;
  rules["aten.t.default"] = t;
  rules["aten.mT.default"] = transpose_last;
  rules["aten.flatten.using_ints"] = take_result_shape;
  rules["aten.unflatten.int"] = take_result_shape;
  return rules;
}

}  // namespace

const Rules& movement_rules() {
  static const Rules rules = all_movement_rules();
  return rules;
}

}  // namespace assay::complex_parts
