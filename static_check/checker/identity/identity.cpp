#include "static_check/checker/identity/identity.h"

#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "static_check/checker/identity/cases/failures.h"
#include "static_check/checker/identity/cases/run.h"
#include "static_check/checker/identity/cases/trials.h"

namespace assay::checker {

namespace {

using identity::count_elements;
using identity::Evaluation;
using identity::Reading;
using identity::reject_failures;
using identity::Run;

using Runs = std::vector<std::unique_ptr<Run>>;

// Of logarithms and of indices: each proves what the others do not.
constexpr Reading kReadings[] = {{.formal_logs = false, .by_values = false},
                                 {.formal_logs = true, .by_values = false},
                                 {.formal_logs = false, .by_values = true},
                                 {.formal_logs = true, .by_values = true}};

constexpr uint64_t kSeeds[] = {0x5be0cd19137e2179U, 0x9b05688c2b3e6c1fU};

bool holds(const Runs& runs, const CleanExpr& sequential, const CleanExpr& replica, bool within) {
  for (const auto& run : runs) {
    if (within && !run->is_total()) return false;
    const Evaluation::Tensor wanted = run->sequential(sequential), found = run->ranks(replica);
    if (wanted.shape != found.shape || wanted.values.size() != found.values.size()) return false;
    for (size_t i = 0; i < wanted.values.size(); ++i)
      if (!run->algebra().same(wanted.values[i], found.values[i]) ||
          (within && !wanted.values[i].is_finite()))
        return false;
  }
  return true;
}

}  // namespace

struct IdentityCheck::Evaluations {
  Evaluations(const Joint& of, std::set<std::string>& notes, identity::Scope scope_of)
      : joint(of), readings(notes), scope(std::move(scope_of)), trials(of, notes, scope) {}

  void check(const CleanExpr& sequential, const CleanExpr& replica) {
    for (size_t reading = 0; reading < std::size(kReadings); ++reading)
      if (const Runs* of = runs(reading);
          of != nullptr && holds(*of, sequential, replica, scope.within))
        return;
    reject_failures(to_string(replica) + ": ", [&] { trials.check(sequential, replica); });
  }

  // Null where the programs cannot be evaluated as a whole: they may be in each case.
  const Runs* runs(size_t reading) {
    std::optional<Runs>& of = evaluated[reading];
    if (!of) {
      of.emplace();
      try {
        reject_failures("", [&] {
          count_elements(joint, scope);
          for (const uint64_t seed : kSeeds)
            of->push_back(std::make_unique<Run>(seed, joint, readings, scope, kReadings[reading]));
        });
      } catch (const Rejection&) {
        of->clear();
      }
    }
    return of->empty() ? nullptr : &*of;
  }

  const Joint& joint;
  std::set<std::string>& readings;
  const identity::Scope scope;
  std::array<std::optional<Runs>, std::size(kReadings)> evaluated;
  identity::Trials trials;
};

IdentityCheck::IdentityCheck(const Joint& joint) : joint_(joint) {}
IdentityCheck::~IdentityCheck() = default;

const identity::ComputedConstants& IdentityCheck::computed() {
  if (!computed_) {
    std::set<std::string> ignored;
    identity::Algebra algebra(1, ignored);
    computed_ = identity::computed_constants(
        joint_, [&](double value) { return algebra.is_known_constant(value); });
  }
  return *computed_;
}

void IdentityCheck::take(const std::string& what,
                         std::span<const Certificate::Evaluated> equations) {
  for (const Certificate::Evaluated& equation : equations)
    reject_failures(what + ", by evaluation: ", [&] {
      const identity::Cone cone(joint_, cuts_, {&equation, 1});
      Evaluations(joint_, notes_, {&cuts_, &cone, true, false, {equation}, &computed()})
          .check(equation.sequential, equation.replica);
    });
  for (const Certificate::Evaluated& equation : equations) cuts_.add(joint_, equation);
}

void IdentityCheck::check_from_cuts(const std::string& what,
                                    const Certificate::EvaluatedClaim& claim) {
  identity::Cuts cuts;
  for (const auto& cut : claim.cuts) cuts.add(joint_, cut);
  cuts.free(joint_, claim.any);
  std::vector<Certificate::Evaluated> equations;
  for (const CleanExpr& replica : claim.replicas) equations.push_back({claim.sequential, replica});
  const identity::Cone cone(joint_, cuts, equations);
  reject_failures(what + ", by evaluation: ", [&] {
    Evaluations within(joint_, notes_, {&cuts, &cone, true, true, equations, &computed()});
    for (const Certificate::Evaluated& equation : equations)
      within.check(equation.sequential, equation.replica);
  });
}

void IdentityCheck::check(const std::string& what, const CleanExpr& sequential,
                          const CleanExpr& replica) {
  if (evaluations_ == nullptr) {
    const identity::Cone* cone = nullptr;
    std::vector<Certificate::Evaluated> claims = joint_.certificate.evaluated;
    if (!cuts_.empty()) {
      std::erase_if(claims, [](const Certificate::Evaluated& equation) {
        return equation.use != Certificate::Evaluated::Use::kClaim;
      });
      cone = &cone_.emplace(joint_, cuts_, claims);
    }
    evaluations_ = std::make_unique<Evaluations>(
        joint_, notes_,
        identity::Scope{&cuts_, cone, false, false, std::move(claims), &computed()});
  }
  reject_failures(what + ", by evaluation: ", [&] { evaluations_->check(sequential, replica); });
}

}  // namespace assay::checker
