#include "dynamic_check/witness/shrink_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "dynamic_check/witness/size_classes.h"
#include "shared_ir/operator_table/operator_facts.h"

namespace assay {
namespace {

// Of the largest dimension of an input of integers.
constexpr int64_t kLeastIds = 64;
// Slices to the end of a dimension name an end beyond any size.
constexpr int64_t kNoSize = int64_t{1} << 62;

bool works_by_parts(const Node& node) {
  const OperatorFacts* facts = facts_of(node);
  return facts != nullptr && facts->by_parts;
}

std::vector<const Arg*> arguments_of(const Node& node) {
  std::vector<const Arg*> args;
  for (const Arg& arg : node.args) args.push_back(&arg);
  for (const auto& [name, arg] : node.kwargs) args.push_back(&arg);
  return args;
}

// Learns from graphs and relations which sizes belong together.
class Collector {
 public:
  explicit Collector(SizeClasses& classes) : classes_(classes) {}

  void graph(const Graph& graph) {
    for (const Tensor& tensor : graph.tensors) {
      for (const int64_t size : tensor.shape) classes_.add(size);
    }
    for (const TensorId input : graph.inputs) {
      const Tensor& tensor = graph.tensors[static_cast<size_t>(input)];
      if (is_integer(tensor.dtype) && !tensor.shape.empty())
        classes_.keep(*std::ranges::max_element(tensor.shape), kLeastIds);
    }
    for (const Node& node : graph.nodes) operation(graph, node);
  }

  // Returns the shape of the expression over `graphs`.
  Shape expr(const CleanExpr& value, const std::vector<const Graph*>& graphs) {
    std::vector<Shape> operands;
    for (const CleanExpr& operand : value.operands) operands.push_back(expr(operand, graphs));
    const Shape shape =
        infer_shape(value,
                    [&](const std::string& name, Rank rank) {
                      const Graph& of = *graphs.at(static_cast<size_t>(rank));
                      return of.tensors.at(static_cast<size_t>(of.find(name))).shape;
                    },
                    {});
    if (value.kind == CleanExpr::Kind::kReshape) classes_.equate(operands.front(), shape);
    for (const Shape& operand : operands) {
      if (value.kind != CleanExpr::Kind::kReshape && value.kind != CleanExpr::Kind::kPermute)
        parts(operand, shape, {value.start, value.end});
    }
    return shape;
  }

 private:
  void bound(int64_t value, int64_t size) {
    if (std::llabs(value) < kNoSize && std::llabs(value) >= kSmallSize)
      classes_.join(std::llabs(value), size);
  }

  // One is a part of the other, in every dimension where they differ; `bounds` lie in that one.
  void parts(const Shape& a, const Shape& b, const std::vector<int64_t>& bounds) {
    if (a.size() != b.size()) return;
    for (size_t dim = 0; dim < a.size(); ++dim) {
      if (a[dim] == b[dim]) continue;
      classes_.join(a[dim], b[dim]);
      for (const int64_t value : bounds) bound(value, a[dim]);
    }
  }

  // A list with a number for each dimension (HLO's starts and limits) bounds each of them.
  void operation_by_parts(const Node& node, const Shape& operand, const Shape& result) {
    std::vector<int64_t> bounds;
    for (const Arg* arg : arguments_of(node)) {
      if (const auto* integer = std::get_if<int64_t>(&arg->value)) bounds.push_back(*integer);
      const auto* list = std::get_if<ArgList>(&arg->value);
      for (size_t i = 0; list && i < list->size(); ++i) {
        const auto* integer = std::get_if<int64_t>(&(*list)[i].value);
        if (!integer) continue;
        if (node.op.starts_with("hlo.") && list->size() == operand.size()) {
          bound(*integer, operand[i]);
        } else {
          bounds.push_back(*integer);
        }
      }
    }
    parts(operand, result, bounds);
  }

  void operation(const Graph& graph, const Node& node) {
    const std::vector<TensorId> operands = operands_of(node);
    const bool by_parts = works_by_parts(node);
    for (const TensorId output : node.outputs) {
      if (output == kNone) continue;
      const Shape& result = graph.tensors[static_cast<size_t>(output)].shape;
      for (const TensorId id : operands) {
        const Shape& operand = graph.tensors[static_cast<size_t>(id)].shape;
        if (by_parts) operation_by_parts(node, operand, result);
        if (operands.size() == 1 && node.outputs.size() == 1 && !by_parts &&
            element_count(operand) == element_count(result))
          classes_.equate(operand, result);
        // One number for each row of a matrix of more dimensions: a norm's statistics.
        if (result.size() == 1 && operand.size() > 2 &&
            element_count(operand) == result[0] * operand.back())
          classes_.equate(Shape(operand.begin(), operand.end() - 1), result);
      }
    }
  }

  SizeClasses& classes_;
};

class Reducer {
 public:
  explicit Reducer(const SizeClasses& classes) : classes_(classes), sizes_(classes.sizes()) {}

  int64_t size(int64_t value) const {
    const int64_t magnitude = std::llabs(value);
    if (magnitude >= kNoSize || magnitude < kSmallSize) return value;
    const int64_t smaller = magnitude_of(magnitude);
    return value < 0 ? -smaller : smaller;
  }

  void shape(Shape& sizes) const {
    for (int64_t& dimension : sizes) dimension = size(dimension);
  }

  void arg(Arg& value) const {
    if (auto* integer = std::get_if<int64_t>(&value.value)) *integer = size(*integer);
    if (auto* list = std::get_if<ArgList>(&value.value)) {
      for (Arg& element : *list) arg(element);
    }
  }

  void graph(Graph& graph) const {
    for (Tensor& tensor : graph.tensors) shape(tensor.shape);
    for (Node& node : graph.nodes) {
      for (Arg& value : node.args) arg(value);
      for (auto& [name, value] : node.kwargs) arg(value);
    }
  }

  void expr(CleanExpr& value) const {
    if (value.kind == CleanExpr::Kind::kSlice || value.kind == CleanExpr::Kind::kPad) {
      value.start = size(value.start);
      value.end = size(value.end);
    }
    if (value.kind == CleanExpr::Kind::kReshape) shape(value.dims);
    for (CleanExpr& operand : value.operands) expr(operand);
  }

 private:
  // A size; else beside one; else a multiple or a divisor of one, or beside that.
  int64_t magnitude_of(int64_t value) const {
    constexpr int64_t kBeside[] = {0, 1, -1, 2, -2};
    for (const int64_t by : kBeside) {
      if (const auto smaller = classes_.shrunk(value - by)) return *smaller + by;
    }
    for (const int64_t by : kBeside) {
      if (const auto smaller = multiple_or_divisor(value - by)) return *smaller + by;
    }
    throw UserError({}, fmt::format("{} is no size that shrinks with others", value));
  }

  std::optional<int64_t> multiple_or_divisor(int64_t value) const {
    for (auto size = sizes_.rbegin(); size != sizes_.rend(); ++size) {
      if (*size >= kSmallSize && value % *size == 0) return value / *size * *classes_.shrunk(*size);
    }
    for (const int64_t size : sizes_) {
      if (size < kSmallSize || size % value != 0) continue;
      const int64_t by = size / *classes_.shrunk(size);
      if (value % by == 0) return value / by;
    }
    return std::nullopt;
  }

  const SizeClasses& classes_;
  const std::vector<int64_t> sizes_;
};

void collect(const Case& refinement, SizeClasses& classes) {
  Collector collector(classes);
  collector.graph(refinement.sequential);
  std::vector<const Graph*> ranks;
  for (const Graph& rank : refinement.ranks) {
    collector.graph(rank);
    ranks.push_back(&rank);
  }
  for (const Relation& relation : refinement.inputs) {
    for (const CleanExpr& replica : relation.replicas) collector.expr(replica, ranks);
  }
  for (const Expectation& expectation : refinement.expect) {
    collector.expr(expectation.sequential, {&refinement.sequential});
    for (const CleanExpr& replica : expectation.replicas) collector.expr(replica, ranks);
  }
}

}  // namespace

Case shrink_case(const Case& refinement, int64_t least) {
  SizeClasses classes(least, kSmallSize);
  collect(refinement, classes);
  classes.solve();

  Case result = refinement;
  const Reducer reducer(classes);
  reducer.graph(result.sequential);
  for (Graph& rank : result.ranks) reducer.graph(rank);
  for (Relation& relation : result.inputs) {
    for (CleanExpr& replica : relation.replicas) reducer.expr(replica);
  }
  for (Approximation& accepted : result.approximations) {
    for (CleanExpr& replica : accepted.replicas) reducer.expr(replica);
  }
  for (Expectation& expectation : result.expect) {
    reducer.expr(expectation.sequential);
    for (CleanExpr& replica : expectation.replicas) reducer.expr(replica);
  }
  return result;
}

}  // namespace assay
