#include "shared_ir/capture/record/collectives.h"

#include <ATen/ops/empty.h>

#include <optional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/base/error.h"
#include "shared_ir/capture/record/pending_calls.h"
#include "shared_ir/capture/torch/arguments.h"

namespace assay {
namespace {

// How the arguments of a call are read.
enum class Form {
  kEachTensor,  // a tensor, or a list of them: one collective each, with a functional form
  kSend,
  kReceive,
  kReduce,
  kAllGather,  // from here to kAllToAll: lists with a tensor for each member
  kGather,
  kReduceScatter,
  kScatter,
  kAllToAll,
  kBarrier,
};

struct Rule {
  std::string_view op;           // as dispatched
  std::string_view graph;        // in the graph, without ".default"
  std::string_view input;        // names of arguments
  std::string_view destination;  // empty: returns a new tensor, or none
  Form form = Form::kEachTensor;
};

constexpr std::string_view kAllReduce = "_c10d_functional.all_reduce";
constexpr std::string_view kAllGather = "_c10d_functional.all_gather_into_tensor";
constexpr std::string_view kReduceScatter = "_c10d_functional.reduce_scatter_tensor";
constexpr std::string_view kBroadcast = "_c10d_functional.broadcast";
constexpr std::string_view kAllToAll = "_c10d_functional.all_to_all_single";

constexpr Rule kRules[] = {
    {"c10d::allreduce_", kAllReduce, "tensors", "tensors"},
    {"c10d::allreduce_coalesced_", kAllReduce, "tensors", "tensors"},
    {"c10d::_allgather_base_", kAllGather, "input_tensor", "output_tensor"},
    {"c10d::allgather_into_tensor_coalesced_", kAllGather, "inputs", "outputs"},
    {"c10d::_reduce_scatter_base_", kReduceScatter, "input_tensor", "output_tensor"},
    {"c10d::reduce_scatter_tensor_coalesced_", kReduceScatter, "inputs", "outputs"},
    {"c10d::broadcast_", kBroadcast, "tensors", "tensors"},
    {"c10d::alltoall_base_", kAllToAll, "input", "output"},
    {"_c10d_functional::all_reduce", kAllReduce, "input", ""},
    {"_c10d_functional::all_reduce_", kAllReduce, "input", "input"},
    {"_c10d_functional::all_reduce_coalesced", kAllReduce, "inputs", ""},
    {"_c10d_functional::all_reduce_coalesced_", kAllReduce, "inputs", "inputs"},
    {"_c10d_functional::all_gather_into_tensor", kAllGather, "input", ""},
    {"_c10d_functional::all_gather_into_tensor_out", kAllGather, "input", "out"},
    {"_c10d_functional::all_gather_into_tensor_coalesced", kAllGather, "inputs", ""},
    {"_c10d_functional::reduce_scatter_tensor", kReduceScatter, "input", ""},
    {"_c10d_functional::reduce_scatter_tensor_out", kReduceScatter, "input", "out"},
    {"_c10d_functional::reduce_scatter_tensor_coalesced", kReduceScatter, "inputs", ""},
    {"_c10d_functional::broadcast", kBroadcast, "input", ""},
    {"_c10d_functional::broadcast_", kBroadcast, "input", "input"},
    {"_c10d_functional::all_to_all_single", kAllToAll, "input", ""},
    {"c10d::send", "c10d.send", "tensors", "", Form::kSend},
    {"c10d::recv_", "c10d.recv", "tensors", "tensors", Form::kReceive},
    {"c10d::reduce_", "c10d.reduce", "tensors", "tensors", Form::kReduce},
    {"c10d::allgather_", "c10d.all_gather", "input_tensors", "output_tensors", Form::kAllGather},
    {"c10d::gather_", "c10d.gather", "input_tensors", "output_tensors", Form::kGather},
    {"c10d::reduce_scatter_", "c10d.reduce_scatter", "input_tensors", "output_tensors",
     Form::kReduceScatter},
    {"c10d::scatter_", "c10d.scatter", "input_tensors", "output_tensors", Form::kScatter},
    {"c10d::alltoall_", "c10d.all_to_all", "input_tensors", "output_tensors", Form::kAllToAll},
    {"c10d::barrier", "c10d.barrier", "", "", Form::kBarrier},
    {"c10d::monitored_barrier_", "c10d.barrier", "", "", Form::kBarrier},
};

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
  // Lists with a tensor for each member; none at a rank that gives, or gets, none.
  std::vector<at::Tensor> members(std::string_view name, size_t list) const {
    const auto lists = get(name).toListRef();
    return list < lists.size() ? lists[list].toTensorVector() : std::vector<at::Tensor>();
  }
  Arg integer(std::string_view name) const { return {get(name).toInt()}; }

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

// `destination` may be undefined.
CollectiveCall functional_call(std::string_view functional, const at::Tensor& input,
                               const at::Tensor& destination, const Arguments& arguments) {
  CollectiveCall call;
  call.operands.push_back({{input}, /*list=*/false});
  const Group group = group_of(arguments);
  const Arg size{group.size};
  const Arg name{group.name};
  Shape shape = input.sizes().vec();
  if (functional == kAllReduce) {
    call.attributes = {{reduce_name(arguments.get("reduce_op"))}, name};
  } else if (functional == kBroadcast) {
    const c10::IValue* root = arguments.find("root_rank");
    call.attributes = {{(root != nullptr ? *root : arguments.get("src")).toInt()}, name};
  } else if (functional == kAllGather) {
    call.attributes = {size, name};
    if (shape.empty()) shape = {1};
    shape[0] *= group.size;
  } else if (functional == kReduceScatter) {
    call.attributes = {{reduce_name(arguments.get("reduce_op"))}, size, name};
    shape.at(0) /= group.size;
  } else {
    const int64_t rows_in = input.size(0);
    const int64_t rows_out = destination.defined() ? destination.size(0) : rows_in;
    const auto out = splits_of(arguments.get("output_split_sizes"), rows_out, group.size);
    const auto in = splits_of(arguments.get("input_split_sizes"), rows_in, group.size);
    call.attributes = {int_list(out), int_list(in), name};
    shape[0] = 0;
    for (const int64_t split : out) shape[0] += split;
  }
  // A destination may have another shape of as many elements (c10d copies memory).
  if (destination.defined()) {
    call.destinations = {destination};
    if (destination.sizes() != at::IntArrayRef(shape) &&
        destination.numel() == element_count(shape))
      call.made_shape = std::move(shape);
  } else {
    call.output_shape = std::move(shape);
  }
  return call;
}

// The collectives of c10d that have no functional form.
std::vector<CollectiveCall> listed_calls(const Rule& rule, const Arguments& arguments) {
  const Group group = group_of(arguments);
  const Arg size{group.size}, name{group.name};
  const auto reduce = [&] { return Arg{reduce_name(arguments.get("reduce_op"))}; };
  const auto one = [](const at::Tensor& tensor) { return CollectiveOperand{{tensor}, false}; };
  const auto list = [](std::vector<at::Tensor> tensors) {
    return CollectiveOperand{std::move(tensors), true};
  };
  std::vector<CollectiveCall> calls;
  const auto add = [&](std::vector<CollectiveOperand> operands, ArgList attributes,
                       std::vector<at::Tensor> destinations) {
    calls.push_back(
        {"", std::move(operands), std::move(attributes), std::move(destinations), {}, {}});
  };
  if (rule.form == Form::kBarrier) {
    add({}, {name}, {});
    return calls;
  }
  if (rule.form == Form::kAllToAll) {
    const auto sent = arguments.tensors(rule.input), written = arguments.tensors(rule.destination);
    add({list(written), list(sent)}, {name}, written);
    return calls;
  }
  const bool scatters = rule.form == Form::kReduceScatter || rule.form == Form::kScatter;
  const auto tensors = arguments.tensors(scatters ? rule.destination : rule.input);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor& x = tensors[i];
    switch (rule.form) {
      case Form::kSend:
        add({one(x)}, {arguments.integer("dst"), arguments.integer("tag"), name}, {});
        break;
      case Form::kReceive:
        add({one(x)}, {arguments.integer("src"), arguments.integer("tag"), name}, {x});
        break;
      case Form::kReduce:
        add({one(x)}, {reduce(), arguments.integer("root_rank"), name}, {x});
        break;
      case Form::kAllGather: {
        const auto written = arguments.members(rule.destination, i);
        add({list(written), one(x)}, {size, name}, written);
        break;
      }
      case Form::kGather:
        add({one(x)}, {arguments.integer("root_rank"), size, name},
            arguments.members(rule.destination, i));
        break;
      case Form::kReduceScatter:
        add({list(arguments.members(rule.input, i))}, {reduce(), size, name}, {x});
        break;
      default:
        add({one(x), list(arguments.members(rule.input, i))},
            {arguments.integer("root_rank"), name}, {x});
        break;
    }
  }
  return calls;
}

// Done as soon as somebody asks.
class AwaitedWork : public c10d::Work {
 public:
  explicit AwaitedWork(std::shared_ptr<AwaitedCall> call) : call_(std::move(call)) {}
  bool isCompleted() override { return done(); }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return done(); }
  void synchronize() override { done(); }
  void blockCurrentStream() override { done(); }

 private:
  bool done() {
    call_->wait();
    return true;
  }

  std::shared_ptr<AwaitedCall> call_;
};

}  // namespace

CollectiveKind collective_kind(const c10::OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  if (name == "_c10d_functional::wait_tensor") return CollectiveKind::kSynchronize;
  if (!name.starts_with("c10d::") && !name.starts_with("_c10d_functional::")) {
    return CollectiveKind::kNotCollective;
  }
  return find_rule(op) != nullptr ? CollectiveKind::kData : CollectiveKind::kUnsupported;
}

std::vector<CollectiveCall> collective_calls(const c10::OperatorHandle& op,
                                             std::span<const c10::IValue> values) {
  const Rule* rule = find_rule(op);
  ASSAY_CHECK(rule != nullptr, "a collective with a rule");
  const Arguments arguments(op, values);
  std::vector<CollectiveCall> calls;
  if (rule->form == Form::kEachTensor) {
    const std::vector<at::Tensor> inputs = arguments.tensors(rule->input);
    std::vector<at::Tensor> destinations(inputs.size());
    if (!rule->destination.empty()) destinations = arguments.tensors(rule->destination);
    ASSAY_CHECK(destinations.size() == inputs.size(), "a destination for each input");
    for (size_t i = 0; i < inputs.size(); ++i)
      calls.push_back(functional_call(rule->graph, inputs[i], destinations[i], arguments));
  } else {
    calls = listed_calls(*rule, arguments);
  }
  for (CollectiveCall& call : calls) call.op = std::string(rule->graph) + ".default";
  return calls;
}

std::vector<c10::IValue> results_without_communication(
    const c10::OperatorHandle& op, std::span<const c10::IValue> values,
    const std::vector<CollectiveCall>& calls, const std::shared_ptr<AwaitedCall>& awaited) {
  const Rule* rule = find_rule(op);
  std::vector<at::Tensor> tensors;
  for (const CollectiveCall& call : calls) {
    if (call.output_shape)
      tensors.push_back(at::empty(*call.output_shape, call.operands[0].tensors[0].options()));
  }
  std::vector<c10::IValue> results;
  for (const auto& result : op.schema().returns()) {
    const c10::TypeKind kind = result.type()->kind();
    if (kind != c10::TypeKind::TensorType && kind != c10::TypeKind::ListType) {
      results.emplace_back(
          c10::intrusive_ptr<c10d::Work>(c10::make_intrusive<AwaitedWork>(awaited)));
    } else if (rule == nullptr) {
      results.emplace_back(values[0]);  // wait_tensor returns its argument
    } else if (!rule->destination.empty()) {
      results.emplace_back(Arguments(op, values).get(rule->destination));
    } else if (kind == c10::TypeKind::TensorType) {
      results.emplace_back(tensors.at(0));
    } else {
      results.emplace_back(tensors);
    }
  }
  return results;
}

Wait wait_of(const c10::OperatorHandle& op, std::span<const c10::IValue> values) {
  const Rule* rule = find_rule(op);
  ASSAY_CHECK(rule != nullptr, "a collective with a rule");
  if (rule->form == Form::kBarrier) return Wait::kNever;
  if (rule->op.starts_with("_c10d_functional::")) return Wait::kForTensor;
  const c10::IValue* asynchronous = Arguments(op, values).find("async_op");
  return asynchronous != nullptr && !asynchronous->toBool() ? Wait::kNever : Wait::kForWork;
}

bool copies_operand(const CollectiveCall& call) {
  const bool functional = call.output_shape.has_value();
  return functional && (call.op.starts_with(kAllReduce) || call.op.starts_with(kBroadcast));
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
