#include "static_check/identity/cases/by_cases.h"

#include <algorithm>
#include <cmath>

namespace assay::identity {
namespace {

constexpr uint64_t kSeed = 0x2545F4914F6CDD1Dull;

// 60 * log 2: cases for each that shows a difference.
constexpr int kCasesPerBit = 42;
// Where comparisons were asked for, some of which only ties tell apart.
constexpr int kCasesWithTies = 256;
// Cases in which an element's roots are none, for each in which all are: of six or so.
constexpr int kMostWithoutRoots = 96;
// For all values of indices and flags each is evaluated twice, with other numbers.
constexpr int kRunsForEach = 2;

}  // namespace

bool ByCases::holds(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
  if (each_ == 0) {
    const int64_t each = represented_elements(problem_, scope_, true);
    TieSides ties;
    Cases cases(kSeed, thresholds_, ties_, ties, false, false);
    ranges_ = Evaluation(problem_, kSeed, cases, false, {}, scope_, true).ranges();
    each_ = std::max<int64_t>(each, 1);
  }
  // Extrema of many elements as functions of their own need fewer cases.
  try {
    if (holds(sequential, replicas, false)) return true;
  } catch (const NotRepresented&) {
  }
  try {
    return holds(sequential, replicas, true);
  } catch (const NotRepresented&) {
    if (!effort_.every_choice) throw;
    return holds_for_all(sequential, replicas);
  }
}

void ByCases::announce(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
  announced_.push_back({sequential, replicas});
}

bool ByCases::holds_for_all(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas) {
  const auto same = [&](const Equation& equation) {
    return equation.sequential == sequential && equation.replicas == replicas;
  };
  if (std::ranges::none_of(announced_, same)) throw NotRepresented{"too many cases"};
  if (runs_ == 0) run_for_all();
  if (runs_ < 0) throw NotRepresented{"too many cases"};
  const Equation& equation = *std::ranges::find_if(announced_, same);
  // What is a number hardly ever was not compared.
  return !equation.differs &&
         std::ranges::all_of(equation.compared, [&](int times) { return 4 * times >= runs_; });
}

void ByCases::run_for_all() {
  const auto most = static_cast<uint64_t>(kMostForAll / each_ / kRunsForEach);
  runs_ = -1;
  Assignments assignments;
  evaluate_for_all(assignments);  // collects them
  if (assignments.count(most + 1) > most) return;
  assignments.start();
  for (Equation& equation : announced_) equation.compared.clear();
  int runs = 0;
  const auto any_holds = [&] {
    return std::ranges::any_of(announced_, [](const Equation& one) { return !one.differs; });
  };
  do {
    for (int run = 0; run < kRunsForEach; ++run, ++runs) evaluate_for_all(assignments);
  } while (any_holds() && assignments.next());
  runs_ = runs;
}

void ByCases::evaluate_for_all(Assignments& assignments) {
  const uint64_t seed = kSeed - ++evaluated_;
  TieSides ties;
  Cases cases(seed, thresholds_, ties_, ties, false, false);
  cases.assign(&assignments);
  Evaluation evaluation(problem_, seed, cases, false, ranges_, scope_);
  readings_.insert(evaluation.readings().begin(), evaluation.readings().end());
  for (Equation& equation : announced_) {
    if (equation.differs) continue;
    std::vector<Compared> elements;
    int bits = 0;
    equation.differs =
        !evaluation.equal_where_defined(equation.sequential, equation.replicas, elements, bits);
    require_numbers(evaluation, elements);
    if (bits > 0 || cases.decided_any()) throw NotRepresented{"too many cases"};
    equation.compared.resize(elements.size());
    for (size_t i = 0; i < elements.size(); ++i)
      equation.compared[i] += elements[i] == Compared::kEqual ? 1 : 0;
  }
}

// What stands for another tensor has to be it wherever that is read, and not only where the
// specification is a number.
void ByCases::require_numbers(const Evaluation& evaluation,
                              const std::vector<Compared>& elements) const {
  if (!scope_.within) return;
  const auto is_equal = [](Compared one) { return one == Compared::kEqual; };
  if (!evaluation.is_total() || !std::ranges::all_of(elements, is_equal))
    throw NotRepresented{"what may be no number"};
}

ByCases::Found ByCases::compare(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                                uint64_t seed, Cases& cases, bool decide_sets) {
  Found found;
  Evaluation evaluation(problem_, seed, cases, decide_sets, ranges_, scope_);
  readings_.insert(evaluation.readings().begin(), evaluation.readings().end());
  found.equal = evaluation.equal_where_defined(sequential, replicas, found.elements, found.bits);
  require_numbers(evaluation, found.elements);
  found.compared = cases.compared();
  return found;
}

// How often an element was equal, was so and all its roots were such, and differed where some were
// none: then it needs as many cases of the second kind.
struct ByCases::Counts {
  int compared = 0, rooted = 0, unrooted = 0;

  void add(Compared one) {
    compared += one == Compared::kEqual || one == Compared::kFreelyEqual ? 1 : 0;
    rooted += one == Compared::kEqual ? 1 : 0;
    unrooted += one == Compared::kFreelyOther ? 1 : 0;
    if (unrooted > kMostWithoutRoots * (1 + rooted)) throw NotRepresented{"too many cases"};
  }
  bool suffice(int needed) const { return unrooted == 0 || rooted >= needed; }
};

// With ties, extrema that were met before a comparison of the same number are resolved by it in a
// second evaluation, and the other way in a third.
ByCases::Found ByCases::compare(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                                bool decide_sets, uint64_t seed, bool with_ties) {
  TieSides ties;
  Found found;
  for (const int side : {-1, -1, 1}) {
    ties.side = side;
    Cases cases(seed, thresholds_, ties_, ties, with_ties, decide_sets);
    found = compare(sequential, replicas, seed, cases, decide_sets);
    if (found.equal || ties.asked.empty()) break;
    computed_ += each_;
  }
  return found;
}

bool ByCases::holds(const CleanExpr& sequential, const std::vector<CleanExpr>& replicas,
                    bool decide_sets) {
  int needed = kCasesPerBit, done = 0, most_bits = 0, failed = 0;
  std::vector<Counts> counts;  // of each element
  const auto enough = [&] {
    return done >= needed &&
           std::ranges::all_of(counts, [&](const Counts& of) { return of.suffice(needed); });
  };
  for (uint64_t index = 0; !enough(); ++index) {
    computed_ += each_;
    if (computed_ > effort_.elements) throw NotRepresented{"too many cases"};
    const uint64_t seed = kSeed + 1 + index;
    const bool with_ties = index % 2 == 1;
    const size_t thresholds = thresholds_.all().size();
    Found found;
    try {
      found = compare(sequential, replicas, decide_sets, seed, with_ties);
    } catch (const NotRepresented&) {
      // Inputs that are equal may leave a domain.
      if (!with_ties || ++failed > 8 + done / 4) throw;
      continue;
    }
    const bool new_ties = ties_.take_changed() || thresholds_.all().size() != thresholds;
    if (!found.equal && !new_ties) return false;
    most_bits = std::max(most_bits, found.bits);
    if (most_bits > effort_.bits * Dependence::kBit) throw NotRepresented{"too many cases"};
    needed = static_cast<int>(
        std::ceil(kCasesPerBit * std::exp2(static_cast<double>(most_bits) / Dependence::kBit)));
    if (found.compared) needed = std::max(needed, kCasesWithTies);
    if (computed_ + (needed - done) * each_ > effort_.elements)
      throw NotRepresented{"too many cases"};
    counts.resize(found.elements.size());
    if (new_ties) {  // the inputs and places before did not know of these
      done = 0;
      std::ranges::fill(counts, Counts());
      continue;
    }
    ++done;
    for (size_t i = 0; i < counts.size(); ++i) counts[i].add(found.elements[i]);
  }
  // What is a number hardly ever was not compared.
  return std::ranges::all_of(
      counts, [&](const Counts& of) { return of.unrooted > 0 || 4 * of.compared >= done; });
}

}  // namespace assay::identity
