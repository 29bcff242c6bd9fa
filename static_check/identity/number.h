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
#include "static_check/identity/cases/dependence.h"

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
  bool mixed = false;                    // of more flags than are told apart, without a form
  Sign sign = Sign::kAny;                // wherever it is defined
  FreeRoot free_root = FreeRoot::kNone;  // by cases: what it depends on, as Dependence has it
  uint8_t bits = 0, under = 0;
  uint32_t divisor = 0;
  const DecisionSet* decisions = nullptr;
  const DecisionSet* below = nullptr;
  FormPointer form = nullptr;

  bool is_finite() const { return kind == Kind::kFinite; }
  Dependence depends() const { return {bits, decisions, under, below, divisor, free_root}; }
};

inline Number depending(Number number, const Dependence& on) {
  number.bits = static_cast<uint8_t>(std::min(on.bits, 255));
  number.under = static_cast<uint8_t>(std::min(on.under, 255));
  number.decisions = on.of;
  number.below = on.below;
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

// An integer that is known to be in its type's range where it was made, if it is: a collective, for
// one, does not say so of its result.
inline Number fitting(Number number, bool fits) {
  number.in_range = number.in_range || fits;
  return number;
}

}  // namespace assay::identity
