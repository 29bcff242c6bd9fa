#include "dynamic_check/run/interpret/collective_node.h"

#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <functional>
#include <map>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/interpret/reduce_members.h"
#include "shared_ir/memory/effects.h"

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
      {"_c10d_functional.all_reduce_coalesced", Kind::kAllReduce},
      {"_c10d_functional.all_gather_into_tensor_coalesced", Kind::kAllGather},
      {"_c10d_functional.reduce_scatter_tensor_coalesced", Kind::kReduceScatter},
      {"_c10d_functional_autograd.all_gather_into_tensor", Kind::kAllGather},
      {"_c10d_functional_autograd.reduce_scatter_tensor", Kind::kReduceScatter},
      {"_c10d_functional_autograd.all_to_all_single", Kind::kAllToAll},
      {"c10d.reduce", Kind::kReduce},
      {"c10d.all_gather", Kind::kAllGatherList},
      {"c10d.gather", Kind::kGather},
      {"c10d.reduce_scatter", Kind::kReduceScatterList},
      {"c10d.scatter", Kind::kScatter},
      {"c10d.all_to_all", Kind::kAllToAllList},
      {"c10d.barrier", Kind::kBarrier},
      {"c10d.send", Kind::kSend},
      {"c10d.recv", Kind::kReceive},
      {"vllm.all_reduce", Kind::kAllReduce},
      {"hlo.all-reduce", Kind::kAllReduce},
      {"hlo.all-gather", Kind::kAllGather},
      {"hlo.reduce-scatter", Kind::kReduceScatter},
      {"hlo.all-to-all", Kind::kAllToAll},
      {"hlo.collective-broadcast", Kind::kBroadcast},
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

bool has_source(Kind kind) {
  return kind == Kind::kReduce || kind == Kind::kGather || kind == Kind::kBroadcast ||
         kind == Kind::kScatter || kind == Kind::kSend || kind == Kind::kReceive;
}

bool reduces(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter ||
         kind == Kind::kReduceScatterList;
}

at::Tensor rows_for(const CollectiveNode& call, const at::Tensor& input, size_t members,
                    size_t member) {
  if (call.sends.empty())
    return input.chunk(static_cast<int64_t>(members), call.dimension).at(member);
  return input.split_with_sizes(call.sends).at(member);
}

// A call that writes its results into memory, by PyTorch's schema, as the one that returns them.
std::optional<CollectiveNode> in_place_collective(const Node& node,
                                                  const DeclaredOperators* declared) {
  const auto schema = memory::torch_schema(node.op);
  if (!schema || !schema->communicates || schema->functional.empty()) return std::nullopt;
  auto call = collective_of(memory::functional_call(node, *schema), declared);
  if (call) call->memory = memory::written_by({}, node, *schema);
  return call;
}

}  // namespace

bool is_point_to_point(const CollectiveNode& call) {
  return call.kind == Kind::kSend || call.kind == Kind::kReceive;
}

std::optional<CollectiveNode> collective_of(const Node& node, const DeclaredOperators* declared) {
  if (const auto plain = declared ? declared->as_collective(node) : std::nullopt)
    return collective_of(*plain);
  auto found = kinds().find(operator_name(node));
  if (found == kinds().end()) return in_place_collective(node, declared);
  CollectiveNode call;
  call.kind = found->second;
  std::vector<std::string> texts;
  std::vector<int64_t> integers;
  std::vector<std::vector<int64_t>> lists;
  for (const Arg* arg : all_arguments(node)) {
    if (const auto* text = std::get_if<std::string>(&arg->value)) texts.push_back(*text);
    if (const auto* integer = std::get_if<int64_t>(&arg->value)) integers.push_back(*integer);
    if (const auto* tensor = std::get_if<TensorArg>(&arg->value)) {
      call.input = tensor->id;
      call.offers = {tensor->id};
    }
    if (const auto* list = std::get_if<ArgList>(&arg->value)) {
      lists.emplace_back();
      std::vector<TensorId> tensors;
      for (const Arg& element : *list) {
        if (const auto* integer = std::get_if<int64_t>(&element.value))
          lists.back().push_back(*integer);
        if (const auto* tensor = std::get_if<TensorArg>(&element.value))
          tensors.push_back(tensor->id);
      }
      // Of two lists the first is the memory that is written.
      if (lists.back().empty()) call.offers = std::move(tensors);
    }
  }
  if (call.kind == Kind::kReceive) call.offers.clear();
  if (reduces(call.kind)) call.reduction = texts.size() > 1 ? texts.front() : "sum";
  if (has_source(call.kind) && !integers.empty()) call.source = integers.front();
  if (is_point_to_point(call) && integers.size() > 1)
    call.tag = integers[1];                                // (x, peer, tag, group)
  if (call.kind == Kind::kAllToAll && lists.size() > 1) {  // (input, expects, sends, group)
    call.expects = lists[0];
    call.sends = lists[1];
  }
  // HLO's have a dimension before any other integer, PyTorch's none.
  if (node.op.starts_with("hlo.") && !integers.empty()) call.dimension = integers.front();
  const bool gives =
      call.kind != Kind::kBarrier && call.kind != Kind::kReceive && call.kind != Kind::kScatter;
  if (texts.empty() || (gives && call.offers.empty())) {
    throw UserError(node.source, fmt::format("{} has no input or no group", node.op));
  }
  call.group = texts.back();
  return call;
}

bool can_meet(const CollectiveNode& a, const CollectiveNode& b) {
  return a.kind == b.kind && a.reduction == b.reduction && a.source == b.source &&
         a.dimension == b.dimension;
}

std::optional<std::pair<size_t, size_t>> rows_that_disagree(
    std::span<const CollectiveNode> calls, std::span<const std::vector<at::Tensor>> offers) {
  const auto members = static_cast<int64_t>(calls.size());
  for (size_t receiver = 0; receiver < calls.size(); ++receiver) {
    const CollectiveNode& call = calls[receiver];
    if (call.kind != Kind::kAllToAll) return std::nullopt;
    for (size_t sender = 0; sender < calls.size(); ++sender) {
      const int64_t sent = rows_for(calls[sender], offers[sender].at(0), calls.size(), receiver)
                               .size(call.dimension);
      const int64_t expected = call.expects.empty()
                                   ? offers[receiver].at(0).size(call.dimension) / members
                                   : call.expects.at(sender);
      if (sent != expected) return std::pair(sender, receiver);
    }
  }
  return std::nullopt;
}

std::vector<at::Tensor> collective_results(std::span<const CollectiveNode> calls,
                                           std::span<const std::vector<at::Tensor>> offers,
                                           size_t member) {
  const CollectiveNode& call = calls[member];
  const bool is_source = static_cast<size_t>(call.source) == member;
  const auto column = [&](size_t i) {
    std::vector<at::Tensor> tensors;
    for (const std::vector<at::Tensor>& offer : offers) tensors.push_back(offer.at(i));
    return tensors;
  };
  std::vector<at::Tensor> results;
  const auto each = [&](const std::function<at::Tensor(size_t)>& result) {
    for (size_t i = 0; i < offers[member].size(); ++i) results.push_back(result(i));
    return results;
  };
  switch (call.kind) {
    case Kind::kAllReduce:
      return each([&](size_t i) { return reduce_inputs(call, column(i)); });
    case Kind::kReduce:
      return {is_source ? reduce_inputs(call, column(0)) : offers[member][0]};
    case Kind::kAllGather:
      return each([&](size_t i) { return at::cat(column(i), call.dimension); });
    case Kind::kAllGatherList:
      return column(0);
    case Kind::kGather:
      if (is_source) results = column(0);
      return results;
    case Kind::kReduceScatter:
      return each([&](size_t i) {
        return reduce_inputs(call, column(i))
            .chunk(static_cast<int64_t>(offers.size()), call.dimension)
            .at(member)
            .clone();
      });
    case Kind::kReduceScatterList:
      return {reduce_inputs(call, column(member))};
    case Kind::kBroadcast:
      return {offers[static_cast<size_t>(call.source)].at(0).clone()};
    case Kind::kScatter:
      return {offers[static_cast<size_t>(call.source)].at(member).clone()};
    case Kind::kAllToAll: {
      std::vector<at::Tensor> received;
      for (size_t i = 0; i < offers.size(); ++i)
        received.push_back(rows_for(calls[i], offers[i].at(0), offers.size(), member));
      return {at::cat(received, call.dimension)};
    }
    case Kind::kAllToAllList:
      return column(member);
    case Kind::kBarrier:
    case Kind::kSend:
      return results;
    case Kind::kReceive:
      return {offers[0].at(0).clone()};
  }
  throw InternalError("unknown collective");
}

}  // namespace assay
