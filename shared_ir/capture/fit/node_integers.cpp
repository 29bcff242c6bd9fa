#include "shared_ir/capture/fit/node_integers.h"

#include <algorithm>

#include "shared_ir/capture/fit/same_arguments.h"

namespace assay {
namespace {

void collect(Arg& arg, std::vector<Int*>& found) {
  if (auto* number = std::get_if<Int>(&arg.value)) {
    found.push_back(number);
  } else if (auto* list = std::get_if<ArgList>(&arg.value)) {
    for (Arg& element : *list) collect(element, found);
  }
}

void replace(Arg& arg, const std::vector<Arg>& with, size_t& next) {
  if (std::holds_alternative<Int>(arg.value)) {
    arg = with.at(next++);
  } else if (auto* list = std::get_if<ArgList>(&arg.value)) {
    for (Arg& element : *list) replace(element, with, next);
  }
}

}  // namespace

std::vector<Int*> integers_of(Node& node) {
  std::vector<Int*> found;
  for (Arg& arg : node.args) collect(arg, found);
  for (auto& [keyword, arg] : node.kwargs) collect(arg, found);
  return found;
}

std::vector<int64_t> integers_of(const Node& node) {
  Node copy = node;
  std::vector<int64_t> values;
  for (const Int* number : integers_of(copy)) values.push_back(*number);
  return values;
}

void replace_integers(Node& node, const std::vector<Arg>& with) {
  size_t next = 0;
  for (Arg& arg : node.args) replace(arg, with, next);
  for (auto& [keyword, arg] : node.kwargs) replace(arg, with, next);
}

std::string difference(const Graph& one, const Node& a, const Graph& other, const Node& b) {
  if (a.op != b.op) return "is " + a.op + " in one run and " + b.op + " in another";
  if (!same_arguments(a, b, Integers::kIgnored)) {
    const std::vector<TensorId> left = tensor_arguments(a), right = tensor_arguments(b);
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      if (left[i] == right[i]) continue;
      return a.op + " reads " + one.tensors[static_cast<size_t>(left[i])].name +
             " in one run and " + other.tensors[static_cast<size_t>(right[i])].name + " in another";
    }
    return a.op + " has other arguments in one run than in another";
  }
  if (a.outputs != b.outputs) return a.op + " has other results in one run than in another";
  for (const TensorId id : a.outputs) {
    if (id == kNone) continue;
    const Tensor &left = one.tensors[static_cast<size_t>(id)],
                 &right = other.tensors[static_cast<size_t>(id)];
    if (left.dtype != right.dtype || left.shape.size() != right.shape.size())
      return a.op + " has results of another type in one run than in another";
  }
  return {};
}

}  // namespace assay
