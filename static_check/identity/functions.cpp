#include "static_check/identity/functions.h"

#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/reference/element_functions.h"

namespace assay::identity {
namespace {

using Arguments = std::span<const Number>;

// As doubles, which the formula of numbers makes of them.
bool are_exact_limits(const std::string& clamp) {
  const reference::FunctionName called = reference::parse_function_name(clamp);
  return std::ranges::all_of(called.attributes, [](std::string_view limit) {
    constexpr size_t kMostDigits = 15;
    return limit == "none" || limit.size() <= kMostDigits;
  });
}

}  // namespace

std::optional<Number> Functions::of_constants(const std::string& fn, Arguments arguments) {
  std::vector<double> values;
  for (const Number& argument : arguments) {
    const Rational* known = algebra_.constant_of(argument);
    if (known == nullptr) return std::nullopt;
    // Exactly as doubles, and so that quotients are not rounded to integers.
    const auto [p, q, e] = known->parts();
    constexpr int64_t kShort = int64_t{1} << 31;
    if (q != 1 || std::abs(p) > kShort || std::abs(e) > 31) return std::nullopt;
    values.push_back(known->to_double());
  }
  const auto name = reference::parse_function_name(fn);
  const reference::MapFunction function = reference::find_map(name.name);
  if (function == nullptr) return std::nullopt;
  const double result = function(name, values);
  constexpr double kExact = 9007199254740992.0;
  if (result != std::trunc(result) || std::abs(result) >= kExact) return std::nullopt;
  return algebra_.constant(static_cast<int64_t>(result));
}

Number Functions::compare(const std::string& name, const Number& a, const Number& b, DType of) {
  if (name == "ne") return algebra_.negation(compare("eq", a, b, of));
  if (name == "lt") return compare("gt", b, a, of);
  if (name == "ge") return algebra_.negation(compare("gt", b, a, of));
  if (name == "le") return algebra_.negation(compare("gt", a, b, of));
  if (!is_whole(of)) {
    const Number both[] = {a, b};
    if (const auto alike = algebra_.alike_in_order(both))
      return compare(name, (*alike)[0], (*alike)[1], of);
    if (const auto known = algebra_.compared_sets(a, b, name == "eq")) return *known;
    if (name == "eq") return algebra_.is_equal(a, b);
    if (a.is_finite() || b.is_finite() || a.kind != b.kind)
      return algebra_.is_positive(algebra_.subtract(a, b));
    return algebra_.constant(0);
  }
  if (const Rational *x = algebra_.constant_of(a), *y = algebra_.constant_of(b);
      x != nullptr && y != nullptr) {
    const Rational difference = *x - *y;
    return algebra_.constant(name == "eq" ? difference.is_zero() : difference.is_positive());
  }
  if (const auto known = compare_flag(name == "eq", a, b)) return *known;
  if (name == "eq") {
    for (const auto& [index, row] : {std::pair{&a, &b}, std::pair{&b, &a}})
      if (const Rational* known = algebra_.constant_of(*row); known != nullptr)
        if (const auto flag = is_row_of_known(*index, known->numerator(), of)) return *flag;
    if (const auto flag = compare_by_class(true, a, b, of)) return *flag;
    return equal_integers(a, b, of);
  }
  if (const auto flag = compare_by_class(false, a, b, of)) return *flag;
  // Differences of integers may wrap where they themselves are in range.
  const uint64_t keys[] = {algebra_.key(a), algebra_.key(b)};
  if (keys[0] == keys[1]) return algebra_.constant(0);
  return algebra_.random_flag(name + std::string(to_string(of)), keys);
}

// An integer that is 0 or 1 and a constant: whether they are equal, or the first is greater.
std::optional<Number> Functions::compare_flag(bool equal, const Number& a, const Number& b) {
  const bool first = has(a, Form::Kind::kFlag);
  const Number& flag = first ? a : b;
  const Rational* known = algebra_.constant_of(first ? b : a);
  if (known == nullptr || !has(flag, Form::Kind::kFlag)) return std::nullopt;
  // What it is where the flag is 0, and where it is 1.
  const auto holds = [&](int64_t value) {
    const Rational difference = first ? Rational(value) - *known : *known - Rational(value);
    return equal ? difference.is_zero() : difference.is_positive();
  };
  if (holds(0) == holds(1)) return algebra_.constant(holds(0) ? 1 : 0);
  return holds(1) ? flag : algebra_.negation(flag);
}

Number Functions::equal_integers(const Number& a, const Number& b, DType dtype) {
  uint64_t keys[] = {algebra_.key(a), algebra_.key(b)};
  if (keys[0] == keys[1]) return algebra_.constant(1);
  if (keys[1] < keys[0]) std::swap(keys[0], keys[1]);
  return algebra_.random_flag("eq" + std::string(to_string(dtype)), keys);
}

ElementFunction::ElementFunction(const std::string& function, std::span<const DType> types,
                                 DType result)
    : fn(function),
      name(reference::parse_function_name(function).name),
      typed(function),
      from(types[0]),
      to(result) {
  for (const DType type : types)
    if (is_whole(type)) typed += fmt::format(" {}", to_string(type));
  if (is_whole(to) || is_bool(to)) typed += fmt::format(" -> {}", to_string(to));
}

Number Functions::either(const Number& a, const Number& b) {
  return algebra_.negation(algebra_.conjunction(algebra_.negation(a), algebra_.negation(b)));
}

Number Functions::exclusive(const Number& a, const Number& b) {
  return either(algebra_.conjunction(a, algebra_.negation(b)),
                algebra_.conjunction(algebra_.negation(a), b));
}

Number Functions::map(const ElementFunction& function, Arguments arguments) {
  const auto& [fn, name, typed, from, to] = function;
  for (const Number& argument : arguments)
    if (argument.kind == Number::Kind::kUndefined) return argument;
  if (std::ranges::any_of(arguments, is_hidden)) return map_of_hidden(fn, arguments);
  const bool whole = is_whole(from) || is_whole(to);
  static const std::set<std::string> kWhole{"floor",     "ceil",      "round",     "trunc",
                                            "div_floor", "div_trunc", "remainder", "fmod"};
  if (whole || kWhole.contains(name))
    if (const auto known = of_constants(fn, arguments)) return *known;
  if (is_whole(from) && std::ranges::all_of(arguments, [&](const Number& argument) {
        return algebra_.chooses_constants(argument);
      }))
    if (const auto known = algebra_.each_choice(
            arguments, [&](Arguments chosen) { return map(function, chosen); }))
      return *known;
  static const std::set<std::string> kComparisons{"eq", "ne", "lt", "le", "gt", "ge"};
  if (kComparisons.contains(name)) {
    if (is_bool(from) && name == "eq")
      return algebra_.negation(exclusive(arguments[0], arguments[1]));
    if (is_bool(from) && name == "ne") return exclusive(arguments[0], arguments[1]);
    return compare(name, arguments[0], arguments[1], from);
  }
  if (is_bool(from) && is_bool(to)) {
    if (name == "not") return algebra_.negation(arguments[0]);
    if (name == "and") return algebra_.conjunction(arguments[0], arguments[1]);
    if (name == "or") return either(arguments[0], arguments[1]);
    if (name == "xor") return exclusive(arguments[0], arguments[1]);
  }
  // Logarithms stay what exponentials undo.
  if (is_floating(from) && is_floating(to) && !name.starts_with("log"))
    if (const auto known = algebra_.each_branch(arguments, [&](Arguments chosen) {
          return function.name == "reciprocal" && is_left_out(chosen[0])
                     ? std::nullopt
                     : std::optional(map(function, chosen));
        }))
      return *known;
  const bool of_one = arguments.size() == 1 && algebra_.cases() == nullptr;
  if (of_one && is_floating(from) && is_floating(to) && !name.starts_with("log"))
    return map_of_one(function, arguments[0]);
  return plain_map(function, arguments);
}

Number Functions::plain_map(const ElementFunction& function, Arguments arguments) {
  const auto& [fn, name, typed, from, to] = function;
  const bool whole = is_whole(from) || is_whole(to);
  if (!whole && is_floating(from))
    if (const auto known = formula(fn, arguments)) return *known;
  // Limits of an integer that has not wrapped are those of the number that it is.
  if (name == "clamp" && is_whole(from) && from == to && arguments[0].in_range &&
      are_exact_limits(fn))
    if (const auto known = formula(fn, arguments)) return as_integer(*known);
  if (name == "bitwise_and" && algebra_.key(arguments[1]) < algebra_.key(arguments[0])) {
    const Number turned[] = {arguments[1], arguments[0]};
    return algebra_.unknown(typed, turned);
  }
  if (!is_bool(to)) return algebra_.unknown(typed, arguments);
  std::vector<uint64_t> keys;
  for (const Number& argument : arguments) keys.push_back(algebra_.key(argument));
  return algebra_.random_flag(typed, keys);
}

// What was chosen from a row, and put back later; or was added up before from what belongs to each
// of a row: then it is what the function was of that.
Number Functions::map_of_one(const ElementFunction& function, const Number& x) {
  constexpr size_t kMost = size_t{1} << 16;
  if (has(x, Form::Kind::kChoice) && !x.form->order->of_flag) {
    const auto& sums = of_sums_[function.fn];
    if (const auto known = sums.find(x.residue.value); known != sums.end()) return known->second;
    try {
      const auto each = [&](Arguments chosen) { return std::optional(map(function, chosen)); };
      if (const auto known = algebra_.each_choice({&x, 1}, each)) return *known;
    } catch (const NotRepresented&) {
    }
  }
  Number result = plain_map(function, {&x, 1});
  if (x.form == nullptr && x.is_finite() && algebra_.knows_places())
    if (auto& sums = of_sums_[function.fn]; sums.size() < kMost)
      sums.try_emplace(x.residue.value, result);
  return result;
}

Number Functions::cast(const Number& value, DType from, DType to) {
  if (from == to || (is_floating(from) && is_floating(to)) || is_bool(from)) return value;
  if (is_hidden(value)) throw NotRepresented{"an infinity under a condition"};
  if (is_bool(to))
    return is_whole(from) ? algebra_.negation(compare("eq", value, algebra_.constant(0), from))
                          : algebra_.negation(algebra_.is_equal(value, algebra_.constant(0)));
  if (!value.is_finite()) return Algebra::undefined();
  const std::string fn = fmt::format("cast {} to {}", to_string(from), to_string(to));
  if (value.in_range && is_whole(from) &&
      (is_floating(to) || (is_whole(to) && cast_keeps_values(from, to))))
    return value;
  if (is_whole(from))
    if (const auto known = algebra_.each_choice(
            {&value, 1}, [&](Arguments x) { return std::optional(cast(x[0], from, to)); }))
      return *known;
  if (is_whole(from) && is_floating(to)) return algebra_.unknown(fn, {&value, 1});
  if (algebra_.constant_of(value) != nullptr) {
    const Number arguments[] = {value};
    const std::string typed = fmt::format("cast({})", to_string(to));
    if (const auto known = of_constants(typed, arguments)) return *known;
  }
  return algebra_.unknown(fn, {&value, 1});
}

Number Functions::as_integer(const Number& value) const {
  if (!value.is_finite()) return Algebra::undefined();
  if (algebra_.constant_of(value) != nullptr) return value;
  Number result{value.residue};
  result.in_range = true;
  return result;
}

// By one flag a divisor may be nothing, of which another flag leaves none: it is divided by as one.
bool Functions::is_left_out(const Number& x) const {
  return algebra_.is_zero(x) || has(x, Form::Kind::kKept) || has(x, Form::Kind::kFlag);
}

// Of numbers some of which are minus infinity where a flag is set.
Number Functions::map_of_hidden(const std::string& fn, Arguments arguments) {
  const auto called = reference::parse_function_name(fn);
  const Number& x = arguments[0];
  if (called.type.empty()) {
    if (called.name == "exp") return algebra_.exponential(x);
    if (called.name == "maximum") return algebra_.greatest_with_hidden(arguments);
    if (called.name == "isinf") return x.form->flag();
    if (called.name == "isnan") return algebra_.constant(0);
    constexpr double kFar = 0x1p100;
    if (called.name == "clamp" && called.text(0) != "none" && called.number(0) <= -kFar &&
        (called.text(1) == "none" || called.number(1) >= kFar))
      return algebra_.limited_hidden(x);
    if ((called.name == "eq" || called.name == "ne") &&
        arguments[1].kind == Number::Kind::kMinusInfinity && is_hidden(x) && !x.form->negated)
      return called.name == "eq" ? x.form->flag() : algebra_.negation(x.form->flag());
  }
  throw NotRepresented{"an infinity under a condition"};
}

std::optional<Number> Functions::known_extremum(Arguments of, bool greatest) {
  const Number* extremum = nullptr;
  for (const Number& number : of) {
    const Rational* known = algebra_.constant_of(number);
    if (known == nullptr) return std::nullopt;
    if (extremum != nullptr) {
      const Rational beyond = *known - *algebra_.constant_of(*extremum);
      if (greatest ? !beyond.is_positive() : !beyond.is_negative()) continue;
    }
    extremum = &number;
  }
  if (extremum == nullptr) return std::nullopt;
  return *extremum;
}

// Of two at a time, which may have chosen by the orders of other ranks.
std::optional<Number> Functions::chosen_extremum(Arguments of, bool greatest) {
  std::optional<Number> extremum = of[0];
  for (size_t i = 1; extremum && i < of.size(); ++i) {
    const Number both[] = {*extremum, of[i]};
    const auto known = [&](Arguments chosen) { return known_extremum(chosen, greatest); };
    extremum = known(both);
    if (!extremum) extremum = algebra_.each_choice(both, known);
  }
  return extremum;
}

// Of integers that are flags.
std::optional<Number> Functions::extreme_flag(Arguments of, bool greatest) {
  if (greatest) return algebra_.greatest_flag(of);
  std::vector<Number> unset;
  for (const Number& flag : of) {
    if (!has(flag, Form::Kind::kFlag)) return std::nullopt;
    unset.push_back(algebra_.negation(flag));
  }
  const auto any = algebra_.greatest_flag(unset);
  return any ? std::optional(algebra_.negation(*any)) : std::nullopt;
}

Number Functions::extremum(Arguments of, DType dtype, bool greatest) {
  if (is_bool(dtype)) {
    Number all = algebra_.constant(greatest ? 0 : 1);
    for (const Number& flag : of)
      all = greatest ? algebra_.negation(
                           algebra_.conjunction(algebra_.negation(all), algebra_.negation(flag)))
                     : algebra_.conjunction(all, flag);
    return all;
  }
  if (is_whole(dtype)) {
    if (const auto known = known_extremum(of, greatest)) return *known;
    if (const auto known = extreme_flag(of, greatest)) return *known;
    if (const auto known = chosen_extremum(of, greatest)) return *known;
    std::set<uint64_t> keys;
    for (const Number& number : of) {
      if (number.kind == Number::Kind::kUndefined) return number;
      keys.insert(algebra_.key(number));
    }
    if (keys.size() == 1) return of[0];
    const std::vector<uint64_t> sorted(keys.begin(), keys.end());
    return algebra_.random(
        std::string(greatest ? "greatest " : "least ") + std::string(to_string(dtype)), sorted);
  }
  if (greatest) return algebra_.maximum(of);
  std::vector<Number> negatives;
  for (const Number& number : of) negatives.push_back(algebra_.negative(number));
  return algebra_.negative(algebra_.maximum(negatives));
}

}  // namespace assay::identity
