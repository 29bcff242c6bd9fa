#include "shared_ir/import/complex_parts/call.h"

#include <algorithm>

namespace assay::complex_parts {
namespace {

// What an elementwise operator on tensors, or a tensor and a number, gives: dimensions aligned at
// the end.
void broadcast(const Shape& shape, Shape& result) {
  if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    Int& size = result[result.size() - shape.size() + i];
    if (size == 1) size = shape[i];
  }
}

}  // namespace

Arg tensor_argument(TensorId id) { return {TensorArg{id}}; }

Arg sizes_argument(const Shape& sizes) {
  ArgList list;
  for (const Int& size : sizes) list.push_back({size});
  return {std::move(list)};
}

Call::Call(Graph& graph, const ComplexTensors& complex, std::vector<Node>& made, const Node& node,
           const PlaceOfNode& place)
    : graph_(graph), complex_(complex), made_(made), node_(node), place_(place) {
  const auto used = std::ranges::find_if(node.outputs, [](TensorId id) { return id != kNone; });
  if (used != node.outputs.end()) name_ = graph.tensors[static_cast<size_t>(*used)].name;
}

void Call::fail(const std::string& message, const std::string& hint) const {
  const SourcePlace place = node_.source.known() ? node_.source : place_(name_);
  const std::string node = name_.empty() ? "" : "node '" + name_ + "': ";
  throw UserError(place, node + node_.op + " " + message, hint);
}

const Arg* Call::find(size_t position, std::string_view name) const {
  const Arg* found = nullptr;
  if (position < node_.args.size()) found = &node_.args[position];
  for (const auto& [key, arg] : node_.kwargs)
    if (key == name) found = &arg;
  return found == nullptr || found->is_none() ? nullptr : found;
}

const Arg& Call::given(size_t position, std::string_view name) const {
  const Arg* found = find(position, name);
  if (found == nullptr) fail("has no argument '" + std::string(name) + "'");
  return *found;
}

const Tensor& Call::tensor(const Arg& arg) const {
  if (!is_tensor(arg)) fail("has an operand that is no tensor");
  return graph_.tensors[static_cast<size_t>(std::get<TensorArg>(arg.value).id)];
}

bool Call::is_complex(const Arg& arg) const {
  const auto* tensor = std::get_if<TensorArg>(&arg.value);
  return tensor != nullptr && complex_.contains(tensor->id);
}

size_t Call::rank() const {
  for (const TensorId id : tensor_arguments(node_))
    if (complex_.contains(id)) return graph_.tensors[static_cast<size_t>(id)].shape.size() - 1;
  fail("has no complex operand");
}

Int Call::dimension(const Arg& arg, PlainInt rank) const {
  const auto* given = std::get_if<Int>(&arg.value);
  if (given == nullptr) fail("has a dimension that is no integer");
  const Int dim = *given < 0 ? *given + rank : *given;
  if (dim < 0 || dim >= rank) fail("has a dimension that the complex tensor does not have");
  return dim;
}

const Tensor& Call::result() const {
  if (node_.outputs.empty() || node_.outputs[0] == kNone) fail("has no result");
  return graph_.tensors[static_cast<size_t>(node_.outputs[0])];
}

bool Call::makes_complex() const {
  return !node_.outputs.empty() && complex_.contains(node_.outputs[0]);
}

Shape Call::result_shape() const {
  Shape shape = result().shape;
  if (makes_complex()) shape.pop_back();
  return shape;
}

Parts Call::parts(const Arg& arg, const std::string& label) {
  if (!is_tensor(arg)) return {arg, {}};
  if (!is_complex(arg)) return {cast(arg, label), {}};
  return {part(arg, 0, label + "_re"), part(arg, 1, label + "_im")};
}

Arg Call::whole(const Arg& arg, const std::string& label) {
  if (is_complex(arg)) return cast(arg, label);
  const Arg re = is_tensor(arg) ? cast(arg, label) : full({}, arg, label);
  return stack(re, full(tensor(re).shape, {0.0}, label + "_zero"), label + "_parts");
}

Arg Call::along_parts(const Arg& arg, const std::string& label) {
  if (!is_tensor(arg)) return arg;
  const Arg real = cast(arg, label);
  Shape shape = tensor(real).shape;
  const auto last = static_cast<PlainInt>(shape.size());
  shape.push_back(1);
  return emit("aten.unsqueeze.default", {real, {Int(last)}}, shape, label + "_both");
}

Arg Call::emit(std::string_view op, std::vector<Arg> args, const Shape& shape,
               const std::string& label, std::optional<DType> dtype) {
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  Tensor made;
  made.name = fresh_name(label);
  made.dtype = dtype.value_or(result().dtype);
  made.shape = shape;
  graph_.by_name.emplace(made.name, id);
  graph_.tensors.push_back(std::move(made));
  made_.push_back(call_of(op, std::move(args)));
  made_.back().outputs = {id};
  return tensor_argument(id);
}

Arg Call::pointwise(std::string_view op, const Arg& a, const Arg& b, const std::string& label) {
  Shape shape;
  for (const Arg* operand : {&a, &b})
    if (is_tensor(*operand)) broadcast(tensor(*operand).shape, shape);
  return is_tensor(a) ? emit(op, {a, b}, shape, label) : emit(op, {b, a}, shape, label);
}

Arg Call::add(const Arg& a, const Arg& b, const std::string& label) {
  return pointwise("aten.add.Tensor", a, b, label);
}

Arg Call::sub(const Arg& a, const Arg& b, const std::string& label) {
  ASSAY_CHECK(is_tensor(a), "a difference from a number");
  return pointwise("aten.sub.Tensor", a, b, label);
}

Arg Call::mul(const Arg& a, const Arg& b, const std::string& label) {
  return pointwise("aten.mul.Tensor", a, b, label);
}

Arg Call::div(const Arg& a, const Arg& b, const std::string& label) {
  ASSAY_CHECK(is_tensor(a), "a quotient of a number");
  return pointwise("aten.div.Tensor", a, b, label);
}

Arg Call::map(std::string_view op, const Arg& a, const std::string& label) {
  return emit(op, {a}, tensor(a).shape, label);
}

Arg Call::full(const Shape& shape, Arg value, const std::string& label) {
  const Arg made =
      emit("aten.full.default", {sizes_argument(shape), std::move(value)}, shape, label);
  made_.back().kwargs.emplace_back("dtype", Arg{result().dtype});
  return made;
}

Arg Call::cast(const Arg& arg, const std::string& label) {
  if (tensor(arg).dtype == result().dtype) return arg;
  const Arg made = emit("aten._to_copy.default", {arg}, tensor(arg).shape, label + "_cast");
  made_.back().kwargs.emplace_back("dtype", Arg{result().dtype});
  return made;
}

Arg Call::part(const Arg& arg, size_t which, const std::string& label) {
  const auto key = std::make_pair(std::get<TensorArg>(arg.value).id, which);
  if (const auto known = taken_.find(key); known != taken_.end()) return known->second;
  const Arg from = cast(arg, label);
  Shape shape = tensor(from).shape;
  shape.pop_back();
  const auto last = static_cast<PlainInt>(shape.size());
  const Arg made = emit("aten.select.int", {from, {Int(last)}, {Int(static_cast<PlainInt>(which))}},
                        shape, label);
  taken_.emplace(key, made);
  return made;
}

Arg Call::stack(const Arg& re, const Arg& im, const std::string& label) {
  Shape shape = tensor(re).shape;
  const auto last = static_cast<PlainInt>(shape.size());
  shape.push_back(2);
  return emit("aten.stack.default", {{ArgList{re, im}}, {Int(last)}}, shape, label);
}

void Call::finish(std::string_view op, std::vector<Arg> args,
                  std::vector<std::pair<std::string, Arg>> kwargs) {
  made_.push_back(call_of(op, std::move(args)));
  made_.back().kwargs = std::move(kwargs);
  made_.back().outputs = node_.outputs;
}

void Call::finish(const Parts& parts) {
  if (!makes_complex()) fail("is recorded with a real result");
  const auto last = static_cast<PlainInt>(result_shape().size());
  ArgList both;
  for (const Arg* part : {&parts.re, &parts.im}) {
    if (tensor(*part).shape == result_shape()) {
      both.push_back(*part);
    } else {
      both.push_back(emit("aten.expand.default", {*part, sizes_argument(result_shape())},
                          result_shape(), "expanded"));
    }
  }
  finish("aten.stack.default", {{std::move(both)}, {Int(last)}});
}

Node Call::call_of(std::string_view op, std::vector<Arg> args) const {
  Node made;
  made.op = op;
  made.args = std::move(args);
  made.source = node_.source;
  made.module = node_.module;
  made.backward = node_.backward;
  made.work = node_.work;
  made.awaits = node_.awaits;
  return made;
}

std::string Call::fresh_name(const std::string& label) const {
  const std::string plain = name_ + "_" + label;
  std::string name = plain;
  for (int i = 1; graph_.by_name.contains(name); ++i) name = plain + "_" + std::to_string(i);
  return name;
}

}  // namespace assay::complex_parts
