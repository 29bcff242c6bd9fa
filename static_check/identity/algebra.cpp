#include "static_check/identity/algebra.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace assay::identity {
namespace {

// Terms of a sum with logarithms.
constexpr size_t kMostLogarithms = size_t{1} << 14;

// Coefficients of logarithms beyond this are no exponents.
constexpr int64_t kLargestCoefficient = int64_t{1} << 20;

uint64_t mixed(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBull;
  return state ^ (state >> 31);
}

}  // namespace

Wide Algebra::hash(std::string_view name, std::span<const uint64_t> keys, uint64_t salt) const {
  uint64_t a = seed_ ^ salt, b = mixed(seed_ + salt);
  const auto take = [&](uint64_t word) {
    a = mixed(a ^ (word + 0x9E3779B97F4A7C15ull));
    b = mixed(b + (word ^ 0xD1B54A32D192ED03ull) * 0xFF51AFD7ED558CCDull);
  };
  for (const char c : name) take(static_cast<unsigned char>(c));
  take(name.size() << 32 ^ keys.size());
  for (const uint64_t key : keys) take(key);
  return Wide{a} << 64 | b;
}

Residue Algebra::random_residue(std::string_view name, std::span<const uint64_t> keys) const {
  return {kValues.of(hash(name, keys, 1)), kExponents.of(hash(name, keys, 2))};
}

Number Algebra::random(std::string_view name, std::span<const uint64_t> keys) const {
  return {random_residue(name, keys)};
}

Number Algebra::random_flag(std::string_view name, std::span<const uint64_t> keys) {
  if (cases_ != nullptr) return constant(cases_->coin(random_residue(name, keys).value) ? 1 : 0);
  return flagged(random_residue(name, keys), nullptr, false);
}

Number Algebra::flagged(Residue residue, const Residue* sign_of, bool negated) const {
  Form form{Form::Kind::kFlag};
  form.is_sign = sign_of != nullptr;
  if (sign_of != nullptr) form.argument = *sign_of;
  form.negated = negated;
  if (negated) residue = Residue{1, 1} - residue;
  Number flag = with(residue, std::move(form));
  flag.sign = Sign::kNonnegative;
  flag.in_range = true;
  return flag;
}

Number Algebra::unknown(std::string_view name, std::span<const Number> arguments) {
  std::vector<uint64_t> keys;
  for (const Number& argument : arguments) {
    if (argument.kind == Number::Kind::kUndefined) return undefined();
    keys.push_back(key(argument));
  }
  return random(name, keys);
}

Number Algebra::constant(const Rational& value) {
  const Residue residue = residue_of(value);
  FormPointer& form = constants_[residue.value];
  if (form == nullptr) {
    form = std::make_shared<const Form>(Form{Form::Kind::kConstant, value});
    const uint64_t square = kValues.multiply(residue.value, residue.value);
    for (Factors* factors : {&factors_, &bases_}) {
      factors->learn_constant(residue.value);
      factors->learn_constant(square);
    }
    if (cases_ == nullptr && value.is_positive()) scales_.learn(value, residue);
  }
  Number number{residue};
  number.in_range = true;
  number.sign = value.is_positive()   ? Sign::kPositive
                : value.is_negative() ? Sign::kAny
                                      : Sign::kNonnegative;
  number.form = form;
  return number;
}

std::optional<Rational> Algebra::scale_with(uint64_t value) const {
  if (const Rational* constant = constant_with(value); constant != nullptr)
    return constant->is_positive() ? std::optional(*constant) : std::nullopt;
  return scales_.squared(value);
}

Number Algebra::infinity(bool negative) {
  return {{}, negative ? Number::Kind::kMinusInfinity : Number::Kind::kInfinity};
}

Number Algebra::undefined() { return {{}, Number::Kind::kUndefined}; }

uint64_t Algebra::key(const Number& number) {
  switch (number.kind) {
    case Number::Kind::kFinite:
      return settled(number).residue.value;
    case Number::Kind::kInfinity:
      return ~uint64_t{0};  // no residue
    case Number::Kind::kMinusInfinity:
      return ~uint64_t{1};
    case Number::Kind::kHidden:
      throw NotRepresented{"an infinity under a condition"};
    case Number::Kind::kUndefined:
      break;
  }
  throw NotRepresented{"what is not defined"};
}

const Rational* Algebra::constant_with(uint64_t value) const {
  const auto found = constants_.find(value);
  return found == constants_.end() ? nullptr : &found->second->constant;
}

const Rational* Algebra::known(const Residue& residue) const {
  return constant_with(residue.value);
}

std::optional<int64_t> Algebra::common_denominator(const Number& number) const {
  int64_t common = 1;
  if (!has(number, Form::Kind::kLogarithms)) return common;
  for (const auto& [of, coefficient] : number.form->logarithms) {
    const Rational* rational = known(coefficient);
    if (rational == nullptr || !rational->fits(kLargestCoefficient)) return std::nullopt;
    common = std::lcm(common, rational->denominator());
    if (common > kLargestCoefficient) return std::nullopt;
  }
  return common;
}

// One logarithm of all where the coefficients are rational, so that log(exp(x) y) is x + log y;
// else each by itself, or by its factors.
Number Algebra::settled(const Number& number) {
  if (!has(number, Form::Kind::kLogarithms)) return number;
  if (const auto multiple = factored_ ? std::nullopt : common_denominator(number)) {
    const uint64_t keys[] = {static_cast<uint64_t>(*multiple), exponential_of(number, *multiple)};
    return random("log", keys);
  }
  Residue sum = number.residue;
  for (const auto& [of, coefficient] : number.form->logarithms) {
    sum = sum + coefficient * log_of(of);
  }
  if (sum == Residue{}) return constant(0);
  return {sum};
}

bool Algebra::equal(const Number& a, const Number& b) {
  if (a.kind != b.kind) return false;
  if (is_hidden(a)) return equal_hidden(a, b);
  if (!a.is_finite()) return a.kind != Number::Kind::kUndefined;
  if (!has(a, Form::Kind::kLogarithms) && !has(b, Form::Kind::kLogarithms))
    return a.residue.value == b.residue.value;
  if (settled(a).residue.value == settled(b).residue.value) return true;
  const auto left = common_denominator(a), right = common_denominator(b);
  if (!left || !right) return false;
  const int64_t multiple = std::lcm(*left, *right);
  return exponential_of(a, multiple) == exponential_of(b, multiple);
}

const Rational* Algebra::constant_of(const Number& number) const {
  return number.is_finite() && has(number, Form::Kind::kConstant) ? &number.form->constant
                                                                  : nullptr;
}

bool Algebra::is_zero(const Number& number) const {
  const Rational* known = constant_of(number);
  return known != nullptr && known->is_zero();
}

Number Algebra::plain_sum(const Number& a, const Number& b) {
  if (a.kind == Number::Kind::kUndefined || b.kind == Number::Kind::kUndefined) return undefined();
  if (is_hidden(a) || is_hidden(b)) return sum_with_hidden(a, b);
  if (!a.is_finite() || !b.is_finite()) {
    if (a.is_finite()) return b;
    if (b.is_finite() || a.kind == b.kind) return a;
    return undefined();
  }
  if (a.form == nullptr && b.form == nullptr && cases_ == nullptr)
    return mixed_as(a, b, {a.residue + b.residue});
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (has(a, Form::Kind::kLogarithms) || has(b, Form::Kind::kLogarithms)) {
    if (is_choice_beside_logarithms(a, b))
      if (const auto sum = sum_of_choices(a, b)) return *sum;
    return add_logarithms(a, b);
  }
  try {
    if (cases_ != nullptr)
      if (const auto sum = affine_sum(a, b)) return *sum;
    if (const auto sum = joined(a, b)) return *sum;
  } catch (const RationalOverflow&) {
  }
  return mixed_as(a, b, {a.residue + b.residue});
}

Number Algebra::mixed_as(const Number& a, const Number& b, Number result) {
  const bool both_choose = has(a, Form::Kind::kChoice) && has(b, Form::Kind::kChoice);
  result.mixed = a.mixed || b.mixed || both_choose || is_conditional(a) || is_conditional(b);
  return result;
}

// Where logarithms are numbers anyway, what is chosen beside them stays a choice.
bool Algebra::is_choice_beside_logarithms(const Number& a, const Number& b) const {
  return factored_ && (has(a, Form::Kind::kChoice) || has(b, Form::Kind::kChoice)) &&
         (has(a, Form::Kind::kLogarithms) || has(b, Form::Kind::kLogarithms));
}

Number Algebra::add_logarithms(const Number& a, const Number& b) {
  Form form{Form::Kind::kLogarithms};
  const auto of = [](const Number& number) {
    return has(number, Form::Kind::kLogarithms) ? number.form->logarithms
                                                : std::vector<std::pair<uint64_t, Residue>>{};
  };
  const auto left = of(a), right = of(b);
  size_t i = 0, k = 0;
  while (i < left.size() || k < right.size()) {
    if (k == right.size() || (i < left.size() && left[i].first < right[k].first)) {
      form.logarithms.push_back(left[i++]);
    } else if (i == left.size() || right[k].first < left[i].first) {
      form.logarithms.push_back(right[k++]);
    } else {
      const Residue sum = left[i].second + right[k].second;
      if (const Rational *x = known(left[i].second), *y = known(right[k].second);
          x != nullptr && y != nullptr && x->fits(kLargestCoefficient) &&
          y->fits(kLargestCoefficient))
        constant(*x + *y);  // is known from now on
      if (sum.value != 0) form.logarithms.emplace_back(left[i].first, sum);
      ++i, ++k;
    }
  }
  if (form.logarithms.size() > kMostLogarithms) throw NotRepresented{"too many logarithms"};
  const Residue rest = a.residue + b.residue;
  if (form.logarithms.empty()) return {rest};
  return with(rest, std::move(form));
}

std::optional<Number> Algebra::joined(const Number& a, const Number& b) {
  if (has(a, Form::Kind::kChoice) || has(b, Form::Kind::kChoice)) return sum_of_choices(a, b);
  const Rational *left = constant_of(a), *right = constant_of(b);
  if (left != nullptr && right != nullptr) return constant(*left + *right);
  if (left != nullptr && a.form->constant.is_one() && has(b, Form::Kind::kKept)) {
    const Rational* times = constant_of(b.form->kept());
    if (times != nullptr && *times == Rational(-1)) return negation(b.form->flag());
  }
  if (right != nullptr && left == nullptr && has(a, Form::Kind::kKept)) return joined(b, a);
  if (has(a, Form::Kind::kRoot) && has(b, Form::Kind::kRoot) && a.form->roots == b.form->roots)
    return roots(a.form->factor + b.form->factor, a.form->roots);
  if (has(a, Form::Kind::kKept) && has(b, Form::Kind::kKept)) {
    const Number &flag = a.form->flag(), &other = b.form->flag();
    const Number &under = a.form->kept(), &beside = b.form->kept();
    if (flag.residue.value == other.residue.value) return keep(flag, add(under, beside));
    if (kValues.add(flag.residue.value, other.residue.value) == 1) {
      const bool first = flag.form->is_sign && !flag.form->negated;
      const Number& sign = first ? flag : other;
      if (sign.form->is_sign && !sign.form->negated) {
        const Number difference =
            settled(first ? subtract(under, beside) : subtract(beside, under));
        const Residue& argument = sign.form->argument;
        if (is_positive_multiple(difference.residue, argument)) return maximum(under, beside);
        if (is_positive_multiple(Residue{} - difference.residue, argument))
          return minimum(under, beside);
      }
    }
  }
  const Number& kept = has(a, Form::Kind::kKept) ? a : b;
  if (const Number both[] = {a, b};
      has(kept, Form::Kind::kKept) && cases_ == nullptr && branch_little(both))
    return each_branch(both, [&](std::span<const Number> x) { return add(x[0], x[1]); });
  if (has(a, Form::Kind::kMaximum) != has(b, Form::Kind::kMaximum)) {
    const Number& extremum = has(a, Form::Kind::kMaximum) ? a : b;
    const Residue by = has(a, Form::Kind::kMaximum) ? b.residue : a.residue;
    Form form = *extremum.form;
    form.shift = form.negated ? form.shift - by : form.shift + by;
    return with(a.residue + b.residue, std::move(form));
  }
  return std::nullopt;
}

Number Algebra::plain_multiple(const Number& a, const Rational& by) {
  if (by.is_one()) return a;
  if (a.kind == Number::Kind::kUndefined) return a;
  if (is_hidden(a)) return multiple_of_hidden(a, by);
  if (!a.is_finite()) {
    if (by.is_zero()) return undefined();
    return infinity((a.kind == Number::Kind::kMinusInfinity) != by.is_negative());
  }
  if (by.is_zero()) return constant(0);
  const Residue factor = residue_of(by);
  const Residue product = a.residue * factor;
  if (a.form == nullptr && cases_ == nullptr) return mixed_as(a, a, {product});
  try {
    if (const auto view = cases_ != nullptr ? affine_view(a) : std::nullopt)
      return affine({view->of, view->scale * by, view->offset * by});
    if (a.form == nullptr) return {product};
    switch (a.form->kind) {
      case Form::Kind::kConstant:
        return constant(a.form->constant * by);
      case Form::Kind::kLogarithms: {
        Form form = *a.form;
        for (auto& [of, coefficient] : form.logarithms) {
          if (const Rational* rational = known(coefficient)) constant(*rational * by);
          coefficient = coefficient * factor;
        }
        return with(product, std::move(form));
      }
      case Form::Kind::kRoot: {
        Form form = *a.form;
        form.factor = form.factor * factor;
        return with(product, std::move(form));
      }
      case Form::Kind::kMaximum: {
        if (!(by == Rational(-1))) break;
        Form form = *a.form;
        form.negated = !form.negated;
        return with(product, std::move(form));
      }
      case Form::Kind::kAffine:
      case Form::Kind::kHidden:
        break;
      case Form::Kind::kChoice:
        return *each_choice({&a, 1}, [&](std::span<const Number> x) { return scaled(x[0], by); });
      case Form::Kind::kFlag:
        return keep(a, constant(by));
      case Form::Kind::kKept:
        return keep(a.form->flag(), scaled(a.form->kept(), by));
    }
  } catch (const RationalOverflow&) {
    if (has(a, Form::Kind::kLogarithms)) return times_logarithms(a, factor);
  }
  return {product};
}

Number Algebra::times_logarithms(const Number& number, const Residue& factor) const {
  Form form{Form::Kind::kLogarithms};
  for (const auto& [of, coefficient] : number.form->logarithms)
    form.logarithms.emplace_back(of, coefficient * factor);
  return with(number.residue * factor, std::move(form));
}

Number Algebra::plain_product(const Number& left, const Number& right) {
  if (left.form == nullptr && right.form == nullptr && left.is_finite() && right.is_finite())
    return mixed_as(left, right, {left.residue * right.residue});
  if (left.kind == Number::Kind::kUndefined || right.kind == Number::Kind::kUndefined)
    return undefined();
  if (const Rational* by = constant_of(left)) return scaled(right, *by);
  if (const Rational* by = constant_of(right)) return scaled(left, *by);
  if (!left.is_finite() || !right.is_finite())
    throw NotRepresented{"an infinity times what may be 0"};
  if (is_choice_beside_logarithms(left, right))
    if (const auto product = product_of_choices(left, right)) return *product;
  if (has(left, Form::Kind::kLogarithms)) return times_logarithms(left, settled(right).residue);
  if (has(right, Form::Kind::kLogarithms)) return times_logarithms(right, left.residue);
  const Number &a = left, &b = right;
  if (has(a, Form::Kind::kChoice) || has(b, Form::Kind::kChoice))
    if (const auto product = product_of_choices(a, b)) return *product;
  if (has(a, Form::Kind::kFlag)) return has(b, Form::Kind::kFlag) ? conjunction(a, b) : keep(a, b);
  if (has(b, Form::Kind::kFlag)) return keep(b, a);
  if (has(a, Form::Kind::kKept)) return keep(a.form->flag(), multiply(a.form->kept(), b));
  if (has(b, Form::Kind::kKept)) return keep(b.form->flag(), multiply(a, b.form->kept()));
  const bool root_a = has(a, Form::Kind::kRoot), root_b = has(b, Form::Kind::kRoot);
  if (root_a && root_b) {
    auto powers = a.form->roots;
    powers.insert(powers.end(), b.form->roots.begin(), b.form->roots.end());
    return roots(a.form->factor * b.form->factor, std::move(powers));
  }
  const Residue product = a.residue * b.residue;
  if (root_a || root_b) {
    Form form = root_a ? *a.form : *b.form;
    form.factor = form.factor * (root_a ? b.residue : a.residue);
    return with(product, std::move(form));
  }
  return {product};
}

}  // namespace assay::identity
