#include "static_check/checker/identity/cases/trials.h"

#include <cmath>

#include "static_check/checker/identity/cases/effort.h"
#include "static_check/checker/identity/cases/failures.h"
#include "static_check/checker/identity/cases/run.h"

namespace assay::checker::identity {
namespace {

constexpr uint64_t kSeed = 0x6a09e667f3bcc908U, kStep = 0x9e3779b97f4a7c15U;
// Two functions with a difference of k bits differ in 2^-k of all cases at least (their degree as
// multilinear polynomials in the decisions is at most k): so many trials for each of those cases
// leave less than 2^-60.
constexpr float kTrialsForEach = 42;
constexpr int kFewestTies = 256;
constexpr int kMostStarts = 24;  // until all thresholds and tables are known
// Trials in which roots of an element are none for each with all of them: of six or so.
constexpr int kMostUnrooted = 96;

}  // namespace

struct Trials::Equations {
  const CleanExpr& sequential;
  const std::vector<const CleanExpr*>& replicas;
  PlainInt elements;
  Learned learned;
  std::vector<int> compared;  // in how many trials, by element
  // In which all its roots are such; in which some are none, and the sides differ: an element of
  // these needs as many of the others.
  std::vector<int> rooted = {}, unrooted = {};

  void start(size_t count) {
    compared.resize(count);
    rooted.resize(count);
    unrooted.resize(count);
  }
  void clear() {
    compared.clear();
    rooted.clear();
    unrooted.clear();
  }
  bool suffice(float needed) const {
    for (size_t i = 0; i < unrooted.size(); ++i)
      if (unrooted[i] > 0 && static_cast<float>(rooted[i]) < needed) return false;
    return true;
  }
};

void Trials::check(const CleanExpr& sequential, const CleanExpr& replica) {
  const auto name = [](const CleanExpr& wanted, const CleanExpr& found) {
    return std::pair(to_string(wanted, Leaves::kSequential), to_string(found));
  };
  const auto asked = name(sequential, replica);
  if (held_.contains(asked)) return;
  std::set<std::pair<std::string, std::string>> names{asked};
  std::vector<const CleanExpr*> all{&replica};
  for (const Certificate::Evaluated& other : scope_.equations) {
    const auto text = name(other.sequential, other.replica);
    if (text.first == asked.first && names.insert(text).second) all.push_back(&other.replica);
  }
  if (all.size() > 1) {
    try {
      check(sequential, all);
      held_.merge(names);
      return;
    } catch (const Rejection&) {
    }
  }
  check(sequential, {&replica});
  held_.insert(asked);
}

void Trials::check(const CleanExpr& sequential, const std::vector<const CleanExpr*>& replicas) {
  const PlainInt elements = count_elements(joint_, scope_);
  std::string reason;
  for (const bool sets : {true, false}) {
    Equations equations{sequential, replicas, elements, {}, {}};
    try {
      reject_failures("", [&] {
        check_all(equations, {false, sets, false});
        if (equations.learned.flags) check_all(equations, {true, sets, false});
      });
      return;
    } catch (const Rejection& rejection) {
      reason = rejection.reason;
    }
  }
  try {
    reject_failures("", [&] {
      for (const CleanExpr* replica : replicas) every_choice_.check(sequential, *replica);
    });
  } catch (const Rejection&) {
    throw Rejection{reason};  // which says more than that there are no choices, or too many
  }
}

// Whether a trial finds nothing new to draw by.
bool Trials::learn(Equations& equations, Cases::Kind kind) {
  equations.learned.changed = false;
  try {
    compare(equations, kind);
  } catch (const Rejection&) {
    if (!equations.learned.changed) throw;
  }
  return !equations.learned.changed;
}

void Trials::check_all(Equations& equations, Cases::Kind kind) {
  const float most = kind.ties ? kMostTieBits : kMostBits;
  for (int start = 0; start < kMostStarts; ++start) {
    if (!learn(equations, kind)) continue;
    equations.clear();
    float bits = 0, needed = 1;
    int counted = 0, undefined = 0;
    // Whether the trial was defined: of inputs that are equal not all have to be.
    const auto is_defined = [&](const Cases::Kind& of) {
      try {
        bits = std::max(bits, compare(equations, of));
      } catch (const Rejection& rejection) {
        const bool differs = rejection.reason.starts_with("another function");
        if (!equations.learned.changed && (!kind.ties || differs)) throw;
        return false;
      }
      return true;
    };
    for (; static_cast<float>(counted - undefined) < needed || !equations.suffice(needed);
         ++counted) {
      if (work_ > kMostWork) throw Rejection{"too many cases"};
      undefined += is_defined(kind) ? 0 : 1;
      if (equations.learned.changed) break;
      if (undefined > kFewestTies + counted / 2) throw Rejection{"most ties cannot be evaluated"};
      if (bits > most) throw Rejection{"too many decisions in one term"};
      // Ties, if any matter, come with all that trials without them decide.
      const bool counts_later = equations.learned.flags && !kind.ties;
      needed = std::ceil(kTrialsForEach * (counts_later ? 1 : std::exp2(bits)));
      if (kind.ties) needed = std::max(needed, static_cast<float>(kFewestTies));
      const auto left = static_cast<PlainInt>(needed) - counted;
      if (left > (kMostWork - work_) / std::max(equations.elements, PlainInt{1}))
        throw Rejection{"too many cases"};
      // Trials of another kind beside them: what happens only where all flags of an input agree is
      // rare otherwise.
      if (counted % 4 == 3) is_defined({kind.ties, kind.sets, true});
      if (equations.learned.changed) break;
    }
    if (equations.learned.changed) continue;
    if (2 * undefined > counted) throw Rejection{"most ties cannot be evaluated"};
    for (const int times : equations.compared)
      if (2 * times < counted && !kind.ties) throw Rejection{"it is not defined in most cases"};
    return;
  }
  throw Rejection{"thresholds or tables without end"};
}

// The bits of the sides' difference.
float Trials::compare(Equations& equations, const Cases::Kind& kind) {
  const uint64_t seed = kSeed + kStep * trials_++;
  TieChoice choice;
  // At first extrema may come before the comparisons that they follow.
  for (int attempt = 0;; ++attempt) {
    work_ += equations.elements;
    choice.with_comparison = attempt < 2;
    std::string difference;
    const float bits = compare(equations, kind, seed, choice, difference);
    if (difference.empty()) return bits;
    if (choice.compared.empty() || attempt == 2) throw Rejection{difference};
  }
}

float Trials::compare(Equations& equations, const Cases::Kind& kind, uint64_t seed,
                      TieChoice& choice, std::string& difference) {
  Cases cases(seed, kind, equations.learned, choice);
  float bits = 0;
  reject_failures("", [&] {
    Run run(seed, joint_, notes_, scope_, Reading{true, false, &cases});
    if (scope_.within && !run.is_total()) throw Rejection{"it may be no number"};
    const Evaluation::Tensor wanted = run.sequential(equations.sequential);
    equations.start(wanted.values.size());
    std::vector<bool> free(wanted.values.size(), false);
    for (const CleanExpr* replica : equations.replicas) {
      const Evaluation::Tensor found = run.ranks(*replica);
      if (wanted.shape != found.shape || wanted.values.size() != found.values.size())
        throw Rejection{"another function: its shape differs"};
      for (size_t i = 0; i < wanted.values.size(); ++i) {
        if (wanted.values[i].kind == identity::Kind::kNan) {
          if (scope_.within) throw Rejection{"it may be no number"};
          continue;
        }
        // The ranks may have no number only where the specification has none.
        const FreeRoot ours = wanted.values[i].depends.free_root,
                       theirs = found.values[i].depends.free_root;
        const bool rooted =
            ours != FreeRoot::kOfAny && std::max(ours, theirs) != FreeRoot::kOfNonnegative;
        free[i] = free[i] || !rooted;
        if (free[i] && scope_.within) throw Rejection{"it may be no number"};
        if (!run.algebra().same(wanted.values[i], found.values[i])) {
          if (!rooted) {
            if (++equations.unrooted[i] > kMostUnrooted * (1 + equations.rooted[i]))
              throw Rejection{"too many cases"};
            continue;
          }
          difference = "another function in some case, at element " + std::to_string(i);
          return;
        }
        bits = std::max(bits,
                        cases.coins().shown_by(wanted.values[i].depends, found.values[i].depends));
      }
    }
    for (size_t i = 0; i < wanted.values.size(); ++i)
      if (wanted.values[i].kind != identity::Kind::kNan && !kind.biased) {
        ++equations.compared[i];
        equations.rooted[i] += free[i] ? 0 : 1;
      }
  });
  return bits;
}

}  // namespace assay::checker::identity
