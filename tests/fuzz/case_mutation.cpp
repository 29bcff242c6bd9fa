#include "tests/fuzz/case_mutation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::test {
namespace {

// Operators of one signature; each may be written for another of its row.
using Row = std::array<std::string_view, 6>;
constexpr std::array<Row, 13> kNeighbours = {{
    {"aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor", "aten.maximum.default",
     "aten.minimum.default", "aten.div.Tensor"},
    {"aten.add.Scalar", "aten.mul.Scalar", "aten.rsub.Scalar", "aten.sub.Scalar",
     "aten.clamp_min.default", "aten.clamp_max.default"},
    {"aten.eq.Tensor", "aten.ne.Tensor", "aten.lt.Tensor", "aten.le.Tensor", "aten.gt.Tensor",
     "aten.ge.Tensor"},
    {"aten.eq.Scalar", "aten.ne.Scalar", "aten.lt.Scalar", "aten.le.Scalar", "aten.gt.Scalar",
     "aten.ge.Scalar"},
    {"aten.logical_and.default", "aten.logical_or.default", "aten.logical_xor.default",
     "aten.bitwise_and.Tensor", "aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor"},
    {"aten.tanh.default", "aten.sigmoid.default", "aten.relu.default", "aten.exp.default",
     "aten.abs.default", "aten.neg.default"},
    {"aten.sqrt.default", "aten.rsqrt.default", "aten.square.default", "aten.reciprocal.default",
     "aten.floor.default", "aten.sign.default"},
    {"aten.amax.default", "aten.amin.default", "aten.sum.dim_IntList", "aten.mean.dim"},
    {"aten._softmax.default", "aten._log_softmax.default"},
    {"aten.tril.default", "aten.triu.default"},
    {"aten.add_.Tensor", "aten.sub_.Tensor", "aten.mul_.Tensor", "aten.copy_.default"},
    {"aten.any.dim", "aten.all.dim"},
    {"aten.scatter_add.default", "aten.scatter.src"},
}};

class Mutating {
 public:
  Mutating(Case& refinement, std::mt19937_64& random) : case_(refinement), random_(random) {}

  void run() {
    if (below(12) == 0) return change_relation();
    const size_t side = below(case_.ranks.size() + 2);  // 0: sequential; last: all ranks
    const uint64_t draw = random_();
    if (side == 0) return change(case_.sequential, draw);
    if (side <= case_.ranks.size()) return change(case_.ranks[side - 1], draw);
    for (Graph& graph : case_.ranks) change(graph, draw);
  }

 private:
  size_t below(size_t n) { return random_() % n; }

  void change_relation() {
    if (case_.inputs.empty()) return;
    Relation& relation = case_.inputs[below(case_.inputs.size())];
    std::vector<CleanExpr>& parts = relation.replicas[below(relation.replicas.size())].operands;
    if (parts.size() > 1) std::swap(parts[0], parts[1 + below(parts.size() - 1)]);
  }

  // The same change of every graph that has the same nodes.
  void change(Graph& graph, uint64_t draw) {
    if (graph.nodes.empty()) return;
    std::mt19937_64 random(draw);
    const size_t at = random() % graph.nodes.size();
    Node& node = graph.nodes[at];
    std::vector<Arg*> args;
    for (Arg& arg : node.args) collect(arg, args);
    switch (random() % 6) {
      case 0:
        return swap_operands(graph, args, random);
      case 1:
        return read_another(graph, at, args, random);
      case 2:
      case 3:
        return change_constant(args, random);
      case 4:
        return rename(node, random);
      default:
        return swap_nodes(graph, at);
    }
  }

  static void collect(Arg& arg, std::vector<Arg*>& into) {
    into.push_back(&arg);
    if (auto* list = std::get_if<ArgList>(&arg.value))
      for (Arg& element : *list) collect(element, into);
  }

  static const Tensor& tensor(const Graph& graph, TensorId id) {
    return graph.tensors[static_cast<size_t>(id)];
  }

  static bool same_type(const Tensor& a, const Tensor& b) {
    return a.shape == b.shape && a.dtype == b.dtype;
  }

  static std::vector<TensorArg*> tensors(const std::vector<Arg*>& args) {
    std::vector<TensorArg*> found;
    for (Arg* arg : args)
      if (auto* one = std::get_if<TensorArg>(&arg->value)) found.push_back(one);
    return found;
  }

  static void swap_operands(const Graph& graph, const std::vector<Arg*>& args,
                            std::mt19937_64& random) {
    const std::vector<TensorArg*> found = tensors(args);
    if (found.size() < 2) return;
    TensorArg* a = found[random() % found.size()];
    TensorArg* b = found[random() % found.size()];
    if (same_type(tensor(graph, a->id), tensor(graph, b->id))) std::swap(a->id, b->id);
  }

  static void read_another(const Graph& graph, size_t node, const std::vector<Arg*>& args,
                           std::mt19937_64& random) {
    const std::vector<TensorArg*> found = tensors(args);
    if (found.empty()) return;
    TensorArg* operand = found[random() % found.size()];
    std::vector<TensorId> others;
    for (size_t id = 0; id < graph.tensors.size(); ++id) {
      const Tensor& other = graph.tensors[id];
      if (other.producer < static_cast<NodeId>(node) &&
          same_type(other, tensor(graph, operand->id)))
        others.push_back(static_cast<TensorId>(id));
    }
    if (!others.empty()) operand->id = others[random() % others.size()];
  }

  static void change_constant(const std::vector<Arg*>& args, std::mt19937_64& random) {
    std::vector<Arg*> constants;
    for (Arg* arg : args)
      if (!std::holds_alternative<TensorArg>(arg->value) &&
          !std::holds_alternative<ArgList>(arg->value) && !arg->is_none())
        constants.push_back(arg);
    if (constants.empty()) return;
    Arg& arg = *constants[random() % constants.size()];
    if (auto* integer = std::get_if<int64_t>(&arg.value)) {
      const std::array<int64_t, 5> others = {*integer + 1, *integer - 1, -*integer, 2 * *integer,
                                             0};
      *integer = others[random() % others.size()];
    } else if (auto* real = std::get_if<double>(&arg.value)) {
      *real = random() % 2 == 0 ? *real + 1 : 2 * *real;
    } else if (auto* flag = std::get_if<bool>(&arg.value)) {
      *flag = !*flag;
    } else if (auto* text = std::get_if<std::string>(&arg.value)) {
      if (*text == "sum")
        *text = random() % 2 == 0 ? "avg" : "max";
      else if (*text == "max")
        *text = "min";
    }
  }

  static void rename(Node& node, std::mt19937_64& random) {
    for (const Row& row : kNeighbours) {
      if (std::ranges::find(row, node.op) == row.end()) continue;
      const std::string_view other = row[random() % row.size()];
      if (!other.empty()) node.op = other;
      return;
    }
  }

  // A call comes before the one ahead of it, whose results it does not read.
  static void swap_nodes(Graph& graph, size_t at) {
    if (at == 0) return;
    for (const TensorId id : operands_of(graph.nodes[at]))
      if (tensor(graph, id).producer == static_cast<NodeId>(at) - 1) return;
    std::swap(graph.nodes[at - 1], graph.nodes[at]);
    for (const size_t node : {at - 1, at})
      for (const TensorId id : graph.nodes[node].outputs)
        if (id != kNone)
          graph.tensors[static_cast<size_t>(id)].producer = static_cast<NodeId>(node);
  }

  Case& case_;
  std::mt19937_64& random_;
};

}  // namespace

void mutate(Case& refinement, std::mt19937_64& random) { Mutating(refinement, random).run(); }

}  // namespace assay::test
