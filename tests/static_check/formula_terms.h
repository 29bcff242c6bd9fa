// Formulas of two inputs whose operators have short names, and whether two of them are proved
// equal.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {

/// Names read as they are written down.
struct Terms {
  explicit Terms(GraphBuilder& graph, Shape shape = {4, 6}) : call(graph, std::move(shape)) {}

  TensorRef map(const std::string& name, TensorRef x) { return call(name + ".default", {x}); }
  TensorRef add(TensorRef x, TensorRef y) { return call("add.Tensor", {x, y}); }
  TensorRef add(TensorRef x, double y) { return call("add.Scalar", {x, y}); }
  TensorRef sub(TensorRef x, TensorRef y) { return call("sub.Tensor", {x, y}); }
  TensorRef mul(TensorRef x, TensorRef y) { return call("mul.Tensor", {x, y}); }
  TensorRef mul(TensorRef x, double y) { return call("mul.Scalar", {x, y}); }
  TensorRef div(TensorRef x, TensorRef y) { return call("div.Tensor", {x, y}); }
  TensorRef div(TensorRef x, double y) { return call("div.Scalar", {x, y}); }
  /// Above 0, and not known to be an exponential.
  TensorRef positive(TensorRef x) { return add(mul(x, x), 0.5); }

  Calls call;
};

using Body = std::function<TensorRef(Terms&, TensorRef x, TensorRef y)>;

inline Formula formula(const Body& body) {
  return [body](GraphBuilder& graph, TensorRef x, TensorRef y) {
    Terms terms(graph);
    return body(terms, x, y);
  };
}

inline testing::AssertionResult equal(const Body& a, const Body& b) {
  return proves(formulas(formula(a), formula(b)));
}

}  // namespace assay::test
