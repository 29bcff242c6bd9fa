#include "shared_ir/capture/collectives.h"

#include <ATen/ops/empty.h>

#include <array>
#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/capture/arguments.h"
#include "shared_ir/error.h"

namespace assay {
namespace {

struct Rule {
  std::string_view op;           // as dispatched
  std::string_view functional;   // in the graph, after "_c10d_functional."
  std::string_view input;        // names of arguments
  std::string_view destination;  // empty: returns a new tensor
};

constexpr std::array<Rule, 19> kRules = {{
    {"c10d::allreduce_", "all_reduce", "tensors", "tensors"},
    {"c10d::allreduce_coalesced_", "all_reduce", "tensors", "tensors"},
    {"c10d::_allgather_base_", "all_gather_into_tensor", "input_tensor", "output_tensor"},
    {"c10d::allgather_into_tensor_coalesced_", "all_gather_into_tensor", "inputs", "outputs"},
    {"c10d::_reduce_scatter_base_", "reduce_scatter_tensor", "input_tensor", "output_tensor"},
    {"c10d::reduce_scatter_tensor_coalesced_", "reduce_scatter_tensor", "inputs", "outputs"},
    {"c10d::broadcast_", "broadcast", "tensors", "tensors"},
    {"c10d::alltoall_base_", "all_to_all_single", "input", "output"},
    {"_c10d_functional::all_reduce", "all_reduce", "input", ""},
    {"_c10d_functional::all_reduce_", "all_reduce", "input", "input"},
    {"_c10d_functional::all_reduce_coalesced", "all_reduce", "inputs", ""},
    {"_c10d_functional::all_reduce_coalesced_", "all_reduce", "inputs", "inputs"},
    {"_c10d_functional::all_gather_into_tensor", "all_gather_into_tensor", "input", ""},
    {"_c10d_functional::all_gather_into_tensor_coalesced", "all_gather_into_tensor", "inputs", ""},
    {"_c10d_functional::reduce_scatter_tensor", "reduce_scatter_tensor", "input", ""},
    {"_c10d_functional::reduce_scatter_tensor_coalesced", "reduce_scatter_tensor", "inputs", ""},
    {"_c10d_functional::broadcast", "broadcast", "input", ""},
    {"_c10d_functional::broadcast_", "broadcast", "input", "input"},
    {"_c10d_functional::all_to_all_single", "all_to_all_single", "input", ""},
}};

const Rule* find_rule(const c10::OperatorHandle& op) {
  for (const Rule& rule : kRules) {
    if (rule.op == op.operator_name().name) return &rule;
  }
  return nullptr;
}

// Arguments by name: their positions differ between versions of LibTorch.
class Arguments {
 public:
  Arguments(const c10::OperatorHandle& op, std::span<const c10::IValue> values)
      : schema_(op.schema()), values_(values) {}

  const c10::IValue* find(std::string_view name) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (schema_.arguments()[i].name() == name) return &values_[i];
    }
    return nullptr;
  }
  const c10::IValue& get(std::string_view name) const {
    const c10::IValue* value = find(name);
    ASSAY_CHECK(value != nullptr, schema_.name() + " has no argument " + std::string(name));
    return *value;
  }
  std::vector<at::Tensor> tensors(std::string_view name) const {
    const c10::IValue& value = get(name);
    return value.isTensor() ? std::vector{value.toTensor()} : value.toTensorVector();
  }

 private:
  const c10::FunctionSchema& schema_;
  std::span<const c10::IValue> values_;
};

std::string reduce_name(const c10::IValue& reduce) {
  if (reduce.isString()) return reduce.toStringRef();
  switch (reduce.toCustomClass<c10d::ReduceOp>()->op_) {
    case c10d::ReduceOp::SUM:
      return "sum";
    case c10d::ReduceOp::AVG:
      return "avg";
    case c10d::ReduceOp::PRODUCT:
      return "product";
    case c10d::ReduceOp::MIN:
      return "min";
    case c10d::ReduceOp::MAX:
      return "max";
    default:
      throw UserError({}, "this reduction of a collective is not supported",
                      "use sum, avg, product, min or max");
  }
}

struct Group {
  std::string name;
  int64_t size = 0;  // 0 where neither the call nor the graph's form has it
};

Group group_of(const Arguments& arguments) {
  if (const c10::IValue* value = arguments.find("process_group")) {
    const auto group = value->toCustomClass<c10d::ProcessGroup>();
    return {group->getGroupName(), group->getSize()};
  }
  const c10::IValue* size = arguments.find("group_size");
  return {arguments.get("group_name").toStringRef(), size == nullptr ? 0 : size->toInt()};
}

std::vector<int64_t> splits_of(const c10::IValue& value, int64_t rows, int64_t group_size) {
  std::vector<int64_t> splits;
  for (const c10::IValue& split : value.toListRef()) splits.push_back(split.toInt());
  if (splits.empty()) splits.assign(static_cast<size_t>(group_size), rows / group_size);
  return splits;
}

void add_attributes(CollectiveCall& call, std::string_view functional, const Arguments& arguments) {
  const Group group = group_of(arguments);
  const Arg size{group.size};
  const Arg name{group.name};
  call.output_shape = call.input.sizes().vec();
  if (functional == "all_reduce") {
    call.attributes = {{reduce_name(arguments.get("reduce_op"))}, name};
  } else if (functional == "broadcast") {
    const c10::IValue* root = arguments.find("root_rank");
    call.attributes = {{(root != nullptr ? *root : arguments.get("src")).toInt()}, name};
  } else if (functional == "all_gather_into_tensor") {
    call.attributes = {size, name};
    if (call.output_shape.empty()) call.output_shape = {1};
    call.output_shape[0] *= group.size;
  } else if (functional == "reduce_scatter_tensor") {
    call.attributes = {{reduce_name(arguments.get("reduce_op"))}, size, name};
    call.output_shape.at(0) /= group.size;
  } else {
    const int64_t rows_in = call.input.size(0);
    const int64_t rows_out = call.destination.defined() ? call.destination.size(0) : rows_in;
    const auto out = splits_of(arguments.get("output_split_sizes"), rows_out, group.size);
    const auto in = splits_of(arguments.get("input_split_sizes"), rows_in, group.size);
    call.attributes = {int_list(out), int_list(in), name};
    call.output_shape[0] = 0;
    for (const int64_t split : out) call.output_shape[0] += split;
  }
}

constexpr std::string_view kGatherIntoList = "c10d::allgather_";

// Pieces of any sizes, each into a tensor of its own: what every member sends to all.
std::vector<CollectiveCall> gather_into_list(const Arguments& arguments) {
  const auto group = arguments.get("process_group").toCustomClass<c10d::ProcessGroup>();
  const std::vector<at::Tensor> inputs = arguments.tensors("input_tensors");
  const c10::List<c10::IValue> lists = arguments.get("output_tensors").toList();
  if (inputs.size() != 1 || lists.size() != 1) {
    throw UserError({}, "this all_gather gathers on several devices of one rank",
                    "use one tensor per rank");
  }
  const std::vector<at::Tensor> outputs = lists.get(0).toTensorVector();
  const auto own = static_cast<size_t>(group->getRank());
  if (static_cast<int64_t>(outputs.size()) != group->getSize() ||
      outputs[own].numel() != inputs[0].numel()) {
    throw UserError({}, "this all_gather does not fit its list of results",
                    "give a tensor for every rank of the group, each as large as what that rank "
                    "sends");
  }
  std::vector<CollectiveCall> calls;
  for (size_t member = 0; member < outputs.size(); ++member) {
    CollectiveCall call;
    call.op = "_c10d_functional.broadcast.default";
    call.input = member == own ? inputs[0] : outputs[member];
    call.attributes = {{static_cast<int64_t>(member)}, {group->getGroupName()}};
    call.destination = outputs[member];
    call.output_shape = call.destination.sizes().vec();
    calls.push_back(std::move(call));
  }
  return calls;
}

class CompletedWork : public c10d::Work {
 public:
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  void synchronize() override {}
};

}  // namespace

CollectiveKind collective_kind(const c10::OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  if (name == "c10d::barrier" || name == "c10d::monitored_barrier_" ||
      name == "_c10d_functional::wait_tensor") {
    return CollectiveKind::kSynchronize;
  }
  if (!name.starts_with("c10d::") && !name.starts_with("_c10d_functional::")) {
    return CollectiveKind::kNotCollective;
  }
  const bool known = name == kGatherIntoList || find_rule(op) != nullptr;
  return known ? CollectiveKind::kData : CollectiveKind::kUnsupported;
}

std::vector<CollectiveCall> collective_calls(const c10::OperatorHandle& op,
                                             std::span<const c10::IValue> values) {
  const Arguments arguments(op, values);
  if (op.operator_name().name == kGatherIntoList) return gather_into_list(arguments);
  const Rule* rule = find_rule(op);
  ASSAY_CHECK(rule != nullptr, "a collective with a rule");
  const std::vector<at::Tensor> inputs = arguments.tensors(rule->input);
  std::vector<at::Tensor> destinations(inputs.size());
  if (!rule->destination.empty()) destinations = arguments.tensors(rule->destination);
  ASSAY_CHECK(destinations.size() == inputs.size(), "a destination for each input");

  std::vector<CollectiveCall> calls;
  for (size_t i = 0; i < inputs.size(); ++i) {
    CollectiveCall call;
    call.op = "_c10d_functional." + std::string(rule->functional) + ".default";
    call.input = inputs[i];
    call.destination = destinations[i];
    add_attributes(call, rule->functional, arguments);
    // A destination may have another shape of as many elements (c10d copies memory).
    if (call.destination.defined()) call.output_shape = call.destination.sizes().vec();
    calls.push_back(std::move(call));
  }
  return calls;
}

std::vector<c10::IValue> results_without_communication(const c10::OperatorHandle& op,
                                                       std::span<const c10::IValue> arguments,
                                                       const std::vector<CollectiveCall>& calls) {
  std::vector<at::Tensor> tensors;
  for (const CollectiveCall& call : calls) {
    tensors.push_back(call.destination.defined()
                          ? call.destination
                          : at::empty(call.output_shape, call.input.options()));
  }
  std::vector<c10::IValue> results;
  for (const auto& result : op.schema().returns()) {
    if (result.type()->kind() == c10::TypeKind::TensorType) {
      // wait_tensor returns its argument.
      results.emplace_back(tensors.empty() ? arguments[0].toTensor() : tensors[0]);
    } else if (result.type()->kind() == c10::TypeKind::ListType) {
      const auto element = result.type()->expectRef<c10::ListType>().getElementType();
      // A list of lists is the call's own argument.
      const bool nested = element->kind() == c10::TypeKind::ListType;
      results.push_back(nested ? arguments[0] : c10::IValue(tensors));
    } else {
      results.emplace_back(c10::intrusive_ptr<c10d::Work>(c10::make_intrusive<CompletedWork>()));
    }
  }
  return results;
}

std::function<void()> waiter(std::span<const c10::IValue> results) {
  for (const c10::IValue& result : results) {
    if (result.isCustomClass()) {
      auto work = result.toCustomClass<c10d::Work>();
      return [work] { work->wait(); };
    }
  }
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& result : results) {
    if (result.isTensor()) tensors.push_back(result.toTensor());
    if (result.isTensorList()) tensors = result.toTensorVector();
  }
  return [tensors] {
    static const auto wait = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("_c10d_functional::wait_tensor", "")
                                 .typed<at::Tensor(const at::Tensor&)>();
    for (const auto& tensor : tensors) wait.call(tensor);
  };
}

}  // namespace assay
