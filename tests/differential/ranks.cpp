#include "tests/differential/ranks.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "shared_ir/import/fx_json/fx_json.h"

namespace assay::test {
namespace {

constexpr std::array kReductions = {"sum", "max", "min", "avg", "product"};

Arg tensor_arg(TensorId id) { return {TensorArg{id}}; }
Arg text_arg(const std::string& value) { return {value}; }

class RanksDrawing {
 public:
  RanksDrawing(DrawnProgram program, uint64_t seed)
      : graph_(std::move(program.graph)),
        values_(std::move(program.values)),
        random_(seed),
        ranks_(2 + below(2)) {}

  std::optional<RanksProgram> run() {
    int64_t made = 0;
    for (int64_t wanted = 1 + below(3); wanted > 0; --wanted) made += add_exchange() ? 1 : 0;
    if (made == 0) return std::nullopt;
    renumber();
    RanksProgram program{std::move(graph_), groups(), {}};
    for (int64_t rank = 0; rank < ranks_; ++rank) program.values.push_back(values_of(rank));
    return program;
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  Groups groups() const {
    std::vector<Rank> members(static_cast<size_t>(ranks_));
    std::iota(members.begin(), members.end(), 0);
    Groups made{{"all", members}};
    std::ranges::reverse(members);
    made["reversed"] = members;
    return made;
  }

  // Elements move on by one from rank to rank, so that indices stay within their tables.
  std::vector<ReferenceTensor> values_of(int64_t rank) const {
    std::vector<ReferenceTensor> values = values_;
    for (ReferenceTensor& value : values)
      if (const int64_t count = std::ssize(value.values); count > 0)
        std::rotate(value.values.begin(), value.values.begin() + rank % count, value.values.end());
    return values;
  }

  TensorId add_node(int64_t at, Node node, Shape shape, DType dtype) {
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    Tensor made{"t" + std::to_string(id), dtype, std::move(shape)};
    made.producer = 0;  // renumber() says which
    graph_.by_name[made.name] = id;
    graph_.tensors.push_back(std::move(made));
    node.outputs = {id};
    graph_.nodes.insert(graph_.nodes.begin() + at, std::move(node));
    return id;
  }

  static Node call(const std::string& op, std::vector<Arg> args) {
    Node node;
    node.op = op;
    node.args = std::move(args);
    return node;
  }

  // Each snippet gives a tensor of the type of `of`, waited for at place `at` or up to two calls
  // later; some calls after that read it in place of `of`.
  bool add_exchange() {
    std::vector<std::pair<int64_t, TensorId>> made;
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      for (const TensorId output : graph_.nodes[i].outputs)
        if (output != kNone) made.emplace_back(static_cast<int64_t>(i) + 1, output);
    if (made.empty()) return false;
    auto [at, of] = made[index(below(std::ssize(made)))];
    const Tensor type = graph_.tensors[index(of)];
    if (is_bool(type.dtype) || element_count(type.shape) == 0) return false;
    const std::string group = below(4) == 0 ? "reversed" : "all";
    const int64_t reductions = is_floating(type.dtype) ? 5 : 3;
    const Arg reduce = text_arg(kReductions[index(below(reductions))]);
    const bool in_place = below(4) == 0;
    const std::string mark = in_place ? "_" : "";
    const std::string prefix = "_c10d_functional.";
    Shape whole = type.shape;
    if (!whole.empty()) whole[0] *= ranks_;
    switch (below(4)) {
      case 0:
        finish(at, of, type,
               call(prefix + "all_reduce" + mark + ".default",
                    {tensor_arg(of), reduce, text_arg(group)}));
        return true;
      case 1:
        finish(at, of, type,
               call(prefix + "broadcast" + mark + ".default",
                    {tensor_arg(of), {below(ranks_)}, text_arg(group)}));
        return true;
      case 2:
        if (type.shape.empty() || type.shape[0] % ranks_ != 0) return false;
        {
          const Arg each = {ArgList(index(ranks_), Arg{type.shape[0] / ranks_})};
          finish(at, of, type,
                 call(prefix + "all_to_all_single.default",
                      {tensor_arg(of), each, each, text_arg(group)}));
        }
        return true;
      default:
        if (type.shape.empty()) return false;
        const TensorId gathered = add_gather(at, of, whole, group, in_place);
        finish(at, of, type,
               call(prefix + "reduce_scatter_tensor.default",
                    {tensor_arg(gathered), reduce, {ranks_}, text_arg(group)}));
        return true;
    }
  }

  // `at` moves behind it.
  TensorId add_gather(int64_t& at, TensorId of, const Shape& whole, const std::string& group,
                      bool into_memory) {
    const DType dtype = graph_.tensors[index(of)].dtype;
    const std::string op = "_c10d_functional.all_gather_into_tensor";
    Node gather = call(op + ".default", {tensor_arg(of), {ranks_}, text_arg(group)});
    if (into_memory) {
      const Arg copies = {ArgList(index(ranks_), tensor_arg(of))};
      const TensorId memory =
          add_node(at++, call("aten.cat.default", {copies, {int64_t{0}}}), whole, dtype);
      gather.op = op + "_out.default";
      gather.kwargs.emplace_back("out", tensor_arg(memory));
    }
    const TensorId flying = add_node(at++, gather, whole, dtype);
    return add_node(at++, call("_c10d_functional.wait_tensor.default", {tensor_arg(flying)}), whole,
                    dtype);
  }

  void finish(int64_t at, TensorId of, const Tensor& type, Node collective) {
    const TensorId flying = add_node(at, std::move(collective), type.shape, type.dtype);
    const int64_t wait = std::min<int64_t>(at + 1 + below(3), std::ssize(graph_.nodes));
    const TensorId arrived =
        add_node(wait, call("_c10d_functional.wait_tensor.default", {tensor_arg(flying)}),
                 type.shape, type.dtype);
    for (int64_t i = wait + 1; i < std::ssize(graph_.nodes); ++i)
      for (TensorArg* operand : operands(graph_.nodes[index(i)]))
        if (operand->id == of && below(3) != 0) operand->id = arrived;
    for (TensorId& output : graph_.outputs)
      if (output == of) output = arrived;
    if (std::ranges::find(graph_.outputs, arrived) == graph_.outputs.end() && below(3) == 0)
      graph_.outputs.push_back(arrived);
  }

  static size_t index(int64_t i) { return static_cast<size_t>(i); }

  void renumber() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node& node = graph_.nodes[i];
      node.source = {"program.py", static_cast<int64_t>(i) + 1};
      for (const TensorId output : node.outputs)
        if (output != kNone) graph_.tensors[index(output)].producer = static_cast<NodeId>(i);
    }
  }

  Graph graph_;
  std::vector<ReferenceTensor> values_;
  std::mt19937_64 random_;
  int64_t ranks_;
};

}  // namespace

std::optional<RanksProgram> draw_ranks(const ProgramOperators& operators, uint64_t seed) {
  constexpr uint64_t kAttempts = 8;
  const auto records_strides = [](const Tensor& one) { return one.strides.has_value(); };
  for (uint64_t attempt = seed * kAttempts; attempt < (seed + 1) * kAttempts; ++attempt) {
    DrawnProgram program = draw_program(operators, attempt);
    if (std::ranges::any_of(program.graph.tensors, records_strides)) continue;
    if (std::optional<RanksProgram> made = RanksDrawing(std::move(program), attempt).run())
      return made;
  }
  return std::nullopt;
}

std::string text_of(const RanksProgram& program) {
  std::string made = to_fx_json(program.graph, 0);
  for (Rank rank = 0; rank < program.ranks(); ++rank) {
    for (size_t i = 0; i < program.graph.inputs.size(); ++i) {
      made += "\n" +
              name_on_rank(program.graph.tensors[index(program.graph.inputs[i])].name, rank) + " =";
      for (const double value : program.values[static_cast<size_t>(rank)][i].values)
        made += " " + std::to_string(value);
    }
  }
  return made;
}

}  // namespace assay::test
