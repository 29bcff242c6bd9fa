#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/decimal.h"
#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"

namespace assay::checker::identity {
namespace {

constexpr std::array<uint64_t, 1> key(uint64_t value) { return {value}; }

// What a program's constant is of an irrational number: the nearest double, but for the last bits
// of a computation in double precision, or one that rounds to the nearest float.
bool is_rounded(double constant, double irrational) {
  if (is_written_out(constant, irrational)) return true;
  return std::abs(constant - irrational) <= std::numeric_limits<double>::epsilon() * irrational ||
         static_cast<float>(constant) == static_cast<float>(irrational);
}

// The value of a double, where a rational has that exponent.
std::optional<Rational> binary_fraction(double value) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(value, &exponent), 53);
  try {
    Rational result(static_cast<PlainInt>(mantissa));
    for (int twos = exponent - 53; twos != 0; twos += twos < 0 ? 1 : -1)
      result = result * (twos < 0 ? Rational(1, 2) : Rational(2));
    return result;
  } catch (const RationalOverflow&) {
    return std::nullopt;
  }
}

// The fraction of two small numbers whose square root, or whose square root's, is the number, but
// for its last bits.
std::optional<Rational> small_power(double number, bool fourth) {
  const int largest = fourth ? 256 : 4096;
  if (!(number > 1.0 / 64 && number < 64)) return std::nullopt;
  const double square = number * number;
  const auto simple =
      first_convergent(fourth ? square * square : square, largest, [&](double candidate) {
        const double root = fourth ? std::sqrt(std::sqrt(candidate)) : std::sqrt(candidate);
        return std::abs(root - number) <= std::numeric_limits<double>::epsilon() * number;
      });
  if (simple && simple->fits(largest)) return simple;
  if (fourth) return std::nullopt;
  const auto fraction = computed_fraction(square);
  const bool is_root = fraction && std::abs(std::sqrt(fraction->to_double()) - number) <=
                                       4 * std::numeric_limits<double>::epsilon() * number;
  return is_root ? fraction : std::nullopt;
}

bool fits(const Rational& value, Type type) {
  if (!is_integer_type(type)) return true;
  if (!value.is_integer()) return false;
  const auto [low, high] = integer_range(static_cast<DType>(type));
  try {
    const auto number = value.numerator();
    return low <= number && number <= high;
  } catch (const RationalOverflow&) {
    return false;
  }
}

}  // namespace

Algebra::Algebra(uint64_t seed, std::set<std::string>& notes, Reading reading)
    : reading_(reading), random_(seed), notes_(notes) {
  generator_ = 1;
  for (uint64_t i = 0; generator_ <= 1; ++i) {
    const uint64_t any = random_("generator", key(i)).r;
    generator_ = times<kP>(any, any);
  }
  // Either square root will do: no identity with rational coefficients tells them apart.
  root_two_ = {identity::power<kP>(2, (kP + 1) / 4), identity::power<kQ>(2, (kQ + 1) / 4)};
  // Positive numbers are squares, so that they do not change what sign a product has.
  const Residues any = random_("root of pi", {});
  root_pi_ = any * any;
}

void Algebra::store(size_t parts) {
  constexpr size_t kMost = size_t{1} << 23U;
  stored_ += parts;
  if (stored_ > kMost) throw Rejection{"extrema, logarithms or masks of too many numbers"};
}

Number Algebra::exact(const Rational& value, Type type) {
  Number result = with_form(residues_of(value), Kind::kConstant, rationals_, value);
  result.type = type;
  const bool is_new = constants_.emplace(result.value.r, result.form).second;
  if (is_new && cases() == nullptr && value.is_positive()) scales_.learn(value);
  if (!fits(value, type)) {
    if (!value.is_integer()) throw Rejection{"a fraction among integers"};
    result.kind = Kind::kOrdinary;
    result.form = -1;
    return result;
  }
  result.in_range = is_integer_type(type);
  result.positive = value.is_positive() && !is_integer_type(type);
  result.nonnegative = !value.is_negative() && !is_integer_type(type);
  return result;
}

// Fractions of integers up to this are what was written.
constexpr PlainInt kWritten = PlainInt{1} << 16;

bool Algebra::is_known_constant(double value) {
  const RationalFromDouble read = rational_from_double(value);
  return (read.exact && read.value.fits(kWritten)) || short_decimal(value) ||
         computed_fraction(value) || read_irrational(value);
}

// What is computed of other constants, and of nothing else that is known.
std::optional<Number> Algebra::read_computed(double value) {
  if (reading_.computed == nullptr) return std::nullopt;
  const auto found = reading_.computed->find(std::abs(value));
  if (found == reading_.computed->end()) return std::nullopt;
  const Computed& of = found->second;
  notes_.insert(fmt::format("the constant {} is read as {}", std::abs(value), of.text));
  Number result = constant(of.base);
  if (!of.exponent.is_one())
    result = of.exponent.is_integer() ? power(result, of.exponent.numerator()) : root(result, 1, 2);
  const Number other = of.power == 0 ? exact(Rational(1)) : constant(of.other);
  result = multiply(result, of.power < 0 ? reciprocal(other) : other);
  return value < 0 ? negated(result) : result;
}

Number Algebra::constant(const Rational& value, Type type) {
  if (type == kReal) {
    const double number = value.to_double();
    if (const auto irrational = read_irrational(number)) return *irrational;
    auto decimal = value.fits(kWritten) ? std::nullopt : short_decimal(number);
    if (!decimal && !value.fits(kWritten)) decimal = computed_fraction(number);
    if (decimal) {
      if (decimal->to_double() != number)
        notes_.insert(fmt::format("the constant {} is read as {}", number, decimal->to_double()));
      return exact(*decimal, type);
    }
    const auto [p, q, e] = value.parts();
    if (const auto computed = q == 1 ? read_computed(number) : std::nullopt) return *computed;
    if (q != 1 && (p == 1 || p == -1))
      if (const auto divisor = read_computed((Rational(1) / value).to_double()))
        return reciprocal(*divisor);
  }
  return exact(value, type);
}

Number Algebra::constant(double value) {
  if (std::isnan(value)) return undefined();
  if (std::isinf(value)) return infinity(value < 0);
  const RationalFromDouble read = rational_from_double(value);
  if (read.exact) return constant(read.value, kReal);
  if (const auto irrational = read_irrational(value)) return *irrational;
  if (const auto computed = read_computed(value)) return *computed;
  if (const auto binary = binary_fraction(value)) return constant(*binary, kReal);
  Number result = ordinary(residues_of(value));
  result.positive = value > 0;
  result.nonnegative = value >= 0;
  return result;
}

Number Algebra::infinity(bool negative) {
  Number result;
  result.kind = negative ? Kind::kMinusInfinity : Kind::kInfinity;
  result.type = kReal;
  return result;
}

Number Algebra::ordinary(const Residues& value, Type type) {
  if (value.r == 0) return exact(Rational(0), type);
  if (value.r == 1 && value.e == 1) return exact(Rational(1), type);
  Number result;
  result.value = value;
  result.kind = Kind::kOrdinary;
  result.type = type;
  return result;
}

Number Algebra::irrational(const Residues& value) const {
  Number result;
  result.value = value;
  result.kind = Kind::kOrdinary;
  result.type = kReal;
  result.positive = result.nonnegative = true;
  return result;
}

Number Algebra::log_two() { return log(exact(Rational(2))); }

std::optional<Number> Algebra::read_irrational(double value) {
  constexpr double kRootTwo = std::numbers::sqrt2, kPi = std::numbers::pi,
                   kLogTwo = std::numbers::ln2;
  const double size = std::abs(value);
  for (const bool fourth : {false, true}) {
    const auto power = small_power(size, fourth);
    if (!power) continue;
    notes_.insert(fmt::format("the constant {} is read as {}{}({})", value, value < 0 ? "-" : "",
                              fourth ? "the fourth root of " : "sqrt", to_string(*power)));
    const Number result = root(exact(*power), 1, fourth ? 4 : 2);
    return value < 0 ? negated(result) : result;
  }
  if (!(size > 1.0 / 64 && size < 64)) return std::nullopt;
  for (const bool inverted : {false, true})
    if (is_rounded(size, inverted ? std::numbers::log10e : std::numbers::ln10)) {
      notes_.insert(fmt::format("the constant {} is read as {}{}log(10)", value,
                                value < 0 ? "-" : "", inverted ? "1/" : ""));
      const Number ten = log(exact(Rational(10)));
      const Number result = inverted ? reciprocal(ten) : ten;
      return value < 0 ? negated(result) : result;
    }
  const double root_pi = std::sqrt(kPi);
  struct Entry {
    double number;
    const char* name;
    int twos, pis, logs;  // powers of the roots of 2 and pi, and of log 2
  };
  const Entry entries[] = {
      {kRootTwo, "sqrt(2)", 1, 0, 0},
      {1 / kRootTwo, "1/sqrt(2)", -1, 0, 0},
      {kRootTwo / root_pi, "sqrt(2/pi)", 1, -1, 0},
      {1 / (kRootTwo * root_pi), "1/sqrt(2 pi)", -1, -1, 0},
      {kRootTwo * root_pi, "sqrt(2 pi)", 1, 1, 0},
      {root_pi / kRootTwo, "sqrt(pi/2)", -1, 1, 0},
      {root_pi, "sqrt(pi)", 0, 1, 0},
      {root_pi / 2, "sqrt(pi)/2", -2, 1, 0},
      {2 / root_pi, "2/sqrt(pi)", 2, -1, 0},
      {1 / root_pi, "1/sqrt(pi)", 0, -1, 0},
      {kPi, "pi", 0, 2, 0},
      {1 / kPi, "1/pi", 0, -2, 0},
      {kLogTwo, "log(2)", 0, 0, 1},
      {1 / kLogTwo, "1/log(2)", 0, 0, -1},
  };
  for (const Entry& entry : entries)
    for (const int doubled : {0, 1, -1, 2, -2, 3, -3, 4, -4}) {
      const double times = std::ldexp(1.0, doubled);
      if (!is_rounded(size, times * entry.number)) continue;
      std::string read =
          fmt::format("the constant {} is read as {}{}", value, value < 0 ? "-" : "", entry.name);
      if (doubled != 0) read += fmt::format(" times {}", times);
      notes_.insert(std::move(read));
      Number result = log_two();
      if (entry.logs != 1) {
        Residues residues =
            identity::power(root_two_, entry.twos) * identity::power(root_pi_, entry.pis);
        if (entry.logs != 0) residues = residues * inverse(log_two().value);
        result = irrational(residues);
      }
      const Rational by =
          doubled < 0 ? Rational(1, PlainInt{1} << -doubled) : Rational(PlainInt{1} << doubled);
      return scaled(result, value < 0 ? -by : by);
    }
  return read_logarithm(value);
}

// Logarithms of integers, and those of the constant of normal distributions.
std::optional<Number> Algebra::read_logarithm(double value) {
  const double size = std::abs(value);
  const auto read = [&](const std::string& as, const Number& log) {
    notes_.insert(fmt::format("the constant {} is read as {}{}", value, value < 0 ? "-" : "", as));
    return value < 0 ? negated(log) : log;
  };
  const double integer = std::nearbyint(std::exp(size));
  if (integer >= 3 && integer <= 1e6 &&
      std::abs(std::log(integer) - size) <= std::numeric_limits<double>::epsilon() * size)
    return read(fmt::format("log({})", integer),
                log(exact(Rational(static_cast<PlainInt>(integer)))));
  for (const PlainInt multiple : {1, 2})
    for (PlainInt halves = 1; halves <= 4; ++halves) {
      const double logarithm = std::log(static_cast<double>(multiple) * std::numbers::pi);
      if (!is_rounded(size, static_cast<double>(halves) * logarithm / 2)) continue;
      const Number of = scaled(irrational(root_pi_ * root_pi_), Rational(multiple));
      return read(fmt::format("{} log({}pi)/2", halves, multiple == 1 ? "" : "2 "),
                  scaled(log(of), Rational(halves, 2)));
    }
  return std::nullopt;
}

Number Algebra::unknown(std::string_view name, std::span<const Number> operands, Type type,
                        std::span<const uint64_t> attributes) {
  std::vector<uint64_t> keys{type, attributes.size()};
  keys.insert(keys.end(), attributes.begin(), attributes.end());
  for (const Number& x : operands) {
    if (!x.is_finite() && cases() != nullptr) throw Rejection{"a function of infinity"};
    if (!x.is_finite()) return undefined();
    keys.push_back(x.type == kUntyped ? kReal : x.type);
    keys.push_back(x.value.r);
  }
  const Residues value = random_(name, keys);
  Number result;
  if (cases() != nullptr && type == kFlag) {
    result = exact_flag(value.r % 2 == 1);
    result.depends = cases()->coins().coin(value.r, 1);
  } else {
    result = variable(value, type);
  }
  result.depends = both(result.depends, all(operands));
  return result;
}

Number Algebra::variable(const Residues& value, Type type) {
  if (type == kFlag) return flag(value);
  Number result;
  result.value = value;
  result.kind = Kind::kOrdinary;
  result.type = type;
  result.in_range = is_integer_type(type);
  return result;
}

bool Algebra::same(const Number& a, const Number& b) const {
  if (a.is_infinite() || b.is_infinite()) return a.kind == b.kind;
  if (is_hidden(a) && is_hidden(b)) return same_hidden(a, b);
  if (!a.is_finite() || !b.is_finite()) return false;
  const bool untyped = a.type == kUntyped || b.type == kUntyped;
  if (a.type != b.type && !untyped && !(a.in_range && b.in_range)) return false;
  if (a.value.r == b.value.r) return true;
  if (a.kind != Kind::kLog && b.kind != Kind::kLog) return false;
  PlainInt times = 1;
  for (const Number* x : {&a, &b})
    if (x->kind == Kind::kLog)
      for (const LogTerm& term : logs_[index(*x)].terms)
        times = std::lcm(times, static_cast<PlainInt>(term.coef.denominator()));
  const auto exponential = [&](const Number& x) {
    return x.kind == Kind::kLog
               ? exponential_of(logs_[index(x)].ordinary, logs_[index(x)].terms, times)
               : exponential_of(x.value, {}, times);
  };
  return exponential(a) == exponential(b);
}

}  // namespace assay::checker::identity
