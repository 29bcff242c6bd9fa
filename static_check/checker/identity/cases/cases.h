// One case of a program: all that is discontinuous in it is decided. Inputs that are flags or
// indices are drawn; a real number's sign is known, or follows from others, or is drawn. Within a
// case all numbers are analytic functions of the other inputs.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "static_check/checker/identity/cases/coins.h"
#include "static_check/checker/identity/cases/learned.h"
#include "static_check/checker/identity/cases/position.h"
#include "static_check/checker/identity/evaluated_number.h"
#include "static_check/checker/identity/hash.h"

namespace assay::checker::identity {

enum class Meaning : uint8_t {
  kComparison,  // which a tie matters to
  kContinuous,  // an extremum or absolute value, which both sides of a tie agree on
};

// alpha * base + beta: all comparisons of one base with constants are decided by one position. The
// base is the smaller one of a residue and its negative. A constant has an alpha of 0.
struct Line {
  uint64_t base = 0;
  Rational alpha, beta;
};

struct Decision {
  int sign;
  Dependence depends;
};

// What extrema make of ties. On both sides of a tie an extremum has the same value, so that any
// choice of a side is right; one that both programs agree with is looked for.
struct TieChoice {
  std::unordered_map<uint64_t, int> compared = {};  // directions of comparisons, by bases at ties
  std::unordered_map<uint64_t, Rational> points = {};  // what comparisons found these bases to be
  bool with_comparison = true;  // the extremum takes the side that the comparison has there
};

class Cases {
 public:
  struct Kind {
    bool ties = false;    // real numbers may be exactly what they are compared with
    bool sets = false;    // maxima of three and more numbers, and orders, stay functions
    bool biased = false;  // the flags of one input are mostly, or all, the same
  };

  // `learned` and `choice` must outlive this.
  Cases(uint64_t seed, const Kind& kind, Learned& learned, TieChoice& choice);

  bool sets() const { return kind_.sets; }
  Coins& coins() { return coins_; }

  // -- inputs --
  bool flag(const Element& at) const;
  // An index of the table that the element is one of. Later that it is one of that table.
  std::optional<PlainInt> index(const Element& at, PlainInt& size) const;
  void remember_integer(uint64_t r, const Element& at) { integers_.emplace(r, at); }
  void learn_table(uint64_t r, const Table& table);
  // All cases are gone through. Then nothing but flags and indices may be decided, which coins
  // tell: square roots are free, and extrema are sets.
  bool all_chosen() const { return learned_.collects || !learned_.choices.empty(); }
  // Of a flag, or an index of so many values: what was chosen. nullopt: it is drawn.
  std::optional<PlainInt> chosen(const Element& at, PlainInt values) const;
  // What a real element is set to, if anything.
  const Tie* tie(const Element& at) const;
  void remember_real(uint64_t r, const Element& at);

  // A uniform number below the limit, of these keys.
  uint64_t draw(std::string_view name, std::span<const uint64_t> keys, uint64_t limit) const;

  // -- roots --
  // One was taken of what has none in the field: it is free, and its square is another number.
  void note_free_root() { free_root_ = true; }
  // Whether any was since this was asked last.
  bool take_free_root() { return std::exchange(free_root_, false); }

  // -- lines --
  const Line& line(int32_t index) const { return lines_[static_cast<size_t>(index)]; }
  int32_t store(const Line& line);
  // Of base * orientation: it is known to be positive or not negative, or what has its sign.
  void describe(uint64_t base, int orientation, const Number& number);
  // The base is the sum of coefficients times bases.
  void describe_sum(uint64_t base, const std::vector<std::pair<uint64_t, Rational>>& terms);

  // The sign of a number that is not constant; r is its residue.
  Decision sign(const Line& of, uint64_t r, Meaning meaning);
  // Whether a comparison found it to be 0 in an earlier attempt: what came before it is the same.
  bool is_zero(const Line& of) const;

 private:
  struct Base {
    Position position;
    bool placed = false;
    bool positive = false, nonnegative = false, negative = false, nonpositive = false;
    uint64_t side = 0;  // has the sign of the base, where it is not 0
    float coins = 0;
    LinearForm form = {};  // of few elements; empty where it is none
  };

  int side_of(uint64_t key, const Base& base) const;
  void place(uint64_t key, Base& base);
  std::optional<int> implied(uint64_t r) const;
  int toss(uint64_t key, const Rational& at, Base& base) const;
  float bits(const Base& base) const;
  void learn(Base& base, const Rational& at);

  RandomFunction random_;
  Kind kind_;
  Coins coins_;
  Learned& learned_;
  TieChoice& choice_;
  const std::unordered_map<uint64_t, Rational> points_;  // of earlier attempts
  std::unordered_map<uint64_t, Element> integers_;
  std::vector<Line> lines_;
  std::unordered_map<uint64_t, Base> bases_;
  std::vector<uint64_t> positive_;  // differences, as residues
  std::unordered_set<uint64_t> positive_set_;
  bool free_root_ = false;
};

}  // namespace assay::checker::identity
