#include "static_check/smt/z3_axioms.h"

#include <cstdlib>

namespace assay {

Linear plus(const Linear& x, const Linear& y) {
  Linear result = x;
  result.constant = x.constant + y.constant;
  for (const auto& [id, part] : y.parts) {
    const auto [at, added] = result.parts.emplace(id, part);
    if (!added) at->second.times = at->second.times + part.times;
    if (at->second.times.is_zero()) result.parts.erase(at);
  }
  return result;
}

Linear times(const Linear& x, const Rational& by) {
  Linear result;
  if (by.is_zero()) return result;
  result = x;
  result.constant = x.constant * by;
  for (auto& [id, part] : result.parts) part.times = part.times * by;
  return result;
}

Real Axioms::atomic(const z3::expr& value) const {
  Linear linear;
  linear.parts.emplace(value.id(), Linear::Part{value, 1});
  return {value, std::move(linear)};
}

z3::expr Axioms::fresh(const char* name) {
  return context_.real_const((name + std::to_string(unknowns_++)).c_str());
}

z3::expr Axioms::number(const Rational& value) const {
  return context_.real_val(to_string(value).c_str());
}

z3::expr Axioms::unit(const z3::expr& of, const Rational& times) {
  // What is kept under a mask is one of two numbers, and so is its exponential.
  if (of.is_ite() && z3::eq(of.arg(2), context_.real_val(0)) && times.is_one()) {
    used_.insert("exp_zero");
    return z3::ite(of.arg(0), unit(of.arg(1), 1), context_.real_val(1));
  }
  const auto known = units_.find({of.id(), to_string(times)});
  if (known != units_.end()) return known->second;
  const z3::expr made = fresh("exp");
  used_.insert("exp_positive");
  solver_.add(made > 0);
  kept_.push_back(of);
  units_.emplace(std::pair{of.id(), to_string(times)}, made);
  return made;
}

z3::expr Axioms::power(const z3::expr& base, int64_t exponent) const {
  z3::expr result = context_.real_val(1);
  for (int64_t i = 0; i < std::abs(exponent); ++i) result = result * base;
  return exponent < 0 ? 1 / result : result;
}

Real Axioms::exp(const Real& x) {
  constexpr int64_t kLargestPower = 4;
  z3::expr result = context_.real_val(1);
  int64_t factors = 0;
  const auto add = [&](const z3::expr& of, const Rational& times) {
    const bool power_of_unit = times.is_integer() && times.fits(kLargestPower);
    result = result * (power_of_unit ? power(unit(of, 1), times.numerator()) : unit(of, times));
    factors += power_of_unit ? std::abs(times.numerator()) + (times.numerator() < 0 ? 1 : 0) : 1;
  };
  for (const auto& [id, part] : x.linear.parts) add(part.of, part.times);
  if (!x.linear.constant.is_zero()) add(context_.real_val(1), x.linear.constant);
  if (factors == 0) used_.insert("exp_zero");
  if (factors > 1) used_.insert("exp_sum");
  kept_.push_back(result);
  exponents_.emplace(result.id(), x.linear);
  return atomic(result);
}

Real Axioms::log(const Real& x) {
  const auto exponent = exponents_.find(x.value.id());
  if (exponent != exponents_.end()) {
    used_.insert("log_exp");
    z3::expr value = number(exponent->second.constant);
    for (const auto& [id, part] : exponent->second.parts)
      value = value + number(part.times) * part.of;
    return {value, exponent->second};
  }
  const z3::expr key = x.value.simplify();
  auto known = logs_.find(key.id());
  if (known == logs_.end()) {
    const z3::expr made = fresh("log");
    used_.insert("exp_log");
    solver_.add(z3::implies(x.value > 0, unit(made, 1) == x.value));
    kept_.push_back(key);
    known = logs_.emplace(key.id(), made).first;
  }
  return atomic(known->second);
}

Real Axioms::sqrt(const Real& x) {
  const z3::expr key = x.value.simplify();
  auto known = roots_.find(key.id());
  if (known == roots_.end()) {
    const z3::expr made = fresh("sqrt");
    used_.insert("sqrt_square");
    solver_.add(z3::implies(x.value >= 0, made >= 0 && made * made == x.value));
    kept_.push_back(key);
    known = roots_.emplace(key.id(), made).first;
  }
  return atomic(known->second);
}

std::pair<z3::expr, z3::expr> Axioms::angle(const Real& x) {
  constexpr int64_t kLargestMultiple = 4;
  z3::expr sine = context_.real_val(0), cosine = context_.real_val(1);
  const auto turn = [&](const z3::expr& s, const z3::expr& c) {
    const z3::expr turned = sine * c + cosine * s;
    cosine = cosine * c - sine * s;
    sine = turned;
  };
  used_.insert("angle_sum");
  Linear linear = x.linear;
  if (!linear.constant.is_zero())
    linear.parts.emplace(context_.real_val(1).id(),
                         Linear::Part{context_.real_val(1), linear.constant});
  for (const auto& [id, part] : linear.parts) {
    const bool multiple = part.times.is_integer() && part.times.fits(kLargestMultiple);
    const z3::expr of = multiple ? part.of : (number(part.times) * part.of).simplify();
    auto known = angles_.find(of.id());
    if (known == angles_.end()) {
      known = angles_.emplace(of.id(), std::pair{fresh("sin"), fresh("cos")}).first;
      const auto& [s, c] = known->second;
      used_.insert("circle");
      solver_.add(s * s + c * c == 1);
      kept_.push_back(of);
    }
    const auto& [s, c] = known->second;
    const int64_t count = multiple ? part.times.numerator() : 1;
    for (int64_t i = 0; i < std::abs(count); ++i) turn(count < 0 ? -s : s, c);
  }
  return {sine, cosine};
}

void Axioms::relate(const Real& left, const Real& right) {
  if (logs_.empty()) return;
  used_.insert("exp_injective");
  const z3::expr of_left = exp(left).value, of_right = exp(right).value;
  solver_.add(z3::implies(of_left == of_right, left.value == right.value));
}

}  // namespace assay
