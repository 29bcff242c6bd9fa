#include "gtest_plugin/value_sizes/relations_of_run.h"

#include <algorithm>

namespace assay {
namespace {

bool is_same(const Graph& proved, const Graph& run, const std::string& name) {
  const TensorId one = proved.find(name), other = run.find(name);
  if (one == kNone || other == kNone) return false;
  const Tensor &padded = proved.tensors[static_cast<size_t>(one)],
               &real = run.tensors[static_cast<size_t>(other)];
  return padded.name == real.name && padded.dtype == real.dtype && padded.shape == real.shape;
}

}  // namespace

RelationsOfRun relations_of_run(const Case& proved, const Case& run,
                                const std::vector<Relation>& relations,
                                const std::vector<std::map<std::string, CleanExpr>>& views) {
  RelationsOfRun result;
  const auto on_ranks = [&](const CleanExpr& expr) {
    bool all = true;
    for_each_leaf(expr, [&](const CleanExpr& leaf) {
      const auto rank = static_cast<size_t>(leaf.rank);
      all = all && is_same(proved.ranks[rank], run.ranks[rank], leaf.name);
    });
    return all;
  };
  for (const Relation& relation : relations) {
    Relation kept = relation;
    if (is_same(proved.sequential, run.sequential, relation.tensor)) {
      std::erase_if(kept.replicas, [&](const CleanExpr& replica) { return !on_ranks(replica); });
    } else {
      kept.replicas.clear();
    }
    if (kept.replicas.empty()) {
      ++result.left_out;
    } else {
      result.relations.push_back(std::move(kept));
    }
  }
  for (size_t rank = 0; rank < views.size(); ++rank) {
    auto& kept = result.views.emplace_back();
    for (const auto& [name, expr] : views[rank]) {
      bool all = is_same(proved.ranks[rank], run.ranks[rank], name);
      for_each_leaf(expr, [&](const CleanExpr& leaf) {
        all = all && is_same(proved.sequential, run.sequential, leaf.name);
      });
      if (all) kept.emplace(name, expr);
    }
  }
  return result;
}

}  // namespace assay
