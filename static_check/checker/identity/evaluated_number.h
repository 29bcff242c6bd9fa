// What stands for one element: residues, and the form that some rules ask for.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shared_ir/dtype.h"
#include "static_check/checker/identity/field.h"

namespace assay::checker::identity {

// What an element's arithmetic is: that of real numbers for every floating dtype, of integers that
// wrap for each integer dtype.
using Type = uint8_t;
inline constexpr Type kReal = static_cast<Type>(DType::kFloat32);
inline constexpr Type kFlag = static_cast<Type>(DType::kBool);
inline constexpr Type kUntyped = 255;  // a constant that fits any

inline Type type_of(DType dtype) { return is_floating(dtype) ? kReal : static_cast<Type>(dtype); }
inline bool is_integer_type(Type type) {
  return type != kUntyped && is_integer(static_cast<DType>(type));
}

// `form` is an index into the algebra's list of that kind. The residues are right whatever the
// kind; two finite numbers are one function where their r are equal.
enum class Kind : uint8_t {
  kOrdinary,
  kConstant,  // a known rational
  kLog,
  kRoot,
  kExtreme,
  kKept,  // a product of flags and a number; a flag: the number is 1
  kInfinity,
  kMinusInfinity,
  kHidden,  // minus infinity, or plus infinity, where a flag is met
  kNan,     // or memory that nothing has written: equal to nothing
};

// That a number depends on a root which is a free variable, as the field has none: of what is not
// negative for all that is known, or of what may be, which has no root then.
enum class FreeRoot : uint8_t { kNone, kOfNonnegative, kOfAny };

// Of a number on decisions in evaluation by cases. It is a fraction of sums.
struct Dependence {
  float bits = 0;           // of the outcome that one term above depends on: an upper bound
  int32_t coins = 0;        // all decisions above: the index of a set, the empty one, or kManyCoins
  float below = 0;          // of the outcome that one term below depends on
  int32_t coins_below = 0;  // all decisions below
  uint64_t divisor = 0;     // what is below: its r in this case; 0: nothing, or kSeveralDivisors
  FreeRoot free_root = FreeRoot::kNone;
};
inline constexpr uint64_t kSeveralDivisors = ~uint64_t{0};
inline constexpr int32_t kManyCoins = -1;

struct Number {
  Residues value;
  int32_t form = -1;
  Kind kind = Kind::kNan;
  Type type = kUntyped;
  // Known of the number wherever it is defined; of integers always false.
  bool nonnegative = false;
  bool positive = false;
  // Integers: the residues are those of a number in the type's range, which has not wrapped.
  bool in_range = false;
  float bound = HUGE_VALF;  // integers that are not constant: of the absolute value
  // Evaluation by cases: which decisions it depends on; its form over a base, an index; and what
  // has its sign, where that is not its own residue.
  Dependence depends;
  int32_t line = -1;
  uint64_t side = 0;

  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_infinite() const { return kind == Kind::kInfinity || kind == Kind::kMinusInfinity; }
  bool is_finite() const { return kind < Kind::kInfinity; }
};

inline bool is_hidden(const Number& x) { return x.kind == Kind::kHidden; }

// Of an infinity, else 0.
inline int infinite_sign(const Number& x) {
  return x.kind == Kind::kInfinity ? 1 : x.kind == Kind::kMinusInfinity ? -1 : 0;
}

struct LogTerm {
  Residues of;
  Rational coef;
  bool of_positive = true;  // is known
};

// ordinary + sum of coef * log(of); at least one term, sorted by the functions' r.
struct LogForm {
  Residues ordinary;
  std::vector<LogTerm> terms;
};

struct RootPower {
  Number base;
  Rational exponent;  // between 0 and 1
};

// factor * the product of powers of different bases, sorted by their r.
struct RootForm {
  Residues factor;
  std::vector<RootPower> powers;
};

struct Letter {
  Residues of;
  Rational power;
};

// What is not negative: constant * exp(exponent) * the product of powers.
struct Word {
  Rational constant{1};
  Residues exponent;
  std::vector<Letter> letters;
};

// What is known of these (powers/words.cpp), by r.
struct Spelling {
  std::unordered_map<uint64_t, Word> words;
  std::vector<std::pair<uint64_t, uint64_t>> spelled;  // the first of these, and their inverses
  std::unordered_map<uint64_t, std::pair<Residues, PlainInt>> noted;  // bases and powers
  std::unordered_map<uint64_t, Residues> first_terms;                 // of sums
  std::unordered_map<uint64_t, Rational> fractions;
};

// What roots were taken of (powers/), by r.
struct KnownRoots {
  // A product of numbers of which roots were taken, with exponents 1 and -1.
  using Product = std::vector<std::pair<Number, PlainInt>>;

  std::unordered_map<uint64_t, Number> radicands, nonnegative;
  std::vector<Number> rooted;  // of unknown sign
  std::unordered_set<uint64_t> bases;
  std::unordered_map<uint64_t, Product> products;
  std::unordered_map<uint64_t, Number> of_squares;
};

// Constants that an integer was compared with.
struct ComparedInteger {
  std::set<std::pair<PlainInt, bool>> asked;  // and whether for what is greater
  std::set<PlainInt> points;
};

struct SetElement {
  Residues value;
  int32_t constant = -1;  // index of the rational
};
using ElementSet = std::vector<SetElement>;  // sorted by r, each once

// max(set) + shift or, where `least`, the negative of that. Of integers: the largest, or the least,
// of the set itself (the negative of an integer may wrap).
struct ExtremeForm {
  size_t set = 0;
  Residues shift;
  bool least = false;
};

// The product of different flags (sorted by r) and the value, which is itself not kKept.
struct KeptForm {
  std::vector<Residues> flags;
  Number value;
};

struct HiddenForm {
  Number flag, value;               // what it is where the flag is not met
  bool above = false;               // it is plus infinity
  std::vector<Residues> conjuncts;  // of the flag, where it is known to be their product
};

// By the flags and the numbers that they hide.
using HiddenSet = std::map<std::pair<uint64_t, uint64_t>, Number>;
struct GreatestOfSet {
  Number every;  // element is hidden
  HiddenSet set;
};

// Of a base, by a constant.
struct Multiple {
  uint64_t base;
  bool positive;
};

}  // namespace assay::checker::identity
