#include "static_check/evaluated_claims/evaluated_claims.h"

#include <algorithm>

#include "static_check/algebra/layout.h"
#include "static_check/cover/evaluate.h"
#include "static_check/identity/identity_test.h"
#include "static_check/problem/candidates.h"

namespace assay {
namespace {

// Tensors that are tried in one check. Of those that one is a part of which fails, most fail.
constexpr size_t kMostTried = 64;
constexpr int kMostFailed = 8;
// Elements that are computed in vain, in cases too: a few seconds.
constexpr int64_t kMostInVain = int64_t{1} << 22;

// No relation says so, but the values: of a sum that has no name.
bool is_derived(Problem& problem, TensorId sequential, const std::vector<CleanExpr>& replicas) {
  const Value* wanted = problem.sequential_value(sequential);
  return wanted != nullptr && std::ranges::all_of(replicas, [&](const CleanExpr& replica) {
           const auto found = rank_value_of(problem, replica);
           return found && equivalent(problem.lifting, *found, *wanted);
         });
}

}  // namespace

std::optional<Certificate::EvaluatedClaim> ClaimSearch::next(
    Problem& problem, const RelationMap& relations, const DistributedOverSequential& distributed) {
  if (tried_.size() >= kMostTried || failed_ >= kMostFailed) return std::nullopt;
  if (!likely_) likely_ = likely_claims(problem, relations);
  if (likely_->empty()) return std::nullopt;
  DerivedCuts derived(problem, distributed);
  IdentityTest test(problem);
  for (const auto& [tensor, replicas] : *likely_) {
    if (!relations.at(tensor).empty()) continue;
    CleanExpr sequential;
    sequential.name = problem.refinement.sequential.tensors[static_cast<size_t>(tensor)].name;
    if (is_derived(problem, tensor, replicas)) {
      for (const CleanExpr& replica : replicas) derived.add(sequential, replica);
      continue;
    }
    if (tried_.size() >= kMostTried || failed_ >= kMostFailed) return std::nullopt;
    if (!tried_.insert(tensor).second) continue;
    DerivedCuts::Scoped scoped = derived.of({sequential, replicas});
    int64_t left = kMostInVain - in_vain_;
    const int64_t before = left;
    if (!test.holds_within(scoped.cuts, scoped.cone, sequential, replicas, left)) {
      in_vain_ += before - left;
      ++failed_;
      continue;
    }
    used_cases_ |= test.used_cases();
    readings_.merge(test.readings());
    return Certificate::EvaluatedClaim{std::move(sequential), replicas, std::move(scoped.met),
                                       std::move(scoped.any)};
  }
  return std::nullopt;
}

void give_values(const Problem& problem, const Certificate::EvaluatedClaim& claim,
                 GivenValues& values) {
  const CoreId of = identity::operator_of_leaf(problem, claim.sequential, true);
  const Value& whole = problem.sequential.values[static_cast<size_t>(of)];
  const auto give = [&](const CleanExpr& leaf, Value value) {
    const CoreId id = identity::operator_of_leaf(problem, leaf, false);
    values.insert_or_assign({leaf.rank, id}, std::move(value));
  };
  for (const CleanExpr& replica : claim.replicas) {
    if (replica.kind == CleanExpr::Kind::kTensor) {
      give(replica, whole);
      continue;
    }
    Int start = 0;
    for (const CleanExpr& leaf : replica.operands) {
      const CoreId id = identity::operator_of_leaf(problem, leaf, false);
      const CoreProgram& program = problem.rank_programs[static_cast<size_t>(leaf.rank)];
      const Int size = program.ops[static_cast<size_t>(id)].shape[static_cast<size_t>(replica.dim)];
      Value part = slice(whole, replica.dim, start, size, 1);
      merge_tiles(part);
      give(leaf, std::move(part));
      start += size;
    }
  }
}

}  // namespace assay
