// Pairs of formulas as cases of one rank.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/graph_builder.h"

namespace assay::test {

using Formula = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef y)>;

struct FormulaInput {
  std::string name;
  Shape shape = {4, 6};
  DType dtype = DType::kFloat32;
};

/// Both formulas of two inputs; the second on the only rank.
inline Case formulas(const Formula& sequential, const Formula& rank, const FormulaInput& x = {"x"},
                     const FormulaInput& y = {"y"}) {
  CaseBuilder builder(1);
  const auto build = [&](GraphBuilder& graph, const Formula& formula) {
    const TensorRef first = graph.input(x.name, x.shape, x.dtype),
                    second = graph.input(y.name, y.shape, y.dtype);
    graph.output("out", formula(graph, first, second));
  };
  build(builder.sequential(), sequential);
  build(builder.rank(0), rank);
  builder.replicate(x.name);
  builder.replicate(y.name);
  builder.expect("out", {"out@0"});
  return builder.build();
}

/// Calls with results of one shape, named in turn.
class Calls {
 public:
  explicit Calls(GraphBuilder& graph, Shape shape = {4, 6})
      : graph_(graph), shape_(std::move(shape)) {}

  TensorRef operator()(const std::string& op, std::vector<Argument> arguments,
                       DType dtype = DType::kFloat32) {
    return of_shape(shape_, op, std::move(arguments), dtype);
  }
  GraphBuilder& graph() { return graph_; }
  TensorRef of_shape(Shape shape, const std::string& op, std::vector<Argument> arguments,
                     DType dtype = DType::kFloat32) {
    return graph_.call("n" + std::to_string(count_++), "aten." + op, std::move(arguments),
                       std::move(shape), dtype);
  }

 private:
  GraphBuilder& graph_;
  Shape shape_;
  int count_ = 0;
};

}  // namespace assay::test
