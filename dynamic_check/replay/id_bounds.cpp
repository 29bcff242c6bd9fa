#include "dynamic_check/replay/id_bounds.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "dynamic_check/interpret/boxed_call.h"

namespace assay {
namespace {

// Operators that give their first operand's elements, moved or cast.
bool moves(const Node& node) {
  static const std::set<std::string_view> kNames{
      "aten.clone",     "aten._to_copy", "aten.to",      "aten.view",       "aten.reshape",
      "aten.transpose", "aten.t",        "aten.permute", "aten.contiguous", "aten.detach",
      "aten.unsqueeze", "aten.squeeze",  "aten.expand",  "aten.slice",      "aten.select",
      "hlo.convert",    "hlo.reshape",   "hlo.copy",     "hlo.transpose",   "hlo.broadcast",
      "hlo.slice",      "hlo.bitcast"};
  return kNames.contains(operator_name(node));
}

bool compares(const Node& node) {
  static const std::set<std::string_view> kNames{"aten.ge", "aten.gt", "aten.le", "aten.lt"};
  return kNames.contains(operator_name(node));
}

// Which dimension of its table the operator looks integers of `ids` up in; -1 when it does not.
int64_t indexed_dimension(const Node& node, const std::set<TensorId>& ids) {
  static const std::set<std::string_view> kRows{"aten.embedding", "aten.index_select",
                                                "aten.gather", "_C.rotary_embedding", "hlo.gather"};
  if (kRows.contains(operator_name(node))) return 0;
  if (operator_name(node) != "aten.index" || node.args.size() < 2) return -1;
  const auto* indices = std::get_if<ArgList>(&node.args[1].value);
  for (size_t dim = 0; indices && dim < indices->size(); ++dim) {
    const auto* index = std::get_if<TensorArg>(&(*indices)[dim].value);
    if (index && ids.contains(index->id)) return static_cast<int64_t>(dim);
  }
  return -1;
}

// The sizes of the tables that the node looks its integer operands up in.
void collect_table_sizes(const Graph& graph, const Node& node, int64_t dim,
                         std::vector<int64_t>& sizes) {
  const std::vector<TensorId> arguments = tensor_arguments(node);
  const bool rotary = operator_name(node) == "_C.rotary_embedding";  // its table comes last
  for (const TensorId id : arguments) {
    const Tensor& table = graph.tensors[static_cast<size_t>(id)];
    if (!is_floating(table.dtype) || (rotary && id != arguments.back())) continue;
    if (dim < static_cast<int64_t>(table.shape.size()))
      sizes.push_back(table.shape[static_cast<size_t>(dim)]);
  }
}

}  // namespace

int64_t id_bound(const Graph& graph, TensorId input) {
  std::set<TensorId> ids{input};
  std::vector<int64_t> tables;
  int64_t largest_constant = 1;
  for (const Node& node : graph.nodes) {
    const std::vector<TensorId> arguments = tensor_arguments(node);
    if (std::ranges::none_of(arguments, [&](TensorId id) { return ids.contains(id); })) continue;
    if (moves(node) && ids.contains(arguments.front()))
      ids.insert(node.outputs.begin(), node.outputs.end());
    if (const int64_t dim = indexed_dimension(node, ids); dim >= 0)
      collect_table_sizes(graph, node, dim, tables);
    if (!compares(node)) continue;
    for (const Arg& arg : node.args) {
      if (const auto* constant = std::get_if<int64_t>(&arg.value))
        largest_constant = std::max(largest_constant, *constant);
    }
  }
  return tables.empty() ? largest_constant : *std::ranges::min_element(tables);
}

}  // namespace assay
