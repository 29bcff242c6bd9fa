#include "dynamic_check/interpret/collective_node.h"

#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <map>

#include "dynamic_check/execute/reduce.h"
#include "dynamic_check/interpret/boxed_call.h"

namespace assay {
namespace {

using Kind = CollectiveNode::Kind;

const std::map<std::string_view, Kind>& kinds() {
  static const std::map<std::string_view, Kind> table{
      {"_c10d_functional.all_reduce", Kind::kAllReduce},
      {"_c10d_functional.all_gather_into_tensor", Kind::kAllGather},
      {"_c10d_functional.reduce_scatter_tensor", Kind::kReduceScatter},
      {"_c10d_functional.broadcast", Kind::kBroadcast},
      {"_c10d_functional.all_to_all_single", Kind::kAllToAll},
      {"vllm.all_reduce", Kind::kAllReduce},
  };
  return table;
}

// Arguments in order, whether given by position or by name.
std::vector<const Arg*> all_arguments(const Node& node) {
  std::vector<const Arg*> args;
  for (const Arg& arg : node.args) args.push_back(&arg);
  for (const auto& [name, arg] : node.kwargs) args.push_back(&arg);
  return args;
}

at::Tensor reduce_inputs(const CollectiveNode& call, std::span<const at::Tensor> inputs) {
  const auto reduction = parse_reduction(call.reduction);
  if (!reduction) throw UserError({}, fmt::format("reduction {} is not supported", call.reduction));
  return reduce_members(*reduction, inputs);
}

at::Tensor rows_for(const CollectiveNode& call, const at::Tensor& input, size_t members,
                    size_t member) {
  if (call.sends.empty()) return input.chunk(static_cast<int64_t>(members)).at(member);
  return input.split_with_sizes(call.sends).at(member);
}

}  // namespace

std::optional<CollectiveNode> collective_of(const Node& node) {
  auto found = kinds().find(operator_name(node));
  if (found == kinds().end()) return std::nullopt;
  CollectiveNode call;
  call.kind = found->second;
  std::vector<std::string> texts;
  std::vector<int64_t> integers;
  std::vector<std::vector<int64_t>> lists;
  for (const Arg* arg : all_arguments(node)) {
    if (const auto* tensor = std::get_if<TensorArg>(&arg->value)) call.input = tensor->id;
    if (const auto* text = std::get_if<std::string>(&arg->value)) texts.push_back(*text);
    if (const auto* integer = std::get_if<int64_t>(&arg->value)) integers.push_back(*integer);
    if (const auto* list = std::get_if<ArgList>(&arg->value)) {
      lists.emplace_back();
      for (const Arg& element : *list) {
        if (const auto* integer = std::get_if<int64_t>(&element.value))
          lists.back().push_back(*integer);
      }
    }
  }
  const bool reduces = call.kind == Kind::kAllReduce || call.kind == Kind::kReduceScatter;
  if (reduces) call.reduction = texts.size() > 1 ? texts.front() : "sum";
  if (call.kind == Kind::kBroadcast && !integers.empty()) call.source = integers.front();
  if (call.kind == Kind::kAllToAll && lists.size() > 1)
    call.sends = lists[1];  // (input, receives, sends, group)
  if (texts.empty() || call.input == kNone) {
    throw UserError(node.source, fmt::format("{} has no input or no group", node.op));
  }
  call.group = texts.back();
  return call;
}

bool can_meet(const CollectiveNode& a, const CollectiveNode& b) {
  return a.kind == b.kind && a.reduction == b.reduction && a.source == b.source;
}

at::Tensor collective_result(std::span<const CollectiveNode> calls,
                             std::span<const at::Tensor> inputs, size_t member) {
  const CollectiveNode& call = calls[member];
  switch (call.kind) {
    case Kind::kAllReduce:
      return reduce_inputs(call, inputs);
    case Kind::kAllGather:
      return at::cat(std::vector<at::Tensor>(inputs.begin(), inputs.end()));
    case Kind::kReduceScatter:
      return reduce_inputs(call, inputs)
          .chunk(static_cast<int64_t>(inputs.size()))
          .at(member)
          .clone();
    case Kind::kBroadcast:
      return inputs[static_cast<size_t>(call.source)].clone();
    case Kind::kAllToAll: {
      std::vector<at::Tensor> received;
      for (size_t i = 0; i < inputs.size(); ++i)
        received.push_back(rows_for(calls[i], inputs[i], inputs.size(), member));
      return at::cat(received);
    }
  }
  throw InternalError("unknown collective");
}

}  // namespace assay
