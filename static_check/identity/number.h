// What stands for a number where identities are tested: functions of the inputs that are equal have
// equal residues, and others have different ones but with negligible probability (Schwartz 1980;
// Zippel 1979).
#pragma once

#include <algorithm>
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

// On which random decisions of a case something depends: at most so many binary ones in one term,
// all functions of that source, or of several.
struct Dependence {
  static constexpr uint32_t kSeveral = ~uint32_t{0};

  int bits = 0;
  uint32_t source = 0;

  static Dependence on(uint64_t key, int bits) {
    const auto source = static_cast<uint32_t>(key ^ (key >> 32));
    return {bits, source == 0 || source == kSeveral ? 1 : source};
  }
  // Of a sum of what depends on each, and of a product.
  friend Dependence sum(const Dependence& a, const Dependence& b) {
    if (a.bits == 0 || b.bits == 0) return a.bits == 0 ? b : a;
    return {std::max(a.bits, b.bits), a.source == b.source ? a.source : kSeveral};
  }
  friend Dependence product(const Dependence& a, const Dependence& b) {
    if (a.bits == 0 || b.bits == 0) return a.bits == 0 ? b : a;
    if (a.source == b.source && a.source != kSeveral) return {std::max(a.bits, b.bits), a.source};
    return {a.bits + b.bits, kSeveral};
  }
};

struct Number {
  enum class Kind : uint8_t { kFinite, kInfinity, kMinusInfinity, kUndefined };

  Residue residue = {};  // of kFinite; of a sum with logarithms, of what is beside them
  Kind kind = Kind::kFinite;
  // An integer that is known to be in its type's range whatever the inputs are: an input, a
  // constant, a flag.
  bool in_range = false;
  // By cases: at most how many binary decisions a term of it depends on.
  uint8_t bits = 0;
  // Of one decision alone, or of one drawn input: which; 0: of none.
  uint32_t source = 0;
  FormPointer form = nullptr;

  bool is_finite() const { return kind == Kind::kFinite; }
  Dependence depends() const { return {bits, source}; }
};

inline Number depending(Number number, const Dependence& on) {
  number.bits = static_cast<uint8_t>(std::min(on.bits, 255));
  number.source = on.source;
  return number;
}

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
  return {
      residue, Number::Kind::kFinite, false, 0, 0, std::make_shared<const Form>(std::move(form))};
}

// Thrown where a number has no residue: the identity is not decided.
struct NotRepresented {
  const char* why;
};

}  // namespace assay::identity
