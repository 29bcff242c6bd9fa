#include <cstdlib>

#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// Larger integers mean "to the end".
constexpr int64_t kLargestInteger = int64_t{1} << 60;

template <typename Number>
void add(const Graph& graph, NodeId node, size_t leaf, const std::string& change,
         Number (*edit)(Number), std::vector<Edit>& edits) {
  edits.push_back({MutationKind::kConstant,
                   describe(graph, node, "argument " + std::to_string(leaf) + " " + change),
                   [node, leaf, edit](Case& mutant, Rank rank) {
                     Arg& arg = *leaves(node_of(graph_of(mutant, rank), node))[leaf];
                     arg.value = edit(std::get<Number>(arg.value));
                   }});
}

}  // namespace

void add_constant_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const std::vector<const Arg*> args = leaves(graph.nodes[static_cast<size_t>(node)]);
  for (size_t leaf = 0; leaf < args.size(); ++leaf) {
    if (const auto* integer = std::get_if<int64_t>(&args[leaf]->value)) {
      if (std::llabs(*integer) > kLargestInteger) continue;
      const std::string was = "(" + std::to_string(*integer) + ")";
      add<int64_t>(graph, node, leaf, was + " + 1", [](int64_t value) { return value + 1; }, edits);
      add<int64_t>(graph, node, leaf, was + " - 1", [](int64_t value) { return value - 1; }, edits);
      // 2 * 0 = 0, 2 * 1 = 1 + 1, 2 * -1 = -1 - 1.
      if (std::llabs(*integer) > 1)
        add<int64_t>(
            graph, node, leaf, was + " * 2", [](int64_t value) { return value * 2; }, edits);
    }
    if (const auto* real = std::get_if<double>(&args[leaf]->value)) {
      const std::string was = "(" + std::to_string(*real) + ")";
      if (*real * 2 != *real)
        add<double>(graph, node, leaf, was + " * 2", [](double value) { return value * 2; }, edits);
      add<double>(graph, node, leaf, was + " + 1", [](double value) { return value + 1; }, edits);
    }
    if (std::holds_alternative<bool>(args[leaf]->value))
      add<bool>(graph, node, leaf, "negated", [](bool value) { return !value; }, edits);
  }
}

}  // namespace assay::test
