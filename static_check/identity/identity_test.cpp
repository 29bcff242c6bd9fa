#include "static_check/identity/identity_test.h"

#include <algorithm>

#include "static_check/identity/cases/by_cases.h"
#include "static_check/identity/evaluation.h"

namespace assay {
namespace {

// Arbitrary; a program cannot know of them.
constexpr uint64_t kSeeds[] = {0xA0761D6478BD642Full, 0xE7037ED1A0B428DBull};

}  // namespace

struct IdentityTest::Evaluations {
  explicit Evaluations(const Problem& problem) : by_cases(problem) {}

  std::vector<std::unique_ptr<identity::Evaluation>> by_products, by_factors, by_indices;
  identity::ByCases by_cases;
};

IdentityTest::IdentityTest(const Problem& problem) : problem_(problem) {}
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

void IdentityTest::announce(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
  evaluations().by_cases.announce(sequential, replicas);
}

IdentityTest::Evaluations& IdentityTest::evaluations() {
  if (evaluations_ == nullptr) evaluations_ = std::make_unique<Evaluations>(problem_);
  return *evaluations_;
}

bool IdentityTest::holds_everywhere(const CleanExpr& sequential,
                                    const std::vector<CleanExpr>& replicas) {
  const auto hold = [&](bool factored) {
    auto& all = factored ? evaluations().by_factors : evaluations().by_products;
    // Most that differ do so the first time.
    for (size_t i = 0; i < std::size(kSeeds); ++i) {
      if (i == all.size())
        all.push_back(std::make_unique<identity::Evaluation>(problem_, kSeeds[i], factored));
      for (const CleanExpr& replica : replicas)
        if (!all[i]->equal(sequential, replica)) return false;
    }
    return true;
  };
  // Each reading of logarithms proves what the other one does not.
  return why_not_.empty() && decides([&] { return hold(true) || hold(false); });
}

bool IdentityTest::holds_by_indices(const CleanExpr& sequential,
                                    const std::vector<CleanExpr>& replicas) {
  auto& all = evaluations().by_indices;
  try {
    for (size_t i = 0; i < std::size(kSeeds); ++i) {
      if (i == all.size()) all.push_back(identity::Evaluation::by_indices(problem_, kSeeds[i]));
      for (const CleanExpr& replica : replicas)
        if (!all[i]->equal(sequential, replica)) return false;
    }
    return true;
  } catch (const identity::NotRepresented&) {
  } catch (const UserError&) {
  } catch (const RationalOverflow&) {
  }
  return false;
}

bool IdentityTest::holds_by_cases(const CleanExpr& sequential,
                                  const std::vector<CleanExpr>& replicas) {
  const bool holds = decides([&] { return evaluations().by_cases.holds(sequential, replicas); });
  used_cases_ |= holds;
  return holds;
}

std::set<std::string> IdentityTest::readings() const {
  if (evaluations_ == nullptr) return {};
  std::set<std::string> readings = evaluations_->by_cases.readings();
  for (const auto* all :
       {&evaluations_->by_factors, &evaluations_->by_products, &evaluations_->by_indices})
    if (!all->empty()) readings.merge(std::set(all->front()->readings()));
  return readings;
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
  std::vector<std::vector<CleanExpr>> likely;
  if (leaves.empty()) return likely;
  if (std::ranges::all_of(shapes, [&](const Shape& shape) { return shape == wanted; })) {
    likely.push_back(leaves);
    return likely;
  }
  for (size_t dim = 0; dim < wanted.size(); ++dim) {
    Shape together = shapes.front();
    if (together.size() != wanted.size()) break;
    for (size_t i = 1; i < shapes.size(); ++i)
      if (shapes[i].size() == together.size()) together[dim] += shapes[i][dim];
    if (together != wanted) continue;
    CleanExpr concat;
    concat.kind = CleanExpr::Kind::kConcat;
    concat.dim = static_cast<int64_t>(dim);
    concat.operands = leaves;
    likely.push_back({std::move(concat)});
  }
  return likely;
}

}  // namespace assay
