// What stands for a number where identities are tested: functions of the inputs that are equal have
// equal residues, and others have different ones but with negligible probability (Schwartz 1980;
// Zippel 1979).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "shared_ir/rational.h"

namespace assay::identity {

// A residue as a number and as an exponent.
struct Residue {
  uint64_t value = 0;     // modulo p: equal where the functions are
  uint64_t exponent = 0;  // modulo q: only ever used as exponents
  bool operator==(const Residue&) const = default;
};

// More that is known of a number than its residue, by which it may be simplified; nullptr: nothing.
struct Form;
using FormPointer = std::shared_ptr<const Form>;
struct Order;  // order.h

// Whether a root was taken of what has none in the field, so that it is a free variable: of what is
// known not to be negative, or of what may be, where a program has no number.
enum class FreeRoot : uint8_t { kNone, kOfNonnegative, kOfAny };

// On which random decisions of a case something depends. Each is worth the logarithm of the inverse
// of its least probability, in eighths of a bit. What is not 0 in all cases is a quotient of two
// sums: `bits` bounds what one term of the dividend depends on, `depth` what all of it does. A sum
// that is not 0 in all cases is none in at least 2^(-bits / 8) of them: with what a maximal term
// does not depend on held fixed, it stays a function of what that term depends on that is not 0
// everywhere.
struct Dependence {
  static constexpr uint32_t kSeveral = ~uint32_t{0};
  static constexpr int kBit = 8;

  int bits = 0, depth = 0;
  uint32_t source = 0;       // names the decisions that the dividend depends on; 0: there are none
  int under = 0, below = 0;  // of the divisor, as bits and depth
  uint32_t divisor = 0;      // the one number that it is divided by; 0: none
  FreeRoot free_root = FreeRoot::kNone;  // on such a root

  static Dependence on(uint64_t key, int bits) { return {kBit * bits, kBit * bits, folded(key)}; }
  // On one of so many that are as likely.
  static Dependence on_one_of(uint64_t key, int64_t count) {
    const auto bits = static_cast<int>(std::ceil(kBit * std::log2(static_cast<double>(count))));
    return {bits, bits, folded(key)};
  }
  // In how many cases a difference shows: where the divisor is 0 there is none.
  int shown_in() const { return bits + under; }

  // Divisors that are one number in every case are one function, but where few cases tell them
  // apart: those that do count more.
  friend Dependence sum(const Dependence& a, const Dependence& b) {
    if (a.divisor == b.divisor && a.divisor != kSeveral) {
      const Dependence& divided = a.below > b.below ? a : b;
      return joined(a, b, std::max(a.bits, b.bits), 0).over(divided, {});
    }
    return joined(a, b, std::max(a.bits + b.under, b.bits + a.under), a.below + b.below).over(a, b);
  }
  friend Dependence product(const Dependence& a, const Dependence& b) {
    return joined(a, b, a.bits + b.bits, 0).over(a, b);
  }
  // Of a function of it that is not linear.
  friend Dependence function_of(const Dependence& a) {
    const int all = a.depth + a.below;
    Dependence result{all, all, a.below == 0 ? a.source : kSeveral};
    result.free_root = a.free_root;
    return result;
  }
  // Of 1 / number.
  friend Dependence inverse(const Dependence& a, uint64_t number) {
    Dependence result;
    if (a.depth > 0 || a.below > 0)
      result = {a.under, a.below, a.below == 0 ? 0 : kSeveral,
                a.bits,  a.depth, a.divisor == 0 ? folded(number) : kSeveral};
    result.free_root = a.free_root;
    return result;
  }

 private:
  static uint32_t folded(uint64_t key) {
    const auto name = static_cast<uint32_t>(key ^ (key >> 32));
    return name == 0 || name == kSeveral ? 1 : name;
  }
  // The dividends together, which depend on so much beside.
  static Dependence joined(const Dependence& a, const Dependence& b, int bits, int beside) {
    const bool same = a.source == b.source && a.source != kSeveral;
    const int all = (same ? std::max(a.depth, b.depth) : a.depth + b.depth) + beside;
    Dependence result{std::min(bits, all), all, beside == 0 ? together(a, b) : kSeveral};
    result.free_root = std::max(a.free_root, b.free_root);
    return result;
  }
  // Names of the same decisions are equal, if these came together in the same way; others hardly
  // ever are.
  static uint32_t together(const Dependence& a, const Dependence& b) {
    if (a.depth == 0) return b.source;
    if (b.depth == 0 || a.source == b.source) return a.source;
    if (a.source == kSeveral || b.source == kSeveral) return kSeveral;
    return folded(a.source + b.source);
  }
  Dependence over(const Dependence& a, const Dependence& b) const {
    Dependence result = *this;
    result.under = a.under + b.under;
    result.below = a.below + b.below;
    result.divisor = a.divisor == 0 ? b.divisor : b.divisor == 0 ? a.divisor : kSeveral;
    return result;
  }
};

enum class Sign : uint8_t { kAny, kNonnegative, kPositive };

struct Number {
  enum class Kind : uint8_t {
    kFinite,
    kInfinity,
    kMinusInfinity,
    kHidden,  // minus infinity where a flag is set: its form says what is there otherwise
    kUndefined
  };

  Residue residue = {};  // of kFinite; of a sum with logarithms, of what is beside them
  Kind kind = Kind::kFinite;
  // An integer that is known to be in its type's range whatever the inputs are: an input, a
  // constant, a flag.
  bool in_range = false;
  Sign sign = Sign::kAny;       // wherever it is defined
  uint8_t bits = 0, depth = 0;  // by cases: what it depends on
  uint32_t source = 0;
  FormPointer form = nullptr;
  uint8_t under = 0, below = 0;
  FreeRoot free_root = FreeRoot::kNone;
  uint32_t divisor = 0;

  bool is_finite() const { return kind == Kind::kFinite; }
  Dependence depends() const { return {bits, depth, source, under, below, divisor, free_root}; }
};

inline Number depending(Number number, const Dependence& on) {
  number.bits = static_cast<uint8_t>(std::min(on.bits, 255));
  number.depth = static_cast<uint8_t>(std::min(on.depth, 255));
  number.under = static_cast<uint8_t>(std::min(on.under, 255));
  number.below = static_cast<uint8_t>(std::min(on.below, 255));
  number.source = on.source;
  number.divisor = on.divisor;
  number.free_root = on.free_root;
  return number;
}

struct Form {
  enum class Kind : uint8_t {
    kConstant,    // `constant`
    kLogarithms,  // the number's residue + sum of coefficients * logs of values
    kRoot,        // `factor` * the product of `roots`
    kMaximum,     // of `elements`, with `shift`
    kFlag,        // 0 or 1
    kKept,        // flag `first` times `second`
    kHidden,      // flag `first` ? -infinity : `second`; the negative of that where `negated`
    kAffine,      // by cases: `scale` * `argument` + `constant`
    kChoice,      // of `parts`: by the set of `order` in which the element at its place lies
  };

  Kind kind = Kind::kConstant;
  Rational constant = 0, scale = 1;
  std::vector<std::pair<uint64_t, Residue>> logarithms = {};  // value, coefficient; by value
  Residue factor = {}, argument = {};
  // kRoot: bases and their exponents, between 0 and 1; sorted by the bases' values.
  std::vector<std::pair<Residue, Rational>> roots = {};
  // kMaximum: of elements + shift, of which none is twice; sorted by value. kHidden: where not
  // nullptr the flag is the conjunction of these.
  std::shared_ptr<const std::vector<Residue>> elements = nullptr;
  Residue shift = {};
  // kMaximum: the number is minus that maximum. kHidden: plus infinity. kFlag: it is 1 - [argument
  // > 0].
  bool negated = false;
  bool is_sign = false;            // kFlag: whether it is [argument > 0] or its negation
  std::vector<Number> parts = {};  // kKept, kHidden: the flag, the number; kChoice: per set
  std::shared_ptr<const Order> order = nullptr;  // kChoice

  const Number& flag() const { return parts[0]; }
  const Number& kept() const { return parts[1]; }
};

inline bool has(const Number& number, Form::Kind kind) {
  return number.form != nullptr && number.form->kind == kind;
}

inline bool is_hidden(const Number& number) { return number.kind == Number::Kind::kHidden; }

inline Number with(const Residue& residue, Form form) {
  Number number{residue};
  number.form = std::make_shared<const Form>(std::move(form));
  return number;
}

// Thrown where a number has no residue: the identity is not decided.
struct NotRepresented {
  const char* why;
};

}  // namespace assay::identity
