#include "tests/differential/schema_call.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>

#include "dynamic_check/kernels/boxed_call.h"

namespace assay::test {
namespace {

constexpr std::array kIntegers = {DType::kInt64, DType::kInt32, DType::kInt8, DType::kUint8};
constexpr std::array kDTypes = {DType::kFloat32, DType::kInt64, DType::kInt32, DType::kBool};
constexpr std::array kNumbers = {0.5, 1.0, 2.0, 0.0, -1.5, 1e-5};
constexpr std::array kTexts = {"none", "tanh", "trunc", "floor", "sum",  "mean",
                               "prod", "amax", "amin",  "left",  "right"};

std::optional<c10::OperatorHandle> handle(const std::string& op) {
  if (!op.starts_with("aten.")) return std::nullopt;
  const size_t dot = op.rfind('.');
  const std::string overload = op.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchema(
      {"aten::" + op.substr(5, dot - 5), overload == "default" ? "" : overload});
}

// The type without its "?".
c10::TypePtr required(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

bool is_dtype(const c10::Argument& slot) { return slot.name().ends_with("dtype"); }

// Where a result lies, which graphs do not record.
bool is_placement(const c10::Argument& slot) {
  static const std::array kNames = {"layout", "device", "pin_memory", "memory_format",
                                    "non_blocking"};
  return std::ranges::find(kNames, slot.name()) != kNames.end();
}

bool is_drawn(const c10::TypePtr& type) {
  if (const auto list = type->cast<c10::ListType>())
    return is_drawn(required(list->getElementType()));
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::StringType:
      return true;
    default:
      return false;
  }
}

bool holds_tensors(const c10::Argument& slot) {
  const c10::TypePtr type = required(slot.type());
  const auto list = type->cast<c10::ListType>();
  return (list ? required(list->getElementType()) : type)->kind() == c10::TypeKind::TensorType;
}

// On the elements of lists, which are equally long.
bool is_each(const std::string& op) { return op.starts_with("aten._foreach_"); }

std::string text_of(const Arg& arg) {
  if (const auto* integer = std::get_if<int64_t>(&arg.value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&arg.value)) return std::to_string(*real);
  if (const auto* flag = std::get_if<bool>(&arg.value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&arg.value)) return *text;
  if (const auto* dtype = std::get_if<DType>(&arg.value)) return std::string(to_string(*dtype));
  std::string texts;
  if (const auto* list = std::get_if<ArgList>(&arg.value))
    for (const Arg& element : *list) texts += text_of(element) + ",";
  return arg.is_none() ? "absent" : texts;
}

class Drawing {
 public:
  Drawing(std::string op, uint64_t seed, const Tensor* first) : random_(seed) {
    call_.kernel.op = std::move(op);
    for (int64_t rank = below(4); rank > 0; --rank) shape_.push_back(size());
    same_shapes_ = below(2) == 0;
    floating_ = below(3) != 0;
    large_ = below(16) == 0;
    if (first != nullptr) {
      shape_ = first->shape;
      floating_ = is_floating(first->dtype);
    }
    if (!is_each(call_.kernel.op)) return;
    for (int64_t count = 1 + below(3); count > 0; --count) {
      each_.push_back(shape_);
      if (count > 1 && below(2) == 0) std::ranges::shuffle(shape_, random_);
    }
  }

  DrawnCall run() {
    const c10::FunctionSchema& schema = handle(call_.kernel.op)->schema();
    for (const c10::Argument& slot : schema.arguments()) {
      Arg arg = given(slot) ? argument(slot, required(slot.type())) : by_default(slot);
      if (slot.kwarg_only()) {
        if (!arg.is_none()) call_.kernel.kwargs.emplace_back(slot.name(), std::move(arg));
      } else {
        call_.kernel.args.push_back(std::move(arg));
      }
    }
    while (!call_.kernel.args.empty() && call_.kernel.args.back().is_none())
      call_.kernel.args.pop_back();
    call_.graph.nodes.push_back(call_.kernel);
    return std::move(call_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  template <typename Table>
  auto one_of(const Table& table) {
    return table[static_cast<size_t>(below(std::ssize(table)))];
  }

  int64_t size() { return below(12) == 0 ? 0 : 1 + below(4); }

  bool given(const c10::Argument& slot) {
    if (is_placement(slot) || !is_drawn(required(slot.type()))) return false;
    const bool optional =
        slot.default_value() || slot.type()->kind() == c10::TypeKind::OptionalType;
    return !optional || below(2) == 0;
  }

  // An argument between others that are given must be written out.
  Arg by_default(const c10::Argument& slot) {
    const auto& value = slot.default_value();
    if (!value || slot.kwarg_only() || is_placement(slot)) return {};
    if (value->isBool()) return {value->toBool()};
    if (value->isInt()) return {value->toInt()};
    if (value->isDouble()) return {value->toDouble()};
    if (value->isString()) return {value->toStringRef()};
    return {};
  }

  Arg argument(const c10::Argument& slot, const c10::TypePtr& type) {
    if (const auto list = type->cast<c10::ListType>())
      return {elements(slot, required(list->getElementType()))};
    if (is_dtype(slot)) return {one_of(kDTypes)};
    switch (type->kind()) {
      case c10::TypeKind::TensorType:
        return {TensorArg{tensor(slot.name())}};
      case c10::TypeKind::NumberType:
        if (below(2) == 0) return {below(7) - 3};
        return {one_of(kNumbers)};
      case c10::TypeKind::FloatType:
        return {one_of(kNumbers)};
      case c10::TypeKind::BoolType:
        return {below(2) == 0};
      case c10::TypeKind::StringType:
        return {std::string(one_of(kTexts))};
      default:
        return {integer(slot.name())};
    }
  }

  int64_t integer(const std::string& name) {
    const int64_t rank = std::max<int64_t>(1, std::ssize(shape_));
    if (name.find("dim") != std::string::npos) return below(2 * rank) - rank;
    return below(8) - 3;
  }

  ArgList elements(const c10::Argument& slot, const c10::TypePtr& element) {
    ArgList list;
    const bool is_tensor = element->kind() == c10::TypeKind::TensorType;
    if (!each_.empty()) {
      for (const Shape& shape : each_) {
        if (is_tensor) list.push_back({TensorArg{tensor(slot.name(), shape)}});
        if (!is_tensor) list.push_back(argument(slot, element));
      }
    } else if (is_tensor) {
      for (int64_t count = 1 + below(3); count > 0; --count)
        list.push_back({TensorArg{tensor(slot.name())}});
    } else if (slot.name().find("dim") != std::string::npos) {
      std::vector<int64_t> dims(shape_.size());
      std::iota(dims.begin(), dims.end(), 0);
      std::ranges::shuffle(dims, random_);
      if (below(2) == 0 && !dims.empty())
        dims.resize(1 + static_cast<size_t>(below(std::ssize(dims))));
      for (const int64_t dim : dims)
        list.push_back({below(3) == 0 ? dim - std::ssize(shape_) : dim});
    } else if (slot.name().find("size") != std::string::npos) {
      Shape sizes = shape_;
      std::ranges::shuffle(sizes, random_);
      if (!sizes.empty() && below(3) == 0) sizes.back() = -1;
      if (below(4) == 0) sizes.insert(sizes.begin(), 1 + below(2));
      for (const int64_t one : sizes) list.push_back({one});
    } else {
      for (int64_t count = 1 + below(4); count > 0; --count) list.push_back({below(4)});
    }
    return list;
  }

  Shape shape_of_operand() {
    if (call_.graph.tensors.empty() || same_shapes_) return shape_;
    Shape shape = shape_;
    if (below(3) == 0) {
      for (int64_t& one : shape) one = size();
    } else if (below(2) == 0) {
      std::ranges::reverse(shape);
    } else {
      shape.erase(shape.begin(), shape.begin() + below(std::ssize(shape) + 1));
      for (int64_t& one : shape)
        if (below(3) == 0) one = 1;
    }
    return shape;
  }

  DType dtype_of_operand(bool index) {
    if (index) return DType::kInt64;
    const bool floating = below(5) == 0 ? !floating_ : floating_;
    if (floating) return DType::kFloat32;
    if (below(3) == 0) return DType::kBool;
    return one_of(kIntegers);
  }

  double element(DType dtype, bool index) {
    if (is_bool(dtype)) return static_cast<double>(below(2));
    if (index) {
      const int64_t bound = shape_.empty() ? 1 : std::max<int64_t>(1, std::ranges::min(shape_));
      return static_cast<double>(below(bound));
    }
    if (is_integer(dtype)) return static_cast<double>(is_unsigned(dtype) ? below(4) : below(7) - 3);
    if (below(2) == 0) return static_cast<double>(below(13) - 6) / 2;
    const double value = std::normal_distribution<>()(random_);
    return large_ ? 1000 * value : value;
  }

  TensorId tensor(const std::string& name) { return tensor(name, shape_of_operand()); }

  TensorId tensor(const std::string& name, const Shape& shape) {
    const bool index = name.starts_with("ind");
    const DType dtype = dtype_of_operand(index);
    Graph& graph = call_.graph;
    const auto id = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back({"in" + std::to_string(id), dtype, shape});
    graph.inputs.push_back(id);
    std::vector<double> values(static_cast<size_t>(element_count(shape)));
    for (double& value : values) value = element(dtype, index);
    call_.values.push_back({shape, std::move(values)});
    call_.is_index.push_back(index);
    return id;
  }

  std::mt19937_64 random_;
  DrawnCall call_;
  Shape shape_;              // of the first operand
  bool same_shapes_;         // all operands have it
  bool floating_;            // most operands are
  bool large_;               // numbers are
  std::vector<Shape> each_;  // of the elements of lists, where these are equally long
};

}  // namespace

bool has_drawable_schema(const std::string& op) {
  const auto found = handle(op);
  const bool is_private = op.starts_with("aten._") && !is_each(op);
  if (!found || is_private || op.find("_backward") != std::string::npos) return false;
  Node node;
  node.op = op;
  if (is_random(node) || is_uninitialised(node)) return false;
  return std::ranges::all_of(found->schema().arguments(), [](const c10::Argument& slot) {
    return slot.default_value() || slot.type()->kind() == c10::TypeKind::OptionalType ||
           is_placement(slot) || is_drawn(slot.type());
  });
}

DrawnCall draw_from_schema(const std::string& op, uint64_t seed, const Tensor* first) {
  return Drawing(op, seed, first).run();
}

bool takes_tensors(const std::string& op, size_t i) {
  const auto found = handle(op);
  return found && i < found->schema().arguments().size() &&
         holds_tensors(found->schema().arguments()[i]);
}

bool takes_tensors(const std::string& op, const std::string& name) {
  const auto found = handle(op);
  const auto place = found ? found->schema().argumentIndexWithName(name) : std::nullopt;
  return place && takes_tensors(op, static_cast<size_t>(*place));
}

std::map<std::string, std::string> drawn_attributes(const DrawnCall& call) {
  std::map<std::string, std::string> found;
  if (!handle(call.kernel.op) || call.kernel.op != call.graph.nodes[0].op) return found;
  const c10::FunctionSchema schema = handle(call.kernel.op)->schema();
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& slot = schema.arguments()[i];
    if (is_placement(slot) || !is_drawn(required(slot.type())) || holds_tensors(slot)) continue;
    std::string& text = found[slot.name()] = "absent";
    if (i < call.kernel.args.size()) text = text_of(call.kernel.args[i]);
    for (const auto& [keyword, arg] : call.kernel.kwargs)
      if (keyword == slot.name()) text = text_of(arg);
  }
  return found;
}

}  // namespace assay::test
