// What stands for a number where identities are tested: functions of the inputs that are equal have
// equal residues, and others have different ones but with negligible probability (Schwartz 1980;
// Zippel 1979).
#pragma once

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

struct Number {
  enum class Kind : uint8_t { kFinite, kInfinity, kMinusInfinity, kUndefined };

  Residue residue = {};  // of kFinite; of a sum with logarithms, of what is beside them
  Kind kind = Kind::kFinite;
  // An integer that is known to be in its type's range whatever the inputs are: an input, a
  // constant, a flag.
  bool in_range = false;
  // By cases: at most how many binary decisions a term of it depends on.
  uint8_t bits = 0;
  FormPointer form = nullptr;

  bool is_finite() const { return kind == Kind::kFinite; }
};

struct Form {
  enum class Kind : uint8_t {
    kConstant,    // `constant`
    kLogarithms,  // the number's residue + sum of coefficients * logs of values
    kRoot,        // `factor` * base^`constant`, no integer, where base is `argument`
    kMaximum,     // of `elements`, with `shift`
    kFlag,        // 0 or 1
    kKept,        // flag `first` times `second`
    kAffine,      // by cases: `scale` * `argument` + `constant`
  };

  Kind kind = Kind::kConstant;
  Rational constant = 0, scale = 1;
  std::vector<std::pair<uint64_t, Residue>> logarithms = {};  // value, coefficient; by value
  Residue factor = {}, argument = {};
  // kMaximum: of elements + shift, of which none is twice; sorted by value.
  std::shared_ptr<const std::vector<Residue>> elements = nullptr;
  Residue shift = {};
  // kMaximum: the number is minus that maximum. kFlag: it is 1 - [argument > 0].
  bool negated = false;
  bool is_sign = false;            // kFlag: whether it is [argument > 0] or its negation
  std::vector<Number> parts = {};  // kKept: the flag, the number

  const Number& flag() const { return parts[0]; }
  const Number& kept() const { return parts[1]; }
};

inline bool has(const Number& number, Form::Kind kind) {
  return number.form != nullptr && number.form->kind == kind;
}

inline Number with(const Residue& residue, Form form) {
  return {residue, Number::Kind::kFinite, false, 0, std::make_shared<const Form>(std::move(form))};
}

// Thrown where a number has no residue: the identity is not decided.
struct NotRepresented {
  const char* why;
};

}  // namespace assay::identity
