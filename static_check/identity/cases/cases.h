// How comparisons turn out in one evaluation by cases: there everything that is not continuous is
// decided, and what is left is an analytic function of the inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shared_ir/rational.h"
#include "static_check/identity/cases/assignments.h"
#include "static_check/identity/cases/ties.h"
#include "static_check/identity/factors/sieve.h"
#include "static_check/identity/number.h"

namespace assay::identity {

// Where numbers were compared with constants in earlier cases of a test.
class Thresholds {
 public:
  // Throws NotRepresented where there are too many.
  void meet(const Rational& at);
  const std::vector<Rational>& all() const { return all_; }  // 0 too; sorted by their values
  // Binary decisions beside that of the sign.
  int bits() const;

 private:
  std::vector<Rational> all_{Rational(0)};
};

// How extrema are resolved at ties of numbers that comparisons ask about too. Where x = c both
// sides of max(x, c) are right, so that a case is passed where any choice of sides makes both
// programs the same function.
struct TieSides {
  std::unordered_map<uint64_t, int> asked = {};  // by number: 1 where it, -1 where its negative was
  int side = -1;  // of the constant that the extremum takes the number to be at
};

// Each number has a place on the real line, that of its negative on the other side, so that all
// comparisons of it with constants agree; sums of what is positive are positive. Places that no
// inputs have may be among them: then more is asked than need be.
class Cases {
 public:
  enum class Use : uint8_t {
    kFlag,       // a comparison: at a tie it is 0
    kContinuous  // an extremum: at a tie either side is right
  };

  // `with_ties`: some inputs are such that what was compared earlier is equal. `ordered`: sums of
  // what is positive are positive, so that what is sorted has an order. All must outlive this.
  Cases(uint64_t seed, Thresholds& thresholds, Ties& known_ties, TieSides& ties, bool with_ties,
        bool ordered)
      : seed_(seed),
        thresholds_(thresholds),
        known_ties_(known_ties),
        ties_(ties),
        with_ties_(with_ties),
        ordered_(ordered) {}

  // -1, 0 or 1: the sign of scale * number + offset, of a number with this residue modulo p that
  // is not 0.
  int sign(uint64_t number, const Rational& scale, const Rational& offset, Use use);
  bool coin(uint64_t key);
  // What is known of signs: a number is positive, or not negative; one is another times what is
  // positive.
  void learn_nonnegative(uint64_t number, bool positive);
  void learn_same_side(uint64_t number, uint64_t as);
  // Any number, or one of 0 .. count - 1.
  uint64_t draw(uint64_t key) const;
  uint64_t draw(uint64_t key, uint64_t count) const { return draw(key) % count; }

  // Indices and flags have the values of this, where it has some, and are no decisions. Nothing
  // else is decided then without decided_any() saying so: square roots are free, and extrema are
  // sets.
  void assign(Assignments* assignments) { assignments_ = assignments; }
  Assignments* assignments() const { return assignments_; }

  // Of an input, which has that residue otherwise; nullptr where it is at no tie.
  const Ties::Tie* tie(const Input& input, uint64_t residue) const;
  void learn_input(const Input& input, uint64_t residue);
  // The number is a * x + b * y.
  void learn_sum(uint64_t number, uint64_t x, const Rational& a, uint64_t y, const Rational& b);

  DecisionSets& decisions() { return decisions_; }
  // What was decided since the last call, known or not.
  Dependence take_decisions() { return std::exchange(decided_, {}); }
  void add_decision(const Dependence& decision) {
    decided_ = product(decided_, decision);
    decided_any_ = true;
  }
  bool decided_any() const { return decided_any_; }
  // A root was taken of what has none in the field: it is a free variable, and its square is not
  // what it is the root of. What is computed of it depends on that.
  void note_free_root(bool of_nonnegative) {
    decided_.free_root =
        std::max(decided_.free_root, of_nonnegative ? FreeRoot::kOfNonnegative : FreeRoot::kOfAny);
  }
  // Whether a comparison was asked for, where ties count.
  bool compared() const { return compared_; }

 private:
  // Ties of inputs and of their sums are those that were set, of others such as are drawn.
  struct Place {
    double at;
    int side;        // of 0: where `at` is a threshold, that of an extremum
    bool of_inputs;  // a short sum of them
  };

  // Of the smaller one of a number and its negative.
  const Place& place(uint64_t number);
  // What a decision is worth: the logarithm of the inverse of its least probability.
  int worth(const Place& of, Use use) const;
  // Of inputs; empty where it is no short sum of them.
  LinearForm form_of(uint64_t number) const;
  // What has the sign of the number: itself, or 1.
  uint64_t side_of(uint64_t number) const;
  std::optional<int> implied_side(uint64_t number) const;

  const uint64_t seed_;
  Thresholds& thresholds_;
  Ties& known_ties_;
  TieSides& ties_;
  const bool with_ties_, ordered_;
  DecisionSets decisions_;
  Dependence decided_;
  bool compared_ = false, decided_any_ = false;
  Assignments* assignments_ = nullptr;
  std::unordered_map<uint64_t, Place> places_;
  std::unordered_map<uint64_t, uint64_t> sides_;
  std::unordered_set<uint64_t> always_positive_;
  std::vector<std::pair<uint64_t, uint64_t>> placed_;  // the first of them, with their inverses
  std::unordered_set<uint64_t> positive_;
  std::vector<uint64_t> positives_;                 // the same
  std::unordered_map<uint64_t, LinearForm> forms_;  // by number
  Sieve some_positive_;                             // of always_positive_
};

}  // namespace assay::identity
