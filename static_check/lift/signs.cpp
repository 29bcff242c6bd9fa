#include "static_check/lift/signs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "shared_ir/reference/element_functions.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/positive_sums.h"

namespace assay {

namespace {

// Functions that are finite wherever their operands are.
constexpr std::array<std::string_view, 18> kTotal = {
    "tanh",   "gelu", "silu",       "relu",          "sin",        "cos",
    "erf",    "abs",  "gelu_slope", "sigmoid_slope", "silu_slope", "tanh_slope",
    "pow(2)", "sign", "floor",      "ceil",          "trunc",      "atan"};

// The same where their first attribute, an epsilon or a divisor, is greater than 0.
constexpr std::array<std::string_view, 3> kTotalIfPositive = {"softplus", "layer_norm.xhat",
                                                              "rms_norm.xhat"};

// Functions whose values are 0 and 1, whatever their operands.
constexpr std::array<std::string_view, 10> kFlags = {"eq", "ne",  "lt", "le",  "gt",
                                                     "ge", "and", "or", "xor", "not"};

template <size_t count>
bool is_one_of(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr Sign kUnknown{};
constexpr Sign kFinite{.below = true, .finite = true, .above = true};
constexpr Sign kNonnegative{.below = true, .finite = true, .nonnegative = true, .above = true};
constexpr Sign kPositive{.below = true,
                         .finite = true,
                         .positive = true,
                         .nonnegative = true,
                         .above = true,
                         .whole_positive = true};

// A number that is not a rational one.
Sign sign_of_constant(const std::string& fn) {
  const auto called = reference::parse_function_name(fn);
  if (called.name != "constant" || called.attributes.size() != 1) return kUnknown;
  const double number = called.number(0);
  if (!std::isfinite(number)) return kUnknown;
  return number > 0 ? kPositive : number == 0 ? kNonnegative : kFinite;
}

Sign sign_of_function(const std::string& fn, const Sign& operands) {
  if (fn == "sqrt")
    return operands.positive ? kPositive : operands.nonnegative ? kNonnegative : kUnknown;
  if (fn == "rsqrt") return operands.positive ? kPositive : kUnknown;
  if (fn == "abs" || fn == "relu") return operands.finite ? kNonnegative : kUnknown;
  if (fn == "exp" && operands.below && !operands.finite) return kNonnegative;
  if (fn == "exp" || fn == "sigmoid") return operands.finite ? kPositive : kUnknown;
  if (fn == "reciprocal") return operands.whole_positive ? kPositive : kUnknown;
  if (fn == "log") return operands.whole_positive ? kFinite : kUnknown;
  // Of a mask and a value: the value or 0.
  if (fn == "keep")
    return {.below = operands.below,
            .finite = operands.finite,
            .nonnegative = operands.nonnegative,
            .above = operands.above};
  if (fn == "maximum" || fn == "minimum") return operands;
  const std::string_view name = std::string_view(fn).substr(0, fn.find('('));
  if (name == "clamp") return operands.below && is_bounded_below(fn) ? kFinite : kUnknown;
  const bool total =
      is_one_of(kTotal, name) || is_one_of(kTotal, fn) ||
      (is_one_of(kTotalIfPositive, name) && reference::parse_function_name(fn).number(0) > 0);
  return (total && operands.finite) || is_one_of(kFlags, fn) ? kFinite : kUnknown;
}

bool adds_up(const Instance::CombineTerm& term) {
  return term.coef.is_positive() && all_are(term.restrictions, Restriction::Kind::kBox);
}

// Guards are among the operands, but no part of the value.
Sign sign_of_sum(const Instance& sum, const std::vector<Sign>& known) {
  Sign result{.below = true, .finite = true, .nonnegative = !sum.terms.empty(), .above = true};
  for (const Instance::CombineTerm& term : sum.terms) {
    const Sign& of =
        known[static_cast<size_t>(sum.operands[static_cast<size_t>(term.operand)].atom)];
    const bool falls = term.coef.is_negative();
    result.below &= falls ? of.above : of.below;
    result.above &= falls ? of.below : of.above;
    result.finite &= of.finite;
    result.nonnegative &= of.nonnegative && term.coef.is_positive();
    result.positive |= of.positive && adds_up(term);
  }
  result.positive &= result.nonnegative;
  result.whole_positive = result.positive;
  return result;
}

// Of every element by itself.
bool is_square(const Instance& product) {
  return product.operands[0].atom == product.operands[1].atom &&
         product.operands[0].offset == product.operands[1].offset &&
         std::ranges::all_of(product.labels, [](const InstanceLabel& label) {
           return label.strides[0] == label.strides[1];
         });
}

Sign sign_of(const Universe& universe, const Instance& instance, const std::vector<Sign>& known) {
  Sign operands = instance.operands.empty() ? kFinite : kPositive;  // what all of them are
  for (const Instance::Operand& operand : instance.operands) {
    const Sign& of = known[static_cast<size_t>(operand.atom)];
    operands.below &= of.below;
    operands.finite &= of.finite;
    operands.positive &= of.positive;
    operands.nonnegative &= of.nonnegative;
    operands.above &= of.above;
    operands.whole_positive &= of.whole_positive;
  }
  switch (instance.kind) {
    case Instance::Kind::kMul:
      operands.below = operands.above = operands.finite;
      operands.nonnegative |= operands.finite && is_square(instance);
      return operands;
    case Instance::Kind::kSum:
      operands.whole_positive =
          operands.positive ||
          (operands.nonnegative && every_sum_is_positive(universe, instance, known));
      return operands;
    case Instance::Kind::kMax:
    case Instance::Kind::kMin:
    case Instance::Kind::kCat:
      return operands;
    case Instance::Kind::kCombine:
      return sign_of_sum(instance, known);
    case Instance::Kind::kMap:
    case Instance::Kind::kBlock:
      return sign_of_function(instance.fn, operands);
    case Instance::Kind::kOpaque:
      return instance.operands.empty() ? sign_of_constant(instance.fn) : kUnknown;
    case Instance::Kind::kDraw:
      return kUnknown;
  }
  return kUnknown;
}

}  // namespace

bool is_bounded_below(const std::string& fn) {
  const auto clamp = reference::parse_function_name(fn);
  return clamp.name == "clamp" && clamp.attributes.size() == 2 && std::isfinite(clamp.number(0)) &&
         !std::isinf(clamp.number(1));
}

Sign next_sign(const Universe& universe, const std::vector<Sign>& known) {
  const Atom& atom = universe.atoms[known.size()];
  switch (atom.kind) {
    case Atom::Kind::kInstance:
      return sign_of(universe, universe.instances[static_cast<size_t>(atom.instance)], known);
    case Atom::Kind::kOne:
      return kPositive;
    case Atom::Kind::kInput:
    case Atom::Kind::kIota:
    case Atom::Kind::kOneHot:
      return kFinite;
    case Atom::Kind::kInfinity:
      return {.above = true};
    case Atom::Kind::kNan:
    case Atom::Kind::kUninit:
    case Atom::Kind::kRandom:
      return kUnknown;
  }
  return kUnknown;
}

}  // namespace assay
