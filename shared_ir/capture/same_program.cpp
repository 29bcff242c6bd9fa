#include "shared_ir/capture/same_program.h"

#include <algorithm>

#include "shared_ir/capture/fit/same_arguments.h"

namespace assay {
namespace {

bool same_outputs(const Graph& captured, const Node& a, const Graph& run, const Node& b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    [&](TensorId left, TensorId right) {
                      if (left != right || left == kNone) return left == right;
                      const Tensor& l = captured.tensors[static_cast<size_t>(left)];
                      const Tensor& r = run.tensors[static_cast<size_t>(right)];
                      return l.dtype == r.dtype && l.shape == r.shape;
                    });
}

std::string describe(const Node& node) {
  return node.source.known() ? node.op + " (" + to_string(node.source) + ")" : node.op;
}

[[noreturn]] void fail(const Graph& captured, size_t index, const SourcePlace& place,
                       const std::string& difference) {
  throw UserError(place,
                  captured.name + ": the run is not what was captured: operator " +
                      std::to_string(index) + " " + difference,
                  "a program must not branch on values, on devices or on how often it has run");
}

}  // namespace

bool same_constant(const Node& captured, const Node& run) {
  return captured.op != kConstantOp || same_arguments(captured, run, Integers::kCompared);
}

void check_same_program(const Graph& captured, const Graph& run) {
  const size_t count = std::min(captured.nodes.size(), run.nodes.size());
  for (size_t i = 0; i < count; ++i) {
    const Node& was = captured.nodes[i];
    const Node& is = run.nodes[i];
    if (was.op != is.op)
      fail(captured, i, is.source, "was " + describe(was) + " and is " + describe(is));
    if (!same_arguments(was, is, Integers::kCompared))
      fail(captured, i, is.source, describe(is) + " has other arguments");
    if (!same_outputs(captured, was, run, is)) {
      fail(captured, i, is.source, describe(is) + " has results of another shape or type");
    }
  }
  if (captured.nodes.size() > count) {
    fail(captured, count, captured.nodes[count].source,
         "was " + describe(captured.nodes[count]) + " and is missing");
  }
  if (run.nodes.size() > count) {
    fail(captured, count, run.nodes[count].source, describe(run.nodes[count]) + " is new");
  }
}

}  // namespace assay
