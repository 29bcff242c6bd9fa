#include "static_check/checker/identity/cases/trials.h"

#include <cmath>

#include "static_check/checker/identity/cases/failures.h"
#include "static_check/checker/identity/cases/run.h"

namespace assay::checker::identity {
namespace {

constexpr uint64_t kSeed = 0x6a09e667f3bcc908U, kStep = 0x9e3779b97f4a7c15U;
// Two functions with a difference of k bits differ in 2^-k of all cases at least (their degree as
// multilinear polynomials in the decisions is at most k): so many trials for each of those cases
// leave less than 2^-60.
constexpr float kTrialsForEach = 42;
constexpr float kMostBits = 7, kMostTieBits = 8;
constexpr int kFewestTies = 256;
constexpr int kMostStarts = 24;  // until all thresholds and tables are known
// Elements to be evaluated for all equations of a certificate: a second or two.
constexpr PlainInt kMostWork = PlainInt{1} << 22;

}  // namespace

struct Trials::Equation {
  const CleanExpr& sequential;
  const CleanExpr& replica;
  PlainInt elements;
  Learned learned;
  std::vector<int> compared;  // in how many trials, by element
};

void Trials::check(const CleanExpr& sequential, const CleanExpr& replica) {
  const PlainInt elements = count_elements(joint_);
  std::string reason;
  for (const bool sets : {true, false}) {
    Equation equation{sequential, replica, elements, {}, {}};
    try {
      reject_failures("", [&] {
        check_all(equation, {false, sets, false});
        if (equation.learned.flags) check_all(equation, {true, sets, false});
      });
      return;
    } catch (const Rejection& rejection) {
      reason = rejection.reason;
    }
  }
  if (reason.starts_with("another function")) throw Rejection{reason};
  reject_failures("", [&] { every_choice_.check(sequential, replica); });
}

// Whether a trial finds nothing new to draw by.
bool Trials::learn(Equation& equation, Cases::Kind kind) {
  equation.learned.changed = false;
  try {
    compare(equation, kind);
  } catch (const Rejection&) {
    if (!equation.learned.changed) throw;
  }
  return !equation.learned.changed;
}

void Trials::check_all(Equation& equation, Cases::Kind kind) {
  const float most = kind.ties ? kMostTieBits : kMostBits;
  for (int start = 0; start < kMostStarts; ++start) {
    if (!learn(equation, kind)) continue;
    equation.compared.clear();
    float bits = 0, needed = 1;
    int counted = 0, undefined = 0;
    for (; static_cast<float>(counted) < needed; ++counted) {
      try {
        bits = std::max(bits, compare(equation, kind));
      } catch (const Rejection& rejection) {
        if (equation.learned.changed) break;
        if (!kind.ties || rejection.reason.starts_with("another function")) throw;
        ++undefined;
      }
      if (equation.learned.changed) break;
      if (bits > most) throw Rejection{"too many decisions in one term"};
      needed = std::ceil(kTrialsForEach * std::exp2(bits));
      if (kind.ties) needed = std::max(needed, static_cast<float>(kFewestTies));
      const auto left = static_cast<PlainInt>(needed) - counted;
      if (left > (kMostWork - work_) / std::max(equation.elements, PlainInt{1}))
        throw Rejection{"too many cases"};
      // Trials of another kind beside them: what happens only where all flags of an input agree is
      // rare otherwise.
      if (counted % 4 != 3 || kind.ties) continue;
      compare(equation, {kind.ties, kind.sets, true});
      if (equation.learned.changed) break;
    }
    if (equation.learned.changed) continue;
    if (2 * undefined > counted) throw Rejection{"most ties cannot be evaluated"};
    for (const int times : equation.compared)
      if (2 * times < counted && !kind.ties) throw Rejection{"it is not defined in most cases"};
    return;
  }
  throw Rejection{"thresholds or tables without end"};
}

// The bits of the sides' difference.
float Trials::compare(Equation& equation, const Cases::Kind& kind) {
  const uint64_t seed = kSeed + kStep * trials_++;
  TieChoice choice;
  // At first extrema may come before the comparisons that they follow.
  for (int attempt = 0;; ++attempt) {
    work_ += equation.elements;
    choice.with_comparison = attempt < 2;
    std::string difference;
    const float bits = compare(equation, kind, seed, choice, difference);
    if (difference.empty()) return bits;
    if (choice.compared.empty() || attempt == 2) throw Rejection{difference};
  }
}

float Trials::compare(Equation& equation, const Cases::Kind& kind, uint64_t seed, TieChoice& choice,
                      std::string& difference) {
  Cases cases(seed, kind, equation.learned, choice);
  float bits = 0;
  reject_failures("", [&] {
    Run run(seed, joint_, notes_, Reading{true, &cases});
    const Evaluation::Tensor wanted = run.sequential(equation.sequential);
    const Evaluation::Tensor found = run.ranks(equation.replica);
    if (wanted.shape != found.shape || wanted.values.size() != found.values.size())
      throw Rejection{"another function: its shape differs"};
    equation.compared.resize(wanted.values.size());
    std::vector<bool> numbers(wanted.values.size());
    for (size_t i = 0; i < wanted.values.size(); ++i) {
      numbers[i] = wanted.values[i].kind != identity::Kind::kNan;
      if (numbers[i] && !run.algebra().same(wanted.values[i], found.values[i])) {
        difference = "another function in some case, at element " + std::to_string(i);
        return;
      }
      if (numbers[i])
        bits = std::max({bits, wanted.values[i].depends.bits, found.values[i].depends.bits});
    }
    for (size_t i = 0; i < numbers.size(); ++i)
      equation.compared[i] += numbers[i] && !kind.biased ? 1 : 0;
  });
  return bits;
}

}  // namespace assay::checker::identity
