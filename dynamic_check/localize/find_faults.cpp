#include "dynamic_check/localize/find_faults.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/localize/collective_check.h"
#include "dynamic_check/localize/operator_check.h"
#include "dynamic_check/localize/overwritten_operand.h"
#include "shared_ir/cast.h"

namespace assay {
namespace {

// Per rank, of each of its nodes.
using Judgements = std::vector<std::vector<Judgement>>;

// Judges all operators, those of several ranks at a time.
class OperatorJudge {
 public:
  OperatorJudge(const Case& refinement, const RankTensors& ranks, uint64_t seed, double family_rate,
                DType precision, const DeclaredOperators& declared, const ProgressSink& progress)
      : refinement_(refinement), ranks_(ranks), progress_(progress) {
    for (const Graph& graph : refinement.ranks)
      operators_ += static_cast<int64_t>(graph.nodes.size());
    const auto tolerances = static_cast<double>(operators_ * (1 + kMaxBlocks));
    options_ = {.seed = seed,
                .coverage = 1 - family_rate / std::max(tolerances, 1.0),
                .float8 = is_float8(precision) ? std::optional(precision) : std::nullopt,
                .declared = &declared};
  }

  Judgements judgements() {
    const size_t ranks = refinement_.ranks.size();
    const size_t threads = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, ranks);
    const int kernel_threads = std::max(1, at::get_num_threads() / static_cast<int>(threads));
    Judgements of_ranks(ranks);
    std::atomic<size_t> next{0};
    const auto judge = [&] {
      at::set_num_threads(kernel_threads);
      const UnfilledMemory unfilled;
      for (size_t rank = next++; rank < ranks; rank = next++) of_ranks[rank] = of_rank(rank);
    };
    const int all_kernel_threads = at::get_num_threads();
    std::vector<std::future<void>> judges;
    for (size_t i = 0; i < threads; ++i) judges.push_back(std::async(std::launch::async, judge));
    for (const std::future<void>& judge_of_some : judges) judge_of_some.wait();
    at::set_num_threads(all_kernel_threads);
    for (std::future<void>& judge_of_some : judges) judge_of_some.get();
    return of_ranks;
  }

 private:
  std::vector<Judgement> of_rank(size_t rank) {
    const Graph& graph = refinement_.ranks[rank];
    std::vector<Judgement> judgements;
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      {
        const std::lock_guard lock(mutex_);
        tell(progress_, "operator", ++judged_, operators_);
      }
      Judgement& judgement = judgements.emplace_back(check_operator(
          graph, static_cast<Rank>(rank), static_cast<NodeId>(node), ranks_[rank], options_));
      if (!judgement.fault) continue;
      auto writer = overwritten_operand(graph, *judgement.fault, ranks_[rank], options_);
      if (writer) judgement.fault = std::move(writer);
    }
    return judgements;
  }

  const Case& refinement_;
  const RankTensors& ranks_;
  const ProgressSink& progress_;
  OperatorCheckOptions options_;
  std::mutex mutex_;
  int64_t operators_ = 0, judged_ = 0;
};

OperatorCounts counted(const Case& refinement, const Judgements& judgements) {
  OperatorCounts result;
  std::map<std::pair<std::string, std::string>, int64_t> not_judged;  // operator, why
  for (size_t rank = 0; rank < judgements.size(); ++rank) {
    for (size_t node = 0; node < judgements[rank].size(); ++node) {
      const Judgement& judgement = judgements[rank][node];
      ++result.total;
      if (judgement.by == JudgedBy::kView) {
        ++result.views;
      } else if (judgement.by == JudgedBy::kNothing) {
        ++result.not_judged_count;
        ++not_judged[{refinement.ranks[rank].nodes[node].op, judgement.why_not}];
      } else {
        ++result.judged[std::string(to_string(judgement.by))];
      }
    }
  }
  for (const auto& [operator_and_why, count] : not_judged)
    result.not_judged.push_back(
        fmt::format("{} ({}): {}", operator_and_why.first, count, operator_and_why.second));
  return result;
}

}  // namespace

JudgedOperators find_faults(const Case& refinement, const RankTensors& ranks, uint64_t seed,
                            double family_rate, DType precision, const ProgressSink& progress) {
  const DeclaredOperators declared(refinement.operator_files);
  Judgements judgements =
      OperatorJudge(refinement, ranks, seed, family_rate, precision, declared, progress)
          .judgements();
  JudgedOperators result;
  const auto note = [&](const Judgement& judgement) {
    if (judgement.fault) result.faults.push_back(*judgement.fault);
  };
  for (const auto& [where, judgement] :
       check_collectives(refinement.ranks, refinement.distributed_groups, ranks, &declared)) {
    note(judgement);
    const auto& [rank, node] = where;
    judgements[static_cast<size_t>(rank)][static_cast<size_t>(node)] = {judgement.by,
                                                                        judgement.why_not};
  }
  for (const std::vector<Judgement>& of_rank : judgements) std::ranges::for_each(of_rank, note);
  result.operators = counted(refinement, judgements);
  std::ranges::stable_sort(result.faults, {}, &OperatorFault::node);
  return result;
}

}  // namespace assay
