// Pairs of formulas as cases of one rank.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/graph_builder.h"

namespace assay::test {

using Formula = std::function<TensorRef(GraphBuilder&, TensorRef x, TensorRef y)>;

/// Both formulas of x, y [4, 6]; the second on the only rank.
inline Case formulas(const Formula& sequential, const Formula& rank) {
  CaseBuilder builder(1);
  const auto build = [](GraphBuilder& graph, const Formula& formula) {
    const TensorRef x = graph.input("x", {4, 6}), y = graph.input("y", {4, 6});
    graph.output("out", formula(graph, x, y));
  };
  build(builder.sequential(), sequential);
  build(builder.rank(0), rank);
  builder.replicate("x");
  builder.replicate("y");
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
    return graph_.call("n" + std::to_string(count_++), "aten." + op, std::move(arguments), shape_,
                       dtype);
  }

 private:
  GraphBuilder& graph_;
  Shape shape_;
  int count_ = 0;
};

}  // namespace assay::test
