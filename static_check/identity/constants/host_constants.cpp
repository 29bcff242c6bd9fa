#include "static_check/identity/constants/host_constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "shared_ir/reference/element_functions.h"

namespace assay::identity {
namespace {

// That are compared with each other: a search is cubic in them.
constexpr size_t kMostConstants = 64;
constexpr int kLargestPower = 64;

// But for the last bits of `roundings` operations.
bool agrees(double value, double computed, int roundings) {
  return std::abs(value - computed) <=
         roundings * std::numeric_limits<double>::epsilon() * std::abs(value);
}

class Constants {
 public:
  void add(const CoreProgram& program) {
    for (const CoreOp& op : program.ops) {
      if (!is_floating(op.dtype)) continue;
      if (op.prim == Prim::kConst && op.fn.empty()) add(op.constant);
      if (op.prim == Prim::kLinear)
        for (const Rational& coefficient : op.coefs) add(coefficient);
      if (op.prim != Prim::kOpaque || !op.operands.empty()) continue;
      const auto fn = reference::parse_function_name(op.fn);
      if (fn.name == "constant") add(fn.number(0));
    }
  }

  const std::vector<double>& all() const { return all_; }

 private:
  // A divisor as the coefficient that it becomes.
  void add(const Rational& value) {
    const auto [p, q, e] = value.parts();
    if (p == 0) return;
    add(q == 1 || std::abs(p) != 1 ? value.to_double() : (Rational(1) / value).to_double());
  }
  void add(double value) {
    value = std::abs(value);
    constexpr double kNearOne = 1e-9;  // of which each is a power of each, by rounding
    if (!std::isfinite(value) || value == 0 || std::abs(value - 1) < kNearOne) return;
    if (std::ranges::find(all_, value) == all_.end()) all_.push_back(value);
  }

  std::vector<double> all_;
};

std::optional<HostConstant> of_known(double value, const std::vector<double>& known) {
  using Kind = HostConstant::Kind;
  for (const double base : known)
    for (int n = 2; n <= kLargestPower; ++n)
      if (agrees(value, std::pow(base, n), n)) return HostConstant{Kind::kPower, base, 1.0 * n};
  for (const double a : known)
    for (const double b : known) {
      if (agrees(value, a / b, 2)) return HostConstant{Kind::kQuotient, a, b};
      if (agrees(value, a * b, 2)) return HostConstant{Kind::kProduct, a, b};
    }
  return std::nullopt;
}

}  // namespace

std::map<double, HostConstant> host_constants(const std::vector<const CoreProgram*>& programs,
                                              const std::function<bool(double)>& is_read) {
  Constants constants;
  for (const CoreProgram* program : programs) constants.add(*program);
  std::map<double, HostConstant> found;
  const std::vector<double>& all = constants.all();
  if (all.size() > kMostConstants) return found;
  std::vector<double> known, unread;
  for (const double value : all) (is_read(value) ? known : unread).push_back(value);
  // Of a number and its root the root is of the number, as roots are written.
  const auto root_of = [&](double value) {
    return std::ranges::find_if(
        all, [&](double of) { return of != value && agrees(value, std::sqrt(of), 2); });
  };
  std::vector<double> others;
  for (const double value : unread) {
    if (const auto of = root_of(value); of != all.end())
      found.emplace(value, HostConstant{HostConstant::Kind::kRoot, *of, 0});
    else
      others.push_back(value);
  }
  for (const double value : others) {
    if (const auto of = of_known(value, known)) found.emplace(value, *of);
    known.push_back(value);
  }
  return found;
}

}  // namespace assay::identity
