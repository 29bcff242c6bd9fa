#include "shared_ir/lower/declare/declaration.h"
#include "shared_ir/lower/lower.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/graph_builder.h"

namespace assay::fuzz {
namespace {

using test::Argument;

// A call with one argument a parameter; `variant` shifts which kind of argument each gets.
Graph call_of(const OperatorDeclaration& declaration, size_t variant) {
  test::GraphBuilder graph("declaration");
  const test::TensorRef x = graph.input("x", {4, 6}), v = graph.input("v", {6});
  const test::TensorRef ids = graph.input("i", {4}, DType::kInt64);
  const std::vector<Argument> kinds = {
      x, v, 1, {0, 1}, x, ids, 2.5, "tp", DType::kFloat16, v, {x, x}, {6, 4}, NoArg{}, true, -1};
  std::vector<Argument> arguments;
  for (size_t i = 0; i < declaration.parameters.size(); ++i) {
    arguments.push_back(kinds[(i + variant) % kinds.size()]);
  }
  graph.output(graph.call("y", declaration.name, arguments, {4, 6}));
  return graph.graph();
}

}  // namespace

void declaration(std::string_view bytes) {
  OperatorTable operators;
  operators.add_text(bytes, "operators.toml");
  const Groups groups = {{"tp", {0, 1}}};
  for (const std::string& name : operators.names()) {
    for (size_t variant = 0; variant < 5; ++variant) {
      succeeds([&] { lower(call_of(*operators.find(name), variant), groups, 0, operators); });
    }
  }
}

}  // namespace assay::fuzz
