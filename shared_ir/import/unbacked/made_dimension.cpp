// Which operators make sizes.
#include <algorithm>

#include "shared_ir/import/unbacked/rules.h"

namespace assay {
namespace {

bool is_flag(const Graph& graph, const Arg& arg) {
  const auto* tensor = std::get_if<TensorArg>(&arg.value);
  return tensor != nullptr && tensor->id >= 0 &&
         is_bool(graph.tensors[static_cast<size_t>(tensor->id)].dtype);
}

}  // namespace

std::optional<size_t> made_dimension(const Graph& graph, const Node& node) {
  const std::string_view base = unbacked::base_name(node.op);
  if (base == "aten.nonzero" || base == "aten.masked_select") return 0;
  if (fails_for_values(node.op)) return 0;
  const bool reads = base == "aten.index" || base == "aten._unsafe_index";
  if (!reads || node.args.size() < 2) return std::nullopt;
  const auto* indices = std::get_if<ArgList>(&node.args[1].value);
  if (indices == nullptr) return std::nullopt;
  const auto mask =
      std::ranges::find_if(*indices, [&](const Arg& arg) { return is_flag(graph, arg); });
  if (mask == indices->end()) return std::nullopt;
  return static_cast<size_t>(mask - indices->begin());
}

}  // namespace assay
