#include "static_check/identity/cuts/likely_equations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "static_check/identity/evaluation.h"

namespace assay::identity {
namespace {

constexpr uint64_t kLikelySeed = 0x94D049BB133111EBull;
constexpr int kLikelyCases = 8;
constexpr int64_t kMostInLikelyCases = int64_t{1} << 18;  // of all cases

// What each element is told apart by, over all cases.
using Keys = std::vector<uint64_t>;

void take_case(Keys& keys, const Keys& of_case) {
  if (keys.empty()) keys.resize(of_case.size());
  for (size_t i = 0; i < keys.size() && i < of_case.size(); ++i)
    keys[i] = (keys[i] ^ of_case[i]) * 0xD6E8FEB86659FD93ull + (keys[i] >> 29);
}

class Finder {
 public:
  explicit Finder(const Problem& problem) : problem_(problem) {}

  LikelyEquations find() {
    if (!evaluate()) return {};
    for (size_t i = 0; i < whole().tensors.size(); ++i)
      if (!specification_[i].empty())
        by_keys_[specification_[i]].push_back(static_cast<TensorId>(i));
    const size_t names = problem_.refinement.ranks.at(0).tensors.size();
    for (size_t i = 0; i < names; ++i) match(static_cast<TensorId>(i));
    LikelyEquations result;
    for (const TensorId tensor : last_alike()) {
      const auto alike = alike_.find(tensor);
      if (alike != alike_.end())
        result.last_alike.push_back({leaf(whole(), tensor, 0), alike->second});
    }
    for (auto& [tensor, replicas] : otherwise_)
      result.computed_otherwise.push_back({leaf(whole(), tensor, 0), std::move(replicas)});
    return result;
  }

 private:
  const Graph& whole() const { return problem_.refinement.sequential; }

  static CleanExpr leaf(const Graph& graph, TensorId tensor, Rank rank) {
    CleanExpr leaf;
    leaf.name = graph.tensors[static_cast<size_t>(tensor)].name;
    leaf.rank = rank;
    return leaf;
  }

  bool evaluate() {
    try {
      if (represented_elements(problem_, {}, true) * kLikelyCases > kMostInLikelyCases)
        return false;
      Thresholds thresholds;
      Ties known_ties;
      specification_.resize(whole().tensors.size());
      for (const Graph& rank : problem_.refinement.ranks) ranks_.emplace_back(rank.tensors.size());
      TieSides none;
      Cases first(kLikelySeed, thresholds, known_ties, none, false, false);
      const IndexRanges ranges =
          Evaluation(problem_, kLikelySeed, first, false, {}, {}, true).ranges();
      for (uint64_t i = 1; i <= kLikelyCases; ++i)
        evaluate(kLikelySeed + i, thresholds, known_ties, ranges);
      return true;
    } catch (const NotRepresented&) {
    } catch (const UserError&) {
    } catch (const RationalOverflow&) {
    }
    return false;
  }

  void evaluate(uint64_t seed, Thresholds& thresholds, Ties& known_ties,
                const IndexRanges& ranges) {
    TieSides ties;
    Cases cases(seed, thresholds, known_ties, ties, false, false);
    Evaluation evaluation(problem_, seed, cases, false, ranges);
    const auto take = [&](std::vector<Keys>& of, Rank rank) {
      for (size_t i = 0; i < of.size(); ++i)
        take_case(of[i], evaluation.keys(rank, static_cast<TensorId>(i)));
    };
    take(specification_, kNone);
    for (size_t r = 0; r < ranks_.size(); ++r) take(ranks_[r], static_cast<Rank>(r));
  }

  // The tensor of rank 0, and those of its name and shape on the others.
  void match(TensorId of_first) {
    const Graph& first = problem_.rank_graph(0);
    const assay::Tensor& tensor = first.tensors[static_cast<size_t>(of_first)];
    std::vector<CleanExpr> replicas;
    std::vector<const Keys*> all;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const Graph& graph = problem_.rank_graph(static_cast<Rank>(r));
      const TensorId id = graph.find(tensor.name);
      if (id == kNone || ranks_[r][static_cast<size_t>(id)].empty()) return;
      if (graph.tensors[static_cast<size_t>(id)].shape.size() != tensor.shape.size()) return;
      replicas.push_back(leaf(graph, id, static_cast<Rank>(r)));
      all.push_back(&ranks_[r][static_cast<size_t>(id)]);
    }
    if (std::ranges::all_of(all, [&](const Keys* keys) { return *keys == *all[0]; }))
      add(of_first, *all[0], tensor.shape, replicas);
    if (all.size() == 1) return;
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
      CleanExpr concat;
      concat.kind = CleanExpr::Kind::kConcat;
      concat.dim = static_cast<int64_t>(dim);
      concat.operands = replicas;
      Shape shape = tensor.shape;
      if (const auto keys = put_together(replicas, all, dim, shape))
        add(of_first, *keys, shape, {std::move(concat)});
    }
  }

  std::optional<Keys> put_together(const std::vector<CleanExpr>& parts,
                                   const std::vector<const Keys*>& keys, size_t dim,
                                   Shape& shape) const {
    std::vector<size_t> runs;  // elements of each part for one index before the dimension
    size_t before = 1;
    for (size_t d = 0; d < dim; ++d) before *= static_cast<size_t>(shape[d]);
    shape[dim] = 0;
    for (size_t r = 0; r < parts.size(); ++r) {
      const Graph& graph = problem_.rank_graph(static_cast<Rank>(r));
      const Shape& part = graph.tensors[static_cast<size_t>(graph.find(parts[r].name))].shape;
      for (size_t d = 0; d < shape.size(); ++d)
        if (d != dim && part[d] != shape[d]) return std::nullopt;
      shape[dim] += part[dim];
      runs.push_back(before == 0 ? 0 : keys[r]->size() / before);
    }
    Keys all;
    for (size_t i = 0; i < before; ++i)
      for (size_t r = 0; r < parts.size(); ++r)
        for (size_t k = 0; k < runs[r]; ++k) all.push_back((*keys[r])[i * runs[r] + k]);
    return all;
  }

  void add(TensorId of_first, const Keys& keys, const Shape& shape,
           const std::vector<CleanExpr>& replicas) {
    const auto found = by_keys_.find(keys);
    if (found == by_keys_.end()) return;
    const assay::Tensor& of_ranks = problem_.rank_graph(0).tensors[static_cast<size_t>(of_first)];
    for (const TensorId tensor : found->second) {
      const assay::Tensor& wanted = whole().tensors[static_cast<size_t>(tensor)];
      if (wanted.shape != shape || wanted.dtype != of_ranks.dtype) continue;
      const bool alike = is_congruent(tensor, of_first);
      matched_.insert({tensor, of_first});
      (alike ? alike_ : otherwise_).emplace(tensor, replicas);
      if (alike) alike_of_rank_.insert(of_first);
    }
  }

  // Of the specification: what rank 0 has alike and reads in an operator that has no such result.
  std::set<TensorId> last_alike() const {
    const Graph& rank = problem_.rank_graph(0);
    std::set<TensorId> read;
    for (const Node& node : rank.nodes) {
      const auto is_alike = [&](TensorId output) { return alike_of_rank_.contains(output); };
      if (std::ranges::any_of(node.outputs, is_alike)) continue;
      for (const TensorId operand : operands_of(node)) read.insert(operand);
    }
    std::set<TensorId> result;
    for (const auto& [tensor, of_rank] : matched_) {
      const assay::Tensor& made = whole().tensors[static_cast<size_t>(tensor)];
      if (read.contains(of_rank) && made.producer != kNone && is_floating(made.dtype))
        result.insert(tensor);
    }
    return result;
  }

  // Made by one operator of what agrees, or inputs.
  bool is_congruent(TensorId of_specification, TensorId of_rank) const {
    const Graph& rank = problem_.rank_graph(0);
    const NodeId ours = whole().tensors[static_cast<size_t>(of_specification)].producer,
                 theirs = rank.tensors[static_cast<size_t>(of_rank)].producer;
    if (ours == kNone || theirs == kNone) return true;
    const Node &a = whole().nodes[static_cast<size_t>(ours)],
               &b = rank.nodes[static_cast<size_t>(theirs)];
    return a.op == b.op &&
           std::ranges::equal(operands_of(a), operands_of(b), [&](TensorId left, TensorId right) {
             return matched_.contains({left, right});
           });
  }

  const Problem& problem_;
  std::vector<Keys> specification_;       // by tensor
  std::vector<std::vector<Keys>> ranks_;  // by rank, by tensor
  std::map<Keys, std::vector<TensorId>> by_keys_;
  std::set<std::pair<TensorId, TensorId>> matched_;  // with those of rank 0
  std::set<TensorId> alike_of_rank_;
  std::map<TensorId, std::vector<CleanExpr>> alike_, otherwise_;
};

}  // namespace

LikelyEquations likely_equations(const Problem& problem) { return Finder(problem).find(); }

}  // namespace assay::identity
