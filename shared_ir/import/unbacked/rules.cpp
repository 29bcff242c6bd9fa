#include "shared_ir/import/unbacked/rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace assay::unbacked {
namespace {

// Where a tensor lies says nothing of its elements; its dtype is recorded.
constexpr std::array<std::string_view, 7> kOfRecord = {
    "device", "dtype", "implicit", "layout", "memory_format", "non_blocking", "pin_memory"};

// Replaces tensors and unknown integers, in order.
Arg with_tensors(const Arg& arg, const std::vector<TensorId>& tensors, size_t& next) {
  if (std::holds_alternative<TensorArg>(arg.value)) return tensor_arg(tensors.at(next++));
  if (const auto* list = std::get_if<ArgList>(&arg.value)) {
    ArgList elements;
    for (const Arg& element : *list) elements.push_back(with_tensors(element, tensors, next));
    return {std::move(elements)};
  }
  return arg;
}

}  // namespace

std::string_view base_name(std::string_view op) {
  const size_t dot = op.rfind('.');
  return dot == std::string_view::npos || dot == op.find('.') ? op : op.substr(0, dot);
}

Rule find_rule(std::string_view op) {
  const std::string_view base = base_name(op);
  for (const auto family :
       {elementwise_rules, reduction_rules, movement_rules, cutting_rules, index_rules,
        writing_rules, source_rules, product_rules, order_rules, exchange_rules}) {
    const Rules& rules = family();
    if (const auto found = rules.find(base); found != rules.end()) return found->second;
  }
  return nullptr;
}

const Arg* Call::find(size_t position, std::string_view name) const {
  const Arg* found = position < node.args.size() ? &node.args[position] : nullptr;
  for (const auto& [keyword, arg] : node.kwargs)
    if (keyword == name) found = &arg;
  read_.insert(found);
  return found == nullptr || found->is_none() ? nullptr : found;
}

void Call::require_all_read() const {
  for (size_t i = 0; i < node.args.size(); ++i)
    if (!node.args[i].is_none() && !read_.contains(&node.args[i]))
      p.fail(fmt::format("argument {} has no rule", i));
  for (const auto& [keyword, arg] : node.kwargs)
    if (!arg.is_none() && !read_.contains(&arg) && !std::ranges::count(kOfRecord, keyword))
      p.fail(fmt::format("argument '{}' by its keyword has no rule", keyword));
}

const Arg& Call::given(size_t position, std::string_view name) const {
  const Arg* found = find(position, name);
  if (found == nullptr) p.fail(fmt::format("argument '{}' is not given", name));
  return *found;
}

bool Call::is_one(size_t position, std::string_view name) const {
  const Arg* found = find(position, name);
  if (found == nullptr) return true;
  if (const auto* number = std::get_if<int64_t>(&found->value)) return *number == 1;
  const auto* real = std::get_if<double>(&found->value);
  return real != nullptr && *real == 1;
}

bool Call::is_tensor(const Arg& arg) const {
  const auto* tensor = std::get_if<TensorArg>(&arg.value);
  return tensor != nullptr && tensor->id >= 0;
}

const Padded& Call::tensor(const Arg& arg) const {
  if (!is_tensor(arg)) p.fail("an argument is no tensor");
  return p.operand(std::get<TensorArg>(arg.value).id);
}

const Padded& Call::tensor(size_t position, std::string_view name) const {
  return tensor(given(position, name));
}

std::vector<Arg> Call::list(size_t position, std::string_view name) const {
  const Arg* found = find(position, name);
  if (found == nullptr) return {};
  if (const auto* list = std::get_if<ArgList>(&found->value)) return *list;
  return ArgList(1, *found);
}

int64_t Call::number(size_t position, std::string_view name, int64_t otherwise) const {
  const Arg* found = find(position, name);
  return found == nullptr ? otherwise : known(p.size(*found), std::string(name).c_str());
}

bool Call::flag(size_t position, std::string_view name) const {
  const Arg* found = find(position, name);
  const bool* value = found == nullptr ? nullptr : std::get_if<bool>(&found->value);
  return value != nullptr && *value;
}

size_t Call::dim(size_t position, std::string_view name, size_t rank, int64_t otherwise) const {
  const int64_t dim = number(position, name, otherwise), ranks = static_cast<int64_t>(rank);
  if (dim < -ranks || dim >= ranks) p.fail(fmt::format("there is no dimension {}", dim));
  return static_cast<size_t>(dim < 0 ? dim + ranks : dim);
}

int64_t Call::known(const Size& size, const char* what) const {
  if (!size.is_number()) p.fail(fmt::format("'{}' depends on values", what));
  return *size.most;
}

bool Call::is_used(size_t output) const {
  return output < node.outputs.size() && node.outputs[output] != kNone;
}

DType Call::result_type(size_t output) const {
  if (!is_used(output)) p.fail("its result is not recorded");
  return p.from().graph.tensors[static_cast<size_t>(node.outputs[output])].dtype;
}

const std::vector<SymbolExpr>& Call::recorded(size_t output) const {
  if (!is_used(output)) p.fail("its result is not recorded");
  const TensorId id = node.outputs[output];
  const auto unknown = p.from().shapes.find(id);
  if (unknown != p.from().shapes.end()) return unknown->second;
  recorded_.clear();
  for (const int64_t size : p.from().graph.tensors[static_cast<size_t>(id)].shape) {
    recorded_.emplace_back();
    recorded_.back().number = size;
  }
  return recorded_;
}

void Call::emit_as(const std::string& op, const std::vector<TensorId>& tensors,
                   std::vector<Extent> dims) {
  size_t next = 0;
  std::vector<Arg> args;
  for (const Arg& arg : node.args) args.push_back(with_tensors(arg, tensors, next));
  // Keyword arguments that are tensors would come in another order.
  for (const Arg& arg : node.args) read_.insert(&arg);
  if (const Arg* dtype = find(node.args.size(), "dtype")) args.push_back(*dtype);
  const TensorId made = p.emit().call(op, std::move(args), result_type(), bounds_of(dims));
  p.set_result(0, {made, std::move(dims)});
}

}  // namespace assay::unbacked
