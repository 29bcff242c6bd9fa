#include <string_view>
#include <utility>

#include "tests/mutation/edits/edits.h"

namespace assay::test {
namespace {

// Texts of which one is easily written for the other.
constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
    {"none", "tanh"}, {"floor", "trunc"}, {"constant", "reflect"}};

void add_text_edit(const Graph& graph, NodeId node, size_t leaf, std::string_view text,
                   std::vector<Edit>& edits) {
  edits.push_back(
      {MutationKind::kAttribute,
       describe(graph, node, "argument " + std::to_string(leaf) + " is " + std::string(text)),
       [=](Case& mutant, Rank rank) {
         leaves(node_of(graph_of(mutant, rank), node))[leaf]->value = std::string(text);
       }});
}

}  // namespace

void add_attribute_edits(const Graph& graph, NodeId node, std::vector<Edit>& edits) {
  const Node& of = graph.nodes[static_cast<size_t>(node)];
  const std::vector<const Arg*> args = leaves(of);
  for (size_t leaf = 0; leaf < args.size(); ++leaf) {
    const auto* text = std::get_if<std::string>(&args[leaf]->value);
    if (text == nullptr) continue;
    for (const auto& [one, other] : kTexts) {
      if (*text == one) add_text_edit(graph, node, leaf, other, edits);
      if (*text == other) add_text_edit(graph, node, leaf, one, edits);
    }
  }
  for (size_t i = 0; i < of.kwargs.size(); ++i)
    edits.push_back({MutationKind::kAttribute,
                     describe(graph, node, of.kwargs[i].first + " by default"),
                     [=](Case& mutant, Rank rank) {
                       auto& kwargs = node_of(graph_of(mutant, rank), node).kwargs;
                       kwargs.erase(kwargs.begin() + static_cast<std::ptrdiff_t>(i));
                     }});
  if (!of.args.empty() && !std::holds_alternative<TensorArg>(of.args.back().value))
    edits.push_back(
        {MutationKind::kAttribute, describe(graph, node, "the last argument by default"),
         [=](Case& mutant, Rank rank) { node_of(graph_of(mutant, rank), node).args.pop_back(); }});
}

}  // namespace assay::test
