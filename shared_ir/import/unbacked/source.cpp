// Tensors that are made in a size that depends on values.
#include <algorithm>
#include <map>

#include "shared_ir/import/unbacked/rules.h"

namespace assay::unbacked {
namespace {

std::vector<Extent> recorded_extents(Call& call) {
  std::vector<Extent> dims;
  for (const SymbolExpr& size : call.recorded()) dims.push_back(call.p.extent_of(size));
  return dims;
}

void fill(Call& call, const Arg& value) {
  const bool like_another = call.node.op.starts_with("aten.new_");
  if (like_another) call.follows(0, "self");
  call.follows(like_another ? 1 : 0, "size");
  const std::vector<Extent> dims = recorded_extents(call);
  call.p.set_result(0, {call.p.emit().full(bounds_of(dims), value, call.result_type()), dims});
}

Arg number_of(Call& call, double value) {
  const DType dtype = call.result_type();
  if (is_bool(dtype)) return {value != 0};
  return is_floating(dtype) ? Arg{value} : Arg{static_cast<int64_t>(value)};
}

void zeros(Call& call) { fill(call, number_of(call, 0)); }
void ones(Call& call) { fill(call, number_of(call, 1)); }

void full(Call& call, size_t position) {
  const Arg& value = call.given(position, "fill_value");
  if (std::holds_alternative<TensorArg>(value.value))
    call.p.fail("a value that depends on values has no rule");
  fill(call, value);
}
void full_of(Call& call) { full(call, 1); }
void new_full(Call& call) { full(call, 2); }

// 0, 1, ... up to the number of elements.
void arange(Call& call) {
  if (call.node.args.size() > 1 && call.node.op != "aten.arange.default")
    for (size_t i = 0; i < call.node.args.size(); ++i)
      if (i != 1 && call.number(i, "", 0) != (i == 0 ? 0 : 1))
        call.p.fail("a start or step has no rule where the end depends on values");
  call.follows(0, "end");
  call.follows(1, "end");
  const std::vector<Extent> dims = recorded_extents(call);
  const TensorId at = call.p.position(dims.at(0));
  call.p.set_result(0, {call.p.emit().cast(at, call.result_type()), dims});
}

// At most so many elements are there: each of the integers is a part of a number of elements.
std::optional<int64_t> most_in_sum(const Emitter& emit, TensorId x) {
  if (is_bool(emit.dtype(x))) return element_count(emit.shape(x));
  const Node* node = emit.producer(x);
  if (node == nullptr || node->args.empty()) return std::nullopt;
  const auto* of = std::get_if<TensorArg>(&node->args[0].value);
  if (of == nullptr) return std::nullopt;
  const std::string_view base = base_name(node->op);
  if (base.starts_with("_c10d_functional") && base.ends_with(".all_to_all_single")) {
    const auto most = most_in_sum(emit, of->id);
    const auto* pieces = std::get_if<ArgList>(&node->args.at(1).value);
    if (!most || pieces == nullptr) return std::nullopt;
    return *most * static_cast<int64_t>(pieces->size());
  }
  if (base == "aten.one_hot") return element_count(emit.shape(of->id));
  if (base == "aten.sum" || base == "aten._to_copy" || base == "aten.to" || base == "aten.view" ||
      base == "aten.reshape" || base == "aten.clone" || base == "_c10d_functional.wait_tensor")
    return most_in_sum(emit, of->id);
  return std::nullopt;
}

// Indices, each as often as `repeats` says.
Padded repeated(Call& call, const Padded& repeats) {
  Emitter& emit = call.p.emit();
  if (repeats.rank() != 1 || repeats.is_ragged())
    call.p.fail("numbers of repetitions of an unknown size have no rule");
  call.follows(call.node.args.size(), "output_size");
  const SymbolExpr& size = call.recorded()[0];
  const TensorId counts = emit.cast(repeats.id, DType::kInt64), total = emit.sum(counts, {0});
  const auto most = size.kind == SymbolExpr::Kind::kNumber ? std::optional(size.number)
                                                           : most_in_sum(emit, repeats.id);
  if (!most)
    call.p.fail("makes a tensor of a size that depends on values, and has no bound",
                "give it an output_size, or count flags (one_hot(...).sum(0))");
  const TensorId least = emit.compare("lt", counts, emit.number(0));
  call.p.demand(emit.compare("eq", emit.sum(least, {0}), emit.number(0)));
  call.p.demand(emit.compare(size.kind == SymbolExpr::Kind::kNumber ? "eq" : "le", total,
                             emit.number(*most)));
  const TensorId at = emit.arange(*most);
  Extent extent{*most};
  if (size.kind != SymbolExpr::Kind::kNumber) {
    extent.mask = emit.compare("lt", at, total);
    call.p.define(size, extent);
  }
  const int64_t parts = repeats.dims[0].bound;
  const TensorId ends =
      emit.call("aten.cumsum.default", {tensor_arg(counts), {int64_t{0}}}, DType::kInt64, {parts});
  const TensorId before =
      emit.compare("le", emit.reshape(ends, {1, parts}), emit.reshape(at, {*most, 1}));
  return {emit.sum(before, {1}), {extent}};
}

void repeat_interleave(Call& call) {
  if (call.node.op == "aten.repeat_interleave.Tensor")
    return call.p.set_result(0, repeated(call, call.tensor(0, "repeats")));
  if (call.node.op != "aten.repeat_interleave.self_Tensor")
    call.p.fail("has no rule for one number of repetitions where sizes depend on values");
  const Padded x = call.tensor(0, "self");
  call.follows(3, "output_size");
  if (!call.has(2, "dim") && x.rank() != 1) call.p.fail("repeats all elements: give a dimension");
  const size_t dim = call.dim(2, "dim", x.rank(), 0);
  if (dim != 0 || x.is_ragged()) call.p.fail("repeats rows of dimension 0 of a known size alone");
  Padded rows = x;
  const Padded at = repeated(call, call.tensor(1, "repeats"));
  Emitter& emit = call.p.emit();
  rows.id = emit.take(x.id, 0, call.p.filled(at));
  rows.dims[0] = at.dims[0];
  call.p.set_result(0, rows);
}

const Rules kSources = {
    {"aten.zeros", zeros},   {"aten.new_zeros", zeros},
    {"aten.ones", ones},     {"aten.new_ones", ones},
    {"aten.full", full_of},  {"aten.new_full", new_full},
    {"aten.arange", arange}, {"aten.repeat_interleave", repeat_interleave},
};

}  // namespace

const Rules& source_rules() { return kSources; }

}  // namespace assay::unbacked
