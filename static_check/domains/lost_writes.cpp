#include "static_check/domains/lost_writes.h"

#include "shared_ir/base/error.h"

namespace assay {

void refuse_lost_writes(const Problem& problem) {
  if (!problem.sequential_program.single_writes.empty()) return;
  for (size_t r = 0; r < problem.rank_programs.size(); ++r) {
    if (problem.rank_programs[r].single_writes.empty()) continue;
    const Graph& graph = problem.rank_graph(static_cast<Rank>(r));
    const Node& node =
        graph.nodes[static_cast<size_t>(problem.rank_programs[r].single_writes.front())];
    throw UserError(
        node.source,
        graph.name + ": " + node.op +
            " keeps one of the values that meet where its indices are equal, and the "
            "specification has no such write",
        "add values that meet (index_add, scatter_add, accumulate=True), write at places "
        "that a sort gave, or write so in the specification too, where no index occurs "
        "twice");
  }
}

}  // namespace assay
