// On which random decisions of a case something depends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace assay::identity {

// Whether a root was taken of what has none in the field, so that it is a free variable: of what is
// known not to be negative, or of what may be, where a program has no number.
enum class FreeRoot : uint8_t { kNone, kOfNonnegative, kOfAny };

class DecisionSets;

// Decisions, each worth the logarithm of the inverse of its least probability, in eighths of a bit.
struct DecisionSet {
  DecisionSets* home;
  std::vector<std::pair<uint64_t, int>> decisions;  // by key; none where there are too many
  int bits;                                         // of all together
};

// What is not 0 in all cases is a quotient of two sums: `bits` bounds what one term of the dividend
// depends on, `of` is all that it does. A sum that is not 0 in all cases is none in at least
// 2^(-bits / 8) of them: with what a maximal term does not depend on held fixed, it stays a
// function of what that term depends on that is not 0 everywhere. nullptr: on nothing.
struct Dependence {
  static constexpr uint32_t kSeveral = ~uint32_t{0};
  static constexpr int kBit = 8;

  int bits = 0;
  const DecisionSet* of = nullptr;
  int under = 0;  // of the divisor, as `bits` and `of`
  const DecisionSet* below = nullptr;
  uint32_t divisor = 0;                  // the one number that it is divided by; 0: none
  FreeRoot free_root = FreeRoot::kNone;  // on such a root

  // In how many cases a difference shows: where the divisor is 0 there is none.
  int shown_in() const;

  // Divisors that are one number in every case are one function, but where few cases tell them
  // apart: those that do count more.
  friend Dependence sum(const Dependence& a, const Dependence& b);
  friend Dependence product(const Dependence& a, const Dependence& b);
  // Of a function of it that is not linear.
  friend Dependence function_of(const Dependence& a);
  // Of what a condition leaves out, which is not asked for its roots.
  friend Dependence unrooted(Dependence a) {
    a.free_root = FreeRoot::kNone;
    return a;
  }
  // Of 1 / number.
  friend Dependence inverse(const Dependence& a, uint64_t number);
};

// The sets of one case, each once.
class DecisionSets {
 public:
  DecisionSets();
  DecisionSets(const DecisionSets&) = delete;
  DecisionSets& operator=(const DecisionSets&) = delete;

  Dependence on(uint64_t key, int bits) { return on_worth(key, Dependence::kBit * bits); }
  // On one of so many that are as likely.
  Dependence on_one_of(uint64_t key, int64_t count);

  const DecisionSet* united(const DecisionSet* a, const DecisionSet* b);

 private:
  Dependence on_worth(uint64_t key, int worth);
  const DecisionSet* intern(std::vector<std::pair<uint64_t, int>> decisions);

  using Pair = std::pair<const DecisionSet*, const DecisionSet*>;
  std::map<std::vector<std::pair<uint64_t, int>>, std::unique_ptr<const DecisionSet>> sets_;
  std::map<Pair, const DecisionSet*> unions_;
  const DecisionSet many_;
};

}  // namespace assay::identity
