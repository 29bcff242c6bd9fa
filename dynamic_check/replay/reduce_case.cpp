#include "dynamic_check/replay/reduce_case.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace assay {
namespace {

constexpr int64_t kLargestRest = 2;
// Slices to the end of a dimension name an end beyond any size.
constexpr int64_t kNoSize = int64_t{1} << 62;

class Reducer {
 public:
  explicit Reducer(int64_t factor) : factor_(factor) {}

  int64_t size(int64_t value) const {
    if (std::llabs(value) >= kNoSize) return value;
    const int64_t quotient =
        std::llround(static_cast<double>(value) / static_cast<double>(factor_));
    const int64_t rest = value - factor_ * quotient;
    if (quotient != 0 && std::llabs(rest) <= kLargestRest) return quotient + rest;
    if (std::llabs(value) < factor_) return value;
    throw UserError({}, fmt::format("{} does not shrink by {}", value, factor_));
  }

  void shape(Shape& sizes) const {
    for (int64_t& dimension : sizes) {
      const int64_t reduced = size(dimension);
      if (dimension > 0 && reduced <= 0)
        throw UserError({}, fmt::format("{} does not shrink by {}", dimension, factor_));
      dimension = reduced;
    }
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
  int64_t factor_;
};

}  // namespace

Case reduce_case(const Case& refinement, int64_t factor) {
  Case result = refinement;
  if (factor == 1) return result;
  const Reducer reducer(factor);
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
