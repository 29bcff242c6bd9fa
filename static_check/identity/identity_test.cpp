#include "static_check/identity/identity_test.h"

#include <algorithm>

#include "static_check/identity/cases/by_cases.h"
#include "static_check/identity/evaluation.h"
#include "static_check/problem/candidates.h"

namespace assay {
namespace {

// Arbitrary; a program cannot know of them.
constexpr uint64_t kSeeds[] = {0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull};

// Elements in all cases of an equation within the programs, half a second or so, and of all.
constexpr int64_t kMostForTaking = int64_t{1} << 21, kMostForTakingAll = int64_t{3} << 21;

}  // namespace

struct IdentityTest::Evaluations {
  Evaluations(const Problem& of, identity::Scope scope_of, const identity::Effort& effort)
      : problem(of), scope(scope_of), by_cases(of, scope_of, effort) {}

  // By each of its methods.
  bool hold_everywhere(bool factored, const CleanExpr& sequential,
                       const std::vector<CleanExpr>& replicas) {
    auto& all = factored ? by_factors : by_products;
    return hold(all, sequential, replicas, [&](uint64_t seed) {
      return std::make_unique<identity::Evaluation>(problem, seed, factored, scope);
    });
  }
  bool hold_by_indices(bool factored, const CleanExpr& sequential,
                       const std::vector<CleanExpr>& replicas) {
    auto& all = factored ? by_indices : by_indices_of_products;
    return hold(all, sequential, replicas, [&](uint64_t seed) {
      return identity::Evaluation::by_indices(problem, seed, factored, scope);
    });
  }

  std::set<std::string> readings() const {
    std::set<std::string> result = by_cases.readings();
    for (const auto* all : {&by_factors, &by_products, &by_indices, &by_indices_of_products})
      if (!all->empty()) result.merge(std::set(all->front()->readings()));
    return result;
  }

  const Problem& problem;
  const identity::Scope scope;

  std::vector<std::unique_ptr<identity::Evaluation>> by_products, by_factors, by_indices,
      by_indices_of_products;
  identity::ByCases by_cases;

 private:
  // Most that differ do so the first time.
  template <class Make>
  static bool hold(std::vector<std::unique_ptr<identity::Evaluation>>& all,
                   const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                   const Make& make) {
    for (size_t i = 0; i < std::size(kSeeds); ++i) {
      if (i == all.size()) all.push_back(make(kSeeds[i]));
      for (const CleanExpr& replica : replicas)
        if (!all[i]->equal(sequential, replica)) return false;
    }
    return true;
  }
};

IdentityTest::IdentityTest(const Problem& problem)
    : problem_(problem),
      host_constants_(identity::host_constants_of(problem)),
      left_for_taking_(kMostForTakingAll) {}
IdentityTest::~IdentityTest() = default;

// What the test does not decide is not known to hold; the first reason is kept.
template <class Test>
bool IdentityTest::decides(const Test& test) {
  std::string why;
  try {
    return test();
  } catch (const identity::NotRepresented& reason) {
    why = reason.why;
  } catch (const UserError& error) {
    why = error.what();
  } catch (const RationalOverflow&) {
    why = "a long constant";
  }
  if (why_not_.empty()) why_not_ = why;
  return false;
}

// What is not decided is no reason then.
template <class Test>
bool IdentityTest::decides_unasked(const Test& test) {
  std::string kept = why_not_;
  const bool holds = decides(test);
  why_not_ = std::move(kept);
  return holds;
}

void IdentityTest::announce(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
  announced_.emplace_back(sequential, replicas);
  evaluations().by_cases.announce(sequential, replicas);
}

IdentityTest::Evaluations& IdentityTest::evaluations() {
  if (evaluations_ != nullptr) return *evaluations_;
  const identity::Cone* cone = nullptr;
  if (cuts_.any()) cone = &cone_.emplace(identity::cone_of(problem_, cuts_, announced_));
  evaluations_ = std::make_unique<Evaluations>(
      problem_, identity::Scope{&cuts_, cone, false, false, &host_constants_},
      hard_         ? identity::kMostEffort
      : cuts_.any() ? identity::kEffortWithin
                    : identity::kUsualEffort);
  for (const auto& [sequential, replicas] : announced_)
    evaluations_->by_cases.announce(sequential, replicas);
  return *evaluations_;
}

bool IdentityTest::holds_everywhere(const CleanExpr& sequential,
                                    const std::vector<CleanExpr>& replicas) {
  const auto hold = [&](bool factored) {
    return evaluations().hold_everywhere(factored, sequential, replicas);
  };
  // Each reading of logarithms proves what the other one does not.
  return why_not_.empty() && decides([&] { return hold(true) || hold(false); });
}

bool IdentityTest::holds_by_indices(const CleanExpr& sequential,
                                    const std::vector<CleanExpr>& replicas) {
  const auto hold = [&](bool factored) {
    return evaluations().hold_by_indices(factored, sequential, replicas);
  };
  return decides_unasked([&] { return hold(true) || hold(false); });
}

bool IdentityTest::take(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                        Certificate::Evaluated::Use use, bool alike) {
  const identity::Cone cone = identity::cone_of(problem_, cuts_, {{sequential, replicas}});
  Evaluations within(
      problem_, {&cuts_, &cone, true, false, &host_constants_},
      {std::min(kMostForTaking, left_for_taking_), identity::kEffortWithin.bits, false});
  const bool everywhere =
      decides_unasked([&] { return within.hold_everywhere(true, sequential, replicas); });
  if (everywhere && (!alike || !within.by_factors.front()->is_total())) return false;
  const bool by_indices = !everywhere && decides_unasked([&] {
    return within.hold_by_indices(true, sequential, replicas) &&
           within.by_indices.front()->is_total();
  });
  const bool by_cases = !everywhere && !by_indices && decides_unasked([&] {
    return within.by_cases.holds(sequential, replicas);
  });
  left_for_taking_ -= within.by_cases.computed();
  if (!everywhere && !by_indices && !by_cases) return false;
  used_cases_ |= by_cases;
  readings_ = readings();
  readings_.merge(within.readings());
  for (const CleanExpr& replica : replicas) cuts_.add(problem_, sequential, replica);
  if (use == Certificate::Evaluated::Use::kTakenAsAnyNumbers) cuts_.free(problem_, sequential);
  evaluations_.reset();
  why_not_.clear();
  return true;
}

bool IdentityTest::holds_within(const identity::Cuts& cuts, const identity::Cone& cone,
                                const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                                int64_t& elements) {
  if (elements <= 0) return false;
  Evaluations within(problem_, {&cuts, &cone, true, true, &host_constants_},
                     {std::min(kMostForTaking, elements), identity::kEffortWithin.bits, false});
  elements -= cone.elements;
  const auto everywhere = [&](bool factored) {
    const auto& made = factored ? within.by_factors : within.by_products;
    return within.hold_everywhere(factored, sequential, replicas) && made.front()->is_total();
  };
  const bool without_cases =
      decides_unasked([&] { return everywhere(true) || everywhere(false); }) ||
      decides_unasked([&] {
        return within.hold_by_indices(true, sequential, replicas) &&
               within.by_indices.front()->is_total();
      });
  why_not_.clear();
  const bool by_cases =
      !without_cases && decides([&] { return within.by_cases.holds(sequential, replicas); });
  elements -= within.by_cases.computed();
  if (!without_cases && !by_cases) return false;
  used_cases_ |= by_cases;
  readings_.merge(within.readings());
  return true;
}

bool IdentityTest::holds_by_cases(const CleanExpr& sequential,
                                  const std::vector<CleanExpr>& replicas) {
  const bool holds = decides([&] { return evaluations().by_cases.holds(sequential, replicas); });
  used_cases_ |= holds;
  return holds;
}

void IdentityTest::try_harder() {
  hard_ = true;
  forget_taken();
}

void IdentityTest::forget_taken() {
  cuts_ = {};
  evaluations_.reset();
  why_not_.clear();
}

std::set<std::string> IdentityTest::readings() const {
  std::set<std::string> all = readings_;
  if (evaluations_ != nullptr) all.merge(evaluations_->readings());
  return all;
}

std::vector<std::vector<CleanExpr>> likely_relations(const Problem& problem,
                                                     const std::string& output) {
  const Graph& sequential = problem.refinement.sequential;
  const Shape& wanted = sequential.tensors[static_cast<size_t>(sequential.find(output))].shape;
  std::vector<CleanExpr> leaves;
  std::vector<Shape> shapes;
  for (size_t r = 0; r < problem.refinement.ranks.size(); ++r) {
    const Graph& graph = problem.refinement.ranks[r];
    for (const TensorId id : graph.outputs) {
      const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
      if (tensor.name != output) continue;
      CleanExpr leaf;
      leaf.name = output;
      leaf.rank = static_cast<Rank>(r);
      leaves.push_back(std::move(leaf));
      shapes.push_back(tensor.shape);
    }
  }
  return made_of(leaves, shapes, wanted);
}

}  // namespace assay
