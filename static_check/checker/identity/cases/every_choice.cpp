#include "static_check/checker/identity/cases/every_choice.h"

#include "static_check/checker/identity/cases/cases.h"
#include "static_check/checker/identity/cases/effort.h"
#include "static_check/checker/identity/cases/run.h"

namespace assay::checker::identity {
namespace {

constexpr uint64_t kChoiceSeed = 0x510e527fade682d1U, kChoiceStep = 0x9e3779b97f4a7c15U;
constexpr int kMostChoiceStarts = 24;  // until all tables are known
// Each choice is evaluated with two sets of numbers.
constexpr int kRunsForEach = 2;

// The digits of the next number; false after the last.
bool advance(Choices& choices) {
  for (auto& [element, choice] : choices) {
    if (++choice.value < choice.values) return true;
    choice.value = 0;
  }
  return false;
}

}  // namespace

void EveryChoice::check(const CleanExpr& sequential, const CleanExpr& replica) {
  if (!equations_) run();
  const auto& all = scope_.equations;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].sequential != sequential || all[i].replica != replica) continue;
    if (equations_->empty()) throw Rejection{"too many choices, or more than these are decided"};
    if (equations_->at(i).differs) throw Rejection{"another function for some indices"};
    for (const int times : equations_->at(i).compared)
      if (2 * times < static_cast<int>(runs_)) throw Rejection{"it is not defined in most cases"};
    return;
  }
  throw Rejection{"too many cases"};
}

void EveryChoice::evaluate(bool compare) {
  const Cases::Kind kind{false, true, false};
  const uint64_t seed = kChoiceSeed + kChoiceStep * ++runs_;
  TieChoice choice;
  Cases cases(seed, kind, learned_, choice);
  Run run(seed, joint_, notes_, scope_, Reading{true, false, &cases});
  if (!compare) return;
  if (scope_.within && !run.is_total()) throw Rejection{"it may be no number"};
  if (cases.coins().tossed() || learned_.flags || learned_.changed)
    throw Rejection{"more is decided than flags and indices"};
  const auto& all = scope_.equations;
  for (size_t e = 0; e < all.size(); ++e) {
    Equation& equation = equations_->at(e);
    const Evaluation::Tensor wanted = run.sequential(all[e].sequential);
    const Evaluation::Tensor found = run.ranks(all[e].replica);
    equation.differs |= wanted.shape != found.shape || wanted.values.size() != found.values.size();
    if (equation.differs) continue;
    equation.compared.resize(wanted.values.size());
    for (size_t i = 0; i < wanted.values.size(); ++i) {
      if (wanted.values[i].kind == identity::Kind::kNan) {
        equation.differs |= scope_.within;
        continue;
      }
      equation.differs |= !run.algebra().same(wanted.values[i], found.values[i]);
      ++equation.compared[i];
    }
  }
}

void EveryChoice::learn() {
  for (int start = 0; start < kMostChoiceStarts; ++start) {
    learned_.changed = false;
    try {
      evaluate(false);
    } catch (const Rejection&) {
      if (!learned_.changed) throw;
    }
    if (!learned_.changed) break;
  }
  learned_.collects = true;
  evaluate(false);
  learned_.collects = false;
}

PlainInt EveryChoice::count(PlainInt most) const {
  PlainInt all = 1;
  for (const auto& [element, choice] : learned_.choices) {
    if (choice.values < 1 || all > most / choice.values) throw Rejection{"too many choices"};
    all *= choice.values;
  }
  return all;
}

void EveryChoice::run() {
  equations_.emplace();  // where this throws, none is shown by it
  const PlainInt elements = std::max(count_elements(joint_, scope_), PlainInt{1});
  learn();
  if (learned_.choices.empty()) throw Rejection{"nothing to choose"};
  count(kMostChoiceWork / elements / kRunsForEach);
  std::vector<Equation> fresh(scope_.equations.size());
  equations_ = std::move(fresh);
  runs_ = 0;
  try {
    do {
      for (int run = 0; run < kRunsForEach; ++run) evaluate(true);
    } while (advance(learned_.choices));
  } catch (...) {
    for (Equation& equation : *equations_) equation.differs = true;
    throw;
  }
}

}  // namespace assay::checker::identity
