#include "static_check/domains/trials/refuting_trials.h"

#include <algorithm>
#include <array>
#include <optional>

#include "shared_ir/base/error.h"
#include "static_check/domains/trials/claims.h"
#include "static_check/domains/trials/trials.h"

namespace assay {
namespace {

// Of both signs, of one, of a sign for each input; not large, and indices are any of their tables.
constexpr std::array<size_t, 4> kRefutingDraws = {4, 0, 12, 16};
constexpr int kTellingDraws = 2;
// Elements of all operators that are computed for one draw: a tenth of a second or so.
constexpr int64_t kMostRefuting = int64_t{1} << 23;

// What rounding may do to a tensor, generously: of what it holds, and of all that is computed.
// Beyond kInfinities are numbers that stand for infinities, which nothing is added to for its
// value.
constexpr double kOfTensor = 1e-4, kOfAll = 1e-12, kInfinities = 1e15;

bool draws_numbers(const CoreProgram& program) {
  return std::ranges::any_of(program.ops,
                             [](const CoreOp& op) { return op.prim == Prim::kRandom; });
}

bool differ(const ClaimedNumbers& numbers, double of_all) {
  const double rounding = std::max(kOfTensor * greatest_magnitude(numbers.wanted), kOfAll * of_all);
  return numbers.wanted.shape == numbers.found.shape && difference(numbers, rounding);
}

class Refuter {
 public:
  Refuter(const Problem& problem, const std::vector<OpenClaim>& claims)
      : problem_(problem), claims_(claims) {
    for (const OpenClaim& claim : claims) apart_.emplace_back(claim.relations.size());
  }

  bool refutes() {
    const Trials trials(problem_);
    if (trials.elements() > kMostRefuting || draws_numbers(problem_.sequential_program) ||
        std::ranges::any_of(problem_.rank_programs, draws_numbers))
      return false;
    for (const size_t draw : kRefutingDraws) {
      if (const auto trial = run(trials, draw)) see(*trial);
      if (std::ranges::any_of(apart_, are_all_apart)) return true;
    }
    return false;
  }

 private:
  static std::optional<Trial> run(const Trials& trials, size_t draw) {
    try {
      return trials.run(draw);
    } catch (const UserError&) {  // the ranks cannot go on
      return std::nullopt;
    }
  }

  // In how many draws: each relation.
  static bool are_all_apart(const std::vector<int>& draws) {
    return !draws.empty() &&
           std::ranges::all_of(draws, [](int count) { return count >= kTellingDraws; });
  }

  void see(const Trial& trial) {
    const double magnitude = greatest_magnitude(trial, kInfinities);
    for (size_t i = 0; i < claims_.size(); ++i) {
      const OpenClaim& claim = claims_[i];
      for (size_t k = 0; k < claim.relations.size(); ++k)
        apart_[i][k] += std::ranges::any_of(claim.relations[k], [&](const CleanExpr& replica) {
          return tells_apart(trial, magnitude, claim.sequential, replica);
        });
    }
  }

  bool tells_apart(const Trial& trial, double magnitude, const CleanExpr& sequential,
                   const CleanExpr& replica) const {
    try {
      return differ(numbers_of(problem_, trial, sequential, replica), magnitude);
    } catch (const UserError&) {  // shapes that do not fit
      return false;
    }
  }

  const Problem& problem_;
  const std::vector<OpenClaim>& claims_;
  std::vector<std::vector<int>> apart_;  // in how many draws, by claim, by relation
};

}  // namespace

bool refuted_by_trials(const Problem& problem, const std::vector<OpenClaim>& claims) {
  return Refuter(problem, claims).refutes();
}

}  // namespace assay
