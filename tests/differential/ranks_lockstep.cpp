#include <algorithm>

#include "tests/differential/ranks.h"

namespace assay::test {
namespace {

constexpr std::string_view kCollectives = "_c10d_functional.";

class Lockstep {
 public:
  explicit Lockstep(const RanksProgram& program) : program_(program) {}

  DrawnProgram run() {
    result_.graph.name = "lockstep";
    const Graph& graph = program_.graph;
    const auto ranks = static_cast<size_t>(program_.ranks());
    is_.assign(ranks, std::vector<TensorId>(graph.tensors.size(), kNone));
    for (size_t rank = 0; rank < ranks; ++rank) {
      for (size_t i = 0; i < graph.inputs.size(); ++i) {
        result_.graph.inputs.push_back(add(graph.inputs[i], rank));
        result_.values.push_back(program_.values[rank][i]);
      }
    }
    for (const Node& node : graph.nodes) {
      if (node.op.starts_with(kCollectives))
        exchange(node);
      else
        for (size_t rank = 0; rank < ranks; ++rank) copy(node, rank);
    }
    for (size_t rank = 0; rank < ranks; ++rank)
      for (const TensorId output : graph.outputs)
        result_.graph.outputs.push_back(is_[rank][index(output)]);
    return std::move(result_);
  }

 private:
  TensorId add_tensor(Tensor tensor) {
    Graph& graph = result_.graph;
    const auto id = static_cast<TensorId>(graph.tensors.size());
    graph.by_name[tensor.name] = id;
    graph.tensors.push_back(std::move(tensor));
    return id;
  }

  TensorId add(TensorId of, size_t rank) {
    Tensor tensor = program_.graph.tensors[index(of)];
    tensor.name = name_on_rank(tensor.name, static_cast<Rank>(rank));
    return is_[rank][index(of)] = add_tensor(std::move(tensor));
  }

  void append(Node node, std::vector<TensorId> outputs) {
    Graph& graph = result_.graph;
    const auto producer = static_cast<NodeId>(graph.nodes.size());
    node.source = {"lockstep.py", producer + 1};
    for (const TensorId output : outputs)
      if (output != kNone) graph.tensors[index(output)].producer = producer;
    node.outputs = std::move(outputs);
    graph.nodes.push_back(std::move(node));
  }

  void copy(Node node, size_t rank) {
    for (TensorArg* operand : operands(node)) operand->id = is_[rank][index(operand->id)];
    std::vector<TensorId> outputs;
    for (const TensorId output : node.outputs)
      outputs.push_back(output == kNone ? kNone : add(output, rank));
    append(std::move(node), std::move(outputs));
  }

  TensorId call(const std::string& op, std::vector<Arg> args, Shape shape, DType dtype) {
    Node node;
    node.op = op;
    node.args = std::move(args);
    const TensorId made =
        add_tensor({"x" + std::to_string(result_.graph.tensors.size()), dtype, std::move(shape)});
    append(std::move(node), {made});
    return made;
  }

  const Tensor& type(TensorId id) const { return result_.graph.tensors[index(id)]; }

  TensorId reduced(const std::vector<TensorId>& members, const std::string& how) {
    const std::string op = how == "max"       ? "aten.maximum.default"
                           : how == "min"     ? "aten.minimum.default"
                           : how == "product" ? "aten.mul.Tensor"
                                              : "aten.add.Tensor";
    TensorId result = members[0];
    const Shape shape = type(result).shape;
    const DType dtype = type(result).dtype;
    for (size_t i = 1; i < members.size(); ++i)
      result = call(op, {{TensorArg{result}}, {TensorArg{members[i]}}}, shape, dtype);
    if (how == "avg")
      result = call("aten.div.Scalar", {{TensorArg{result}}, {std::ssize(members)}}, shape, dtype);
    return result;
  }

  TensorId joined(const std::vector<TensorId>& pieces) {
    Shape shape = type(pieces[0]).shape;
    shape[0] = 0;
    ArgList list;
    for (const TensorId piece : pieces) {
      list.push_back({TensorArg{piece}});
      shape[0] += type(piece).shape[0];
    }
    const DType dtype = type(pieces[0]).dtype;
    return call("aten.cat.default", {{list}, {int64_t{0}}}, shape, dtype);
  }

  // One of equal parts of dimension 0.
  TensorId part(TensorId of, size_t which) {
    Shape shape = type(of).shape;
    shape[0] /= program_.ranks();
    const int64_t start = static_cast<int64_t>(which) * shape[0];
    const DType dtype = type(of).dtype;
    return call("aten.slice.Tensor", {{TensorArg{of}}, {int64_t{0}}, {start}, {start + shape[0]}},
                shape, dtype);
  }

  // What each member gets, by place in the group.
  std::vector<TensorId> results(const std::string& kind, const Node& node,
                                const std::vector<TensorId>& members) {
    const auto reduction = [&] { return std::get<std::string>(node.args[1].value); };
    std::vector<TensorId> made;
    TensorId common = kNone;
    if (kind == "all_reduce" || kind == "reduce_scatter_tensor")
      common = reduced(members, reduction());
    if (kind == "all_gather_into_tensor") common = joined(members);
    if (kind == "broadcast")
      common = members[static_cast<size_t>(std::get<int64_t>(node.args[1].value))];
    for (size_t place = 0; place < members.size(); ++place) {
      if (kind == "reduce_scatter_tensor") {
        made.push_back(part(common, place));
      } else if (kind == "all_to_all_single") {
        std::vector<TensorId> pieces;
        for (const TensorId member : members) pieces.push_back(part(member, place));
        made.push_back(joined(pieces));
      } else {
        made.push_back(common);
      }
    }
    return made;
  }

  void exchange(const Node& node) {
    std::string kind = node.op.substr(kCollectives.size());
    kind.resize(kind.find('.'));
    const TensorId operand = operands_of(node)[0], output = node.outputs[0];
    if (kind == "wait_tensor") {
      for (std::vector<TensorId>& is : is_) is[index(output)] = is[index(operand)];
      return;
    }
    const bool in_place = kind.ends_with("_"), into_memory = kind.ends_with("_out");
    if (in_place) kind.resize(kind.size() - 1);
    if (into_memory) kind.resize(kind.size() - 4);
    const TensorId memory = in_place      ? operand
                            : into_memory ? std::get<TensorArg>(node.kwargs[0].second.value).id
                                          : kNone;
    const std::vector<Rank>& group =
        program_.groups.at(std::get<std::string>(node.args.back().value));
    std::vector<TensorId> members;
    for (const Rank rank : group) members.push_back(is_[index(rank)][index(operand)]);
    const std::vector<TensorId> made = results(kind, node, members);
    // What is copied must not have been written before it is read.
    std::vector<TensorId> fresh;
    for (const TensorId one : made)
      fresh.push_back(
          call("aten.clone.default", {{TensorArg{one}}}, Shape(type(one).shape), type(one).dtype));
    for (size_t place = 0; place < group.size(); ++place) {
      std::vector<TensorId>& is = is_[index(group[place])];
      is[index(output)] = fresh[place];
      if (memory == kNone) continue;
      const TensorId target = is[index(memory)];
      is[index(output)] =
          call("aten.copy_.default", {{TensorArg{target}}, {TensorArg{fresh[place]}}},
               Shape(type(target).shape), type(target).dtype);
    }
  }

  const RanksProgram& program_;
  DrawnProgram result_;
  std::vector<std::vector<TensorId>> is_;  // by rank: per tensor of the graph, what it is here
};

}  // namespace

std::string name_on_rank(const std::string& tensor, Rank rank) {
  return tensor + "_r" + std::to_string(rank);
}

DrawnProgram in_lockstep(const RanksProgram& program) { return Lockstep(program).run(); }

}  // namespace assay::test
