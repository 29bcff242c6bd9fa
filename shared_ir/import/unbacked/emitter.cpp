#include "shared_ir/import/unbacked/emitter.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::unbacked {
namespace {

std::string key_of(const Arg& arg) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, NoArg>) {
          return "none";
        } else if constexpr (std::is_same_v<T, TensorArg>) {
          return fmt::format("%{}", value.id);
        } else if constexpr (std::is_same_v<T, DType>) {
          return fmt::format("type {}", to_string(value));
        } else if constexpr (std::is_same_v<T, std::string>) {
          return fmt::format("text {}:{}", value.size(), value);
        } else if constexpr (std::is_same_v<T, ArgList>) {
          std::string text = "[";
          for (const Arg& element : value) text += key_of(element) + ",";
          return text + "]";
        } else if constexpr (std::is_same_v<T, double>) {
          return fmt::format("float {}", value);
        } else {
          return fmt::format("{}", value);
        }
      },
      arg.value);
}

}  // namespace

Arg tensor_arg(TensorId id) { return {TensorArg{id}}; }

Arg sizes_arg(const Shape& sizes) {
  ArgList list;
  list.reserve(sizes.size());
  for (const int64_t size : sizes) list.emplace_back().value = size;
  return {std::move(list)};
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  const auto widen = [&](const Shape& shape) {
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& size = out[out.size() - shape.size() + i];
      if (shape[i] != 1) size = shape[i];
    }
  };
  widen(a);
  widen(b);
  return out;
}

void Emitter::begin(const Node& origin, const std::string& name) {
  origin_ = Node{};
  origin_.source = origin.source;
  origin_.module = origin.module;
  origin_.backward = origin.backward;
  origin_.work = origin.work;
  origin_.awaits = origin.awaits;
  name_ = name;
}

const Node* Emitter::producer(TensorId id) const {
  const NodeId node = graph_.tensors[static_cast<size_t>(id)].producer;
  return node == kNone ? nullptr : &graph_.nodes[static_cast<size_t>(node)];
}

TensorId Emitter::append(const std::string& op, std::vector<Arg> args, DType dtype, Shape shape,
                         int32_t output) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  Node node = origin_;
  node.op = op;
  node.args = std::move(args);
  if (!node.args.empty() && std::holds_alternative<DType>(node.args.back().value)) {
    node.kwargs.emplace_back("dtype", std::move(node.args.back()));
    node.args.pop_back();
  }
  node.outputs.assign(static_cast<size_t>(output), kNone);
  node.outputs.push_back(id);
  Tensor tensor;
  do {
    tensor.name = fmt::format("{}.{}", name_, made_++);
  } while (graph_.by_name.contains(tensor.name) || names_.contains(tensor.name));
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.producer = static_cast<NodeId>(graph_.nodes.size());
  tensor.output = output;
  graph_.by_name.emplace(tensor.name, id);
  graph_.tensors.push_back(std::move(tensor));
  graph_.nodes.push_back(std::move(node));
  return id;
}

TensorId Emitter::call(const std::string& op, std::vector<Arg> args, DType dtype, Shape shape) {
  std::string key = op;
  for (const Arg& arg : args) key += " " + key_of(arg);
  key += fmt::format(" -> {} [{}]", to_string(dtype), fmt::join(shape, ","));
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const TensorId id = append(op, std::move(args), dtype, std::move(shape));
  known_.emplace(std::move(key), id);
  return id;
}

TensorId Emitter::exchange(const std::string& op, std::vector<Arg> args, DType dtype, Shape shape) {
  return append(op, std::move(args), dtype, std::move(shape));
}

TensorId Emitter::number(int64_t value) { return full({}, {value}, DType::kInt64); }

TensorId Emitter::full(const Shape& shape, Arg value, DType dtype) {
  return call("aten.full.default", {sizes_arg(shape), std::move(value), {dtype}}, dtype, shape);
}

TensorId Emitter::arange(int64_t count) {
  return call("aten.arange.default", {{count}, {DType::kInt64}}, DType::kInt64, {count});
}

TensorId Emitter::reshape(TensorId x, const Shape& to) {
  if (shape(x) == to) return x;
  return call("aten.reshape.default", {tensor_arg(x), sizes_arg(to)}, dtype(x), to);
}

TensorId Emitter::expand(TensorId x, const Shape& to) {
  if (shape(x) == to) return x;
  return call("aten.expand.default", {tensor_arg(x), sizes_arg(to)}, dtype(x), to);
}

TensorId Emitter::cast(TensorId x, DType to) {
  if (dtype(x) == to) return x;
  return call("aten._to_copy.default", {tensor_arg(x), {to}}, to, shape(x));
}

TensorId Emitter::cat(const std::vector<TensorId>& pieces, int64_t dim) {
  if (pieces.size() == 1) return pieces[0];
  ArgList list;
  Shape to = shape(pieces[0]);
  to[static_cast<size_t>(dim)] = 0;
  for (const TensorId piece : pieces) {
    list.push_back(tensor_arg(piece));
    to[static_cast<size_t>(dim)] += shape(piece)[static_cast<size_t>(dim)];
  }
  return call("aten.cat.default", {{std::move(list)}, {dim}}, dtype(pieces[0]), to);
}

TensorId Emitter::slice(TensorId x, int64_t dim, int64_t start, int64_t count) {
  Shape to = shape(x);
  if (start == 0 && count == to[static_cast<size_t>(dim)]) return x;
  to[static_cast<size_t>(dim)] = count;
  return call("aten.slice.Tensor", {tensor_arg(x), {dim}, {start}, {start + count}}, dtype(x), to);
}

TensorId Emitter::sum(TensorId x, std::vector<int64_t> dims) {
  const DType to = is_floating(dtype(x)) ? dtype(x) : DType::kInt64;
  Shape left;
  for (size_t i = 0; i < shape(x).size(); ++i)
    if (std::ranges::find(dims, static_cast<int64_t>(i)) == dims.end()) left.push_back(shape(x)[i]);
  if (dims.empty()) return cast(x, to);
  return call("aten.sum.dim_IntList", {tensor_arg(x), sizes_arg(dims)}, to, left);
}

Shape Emitter::broadcast(TensorId a, TensorId b) const {
  return broadcast_shape(shape(a), shape(b));
}

TensorId Emitter::arithmetic(const std::string& op, TensorId a, TensorId b) {
  return call("aten." + op + ".Tensor", {tensor_arg(a), tensor_arg(b)}, dtype(a), broadcast(a, b));
}

TensorId Emitter::compare(const std::string& op, TensorId a, TensorId b) {
  return call("aten." + op + ".Tensor", {tensor_arg(a), tensor_arg(b)}, DType::kBool,
              broadcast(a, b));
}

TensorId Emitter::both(TensorId a, TensorId b) {
  if (a == kNone || a == b) return b;
  if (b == kNone) return a;
  return call("aten.logical_and.default", {tensor_arg(a), tensor_arg(b)}, DType::kBool,
              broadcast(a, b));
}

TensorId Emitter::where(TensorId condition, TensorId x, TensorId otherwise) {
  return call("aten.where.self", {tensor_arg(condition), tensor_arg(x), tensor_arg(otherwise)},
              dtype(x), broadcast_shape(shape(condition), broadcast(x, otherwise)));
}

TensorId Emitter::stable_order(TensorId x) {
  const std::string key = fmt::format("order of {}", x);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const TensorId id = append("aten.sort.stable", {tensor_arg(x)}, DType::kInt64, shape(x), 1);
  auto& kwargs = graph_.nodes.back().kwargs;
  kwargs.emplace_back("stable", Arg{true});
  kwargs.emplace_back("dim", Arg{int64_t{-1}});
  known_.emplace(key, id);
  return id;
}

TensorId Emitter::take(TensorId x, int64_t dim, TensorId index) {
  Shape to = shape(x);
  to[static_cast<size_t>(dim)] = shape(index)[0];
  return call("aten.index_select.default", {tensor_arg(x), {dim}, tensor_arg(index)}, dtype(x), to);
}

}  // namespace assay::unbacked
