#include "static_check/checker/identity/constants/host_constants.h"

#include <cfloat>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "shared_ir/reference/element_functions.h"

namespace assay::checker::identity {
namespace {

constexpr size_t kMostCompared = 64;
constexpr int kMostPower = 64;

// Within so many units of the last place.
bool is_within(double constant, double computed, int units) {
  return std::abs(constant - computed) <= units * DBL_EPSILON * constant;
}

void collect(double number, std::vector<double>& into, std::set<double>& seen) {
  number = std::abs(number);
  // Near 1, each number is a power of each but for its last bits.
  const bool says_nothing = number == 0 || std::abs(number - 1) < 1e-9 || !std::isfinite(number);
  if (!says_nothing && seen.insert(number).second) into.push_back(number);
}

// A divisor is lowered to its inverse.
double written(const Rational& coefficient) {
  const auto [p, q, e] = coefficient.parts();
  const bool inverse = q != 1 && (p == 1 || p == -1);
  return inverse ? (Rational(1) / coefficient).to_double() : coefficient.to_double();
}

std::vector<double> constants_of(const Joint& joint) {
  std::vector<double> constants;
  std::set<double> seen;
  const auto add = [&](const CoreProgram& program) {
    for (const CoreOp& op : program.ops) {
      if (!is_floating(op.dtype)) continue;
      if (op.prim == Prim::kConst && op.fn.empty()) collect(written(op.constant), constants, seen);
      if (op.prim == Prim::kLinear)
        for (const Rational& coef : op.coefs) collect(written(coef), constants, seen);
      if (op.prim == Prim::kOpaque && op.operands.empty()) {
        const reference::FunctionName fn = reference::parse_function_name(op.fn);
        if (fn.name == "constant") collect(fn.number(0), constants, seen);
      }
    }
  };
  add(joint.sequential);
  for (const CoreProgram& rank : joint.ranks) add(rank);
  return constants;
}

std::optional<Computed> computed_of(double value, const std::vector<double>& settled) {
  for (const double base : settled)
    for (int n = 2; n <= kMostPower; ++n)
      if (is_within(value, std::pow(base, n), n))
        return Computed{base, n, 1, 0, fmt::format("{} ^ {}", base, n)};
  for (const double base : settled)
    for (const double other : settled)
      for (const int power : {-1, 1})
        if (is_within(value, power < 0 ? base / other : base * other, 2))
          return Computed{base, 1, other, power,
                          fmt::format("{} {} {}", base, power < 0 ? "/" : "*", other)};
  return std::nullopt;
}

}  // namespace

ComputedConstants computed_constants(const Joint& joint,
                                     const std::function<bool(double)>& is_known) {
  const std::vector<double> all = constants_of(joint);
  if (all.size() > kMostCompared) return {};
  ComputedConstants computed;
  std::vector<double> settled, left;
  for (const double constant : all) (is_known(constant) ? settled : left).push_back(constant);
  // Roots first: a square is then of its own.
  for (const double constant : left)
    for (const double square : all)
      if (square != constant && is_within(constant, std::sqrt(square), 2)) {
        computed.try_emplace(constant, Computed{square, Rational(1, 2), 1, 0,
                                                fmt::format("the root of {}", square)});
        break;
      }
  for (const double constant : left) {
    if (computed.contains(constant)) continue;
    if (auto of = computed_of(constant, settled)) computed.emplace(constant, *std::move(of));
    settled.push_back(constant);
  }
  return computed;
}

}  // namespace assay::checker::identity
