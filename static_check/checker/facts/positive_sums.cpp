// Sums of exponentials of which a mask that depends on no input leaves one at least: such rows as a
// causal mask leaves add up to more than 0, which their parts need not. Element by element, for
// sums of no more than a few million.
#include <algorithm>
#include <optional>

#include "static_check/checker/facts/facts.h"

namespace assay::checker {

class SumOfExponentials {
 public:
  SumOfExponentials(const Facts& facts, const Instance& sum) : facts_(facts), sum_(sum) {}

  bool each_is_positive() {
    if (!adds_exponentials(sum_.operands[0].atom, 0)) return false;
    const PlainInt rows = facts_.atom(sum_.output).size;
    for (PlainInt row = 0; row < rows; ++row) {
      std::vector<PlainInt> digits(sum_.labels.size(), 0);
      for (size_t i = 0; i < digits.size(); ++i) {
        const InstanceLabel& label = sum_.labels[i];
        if (label.out_stride > 0) digits[i] = row / label.out_stride % label.size;
      }
      if (!some_is_positive(digits)) return false;
    }
    return true;
  }

 private:
  static constexpr PlainInt kMostSeen = PlainInt{1} << 22;
  static constexpr int kDeepest = 16;
  using Fact = Facts::Fact;

  // Over all values of the digits that are summed; they are 0 before and after.
  bool some_is_positive(std::vector<PlainInt>& digits) {
    for (;;) {
      PlainInt at = sum_.operands[0].offset;
      for (size_t i = 0; i < digits.size(); ++i) at += digits[i] * sum_.labels[i].strides[0];
      if (++seen_ > kMostSeen) return false;
      if (exceeds_zero(sum_.operands[0].atom, at, 0)) return true;
      if (!next(digits)) return false;
    }
  }

  bool next(std::vector<PlainInt>& digits) const {
    for (size_t i = 0; i < digits.size(); ++i) {
      if (sum_.labels[i].tag != InstanceLabel::Tag::kReduced) continue;
      if (++digits[i] < sum_.labels[i].size) return true;
      digits[i] = 0;
    }
    return false;
  }

  const Fact& fact(AtomId id) const { return facts_.facts_[static_cast<size_t>(id)]; }

  // An operand's element for an element of the output of a function of elements.
  struct Read {
    AtomId atom;
    PlainInt at;
  };
  static Read read(const Instance& made, size_t operand, PlainInt element) {
    PlainInt at = made.operands[operand].offset;
    for (const InstanceLabel& label : made.labels)
      if (label.size > 1 && label.out_stride > 0)
        at += element / label.out_stride % label.size * label.strides[operand];
    return {made.operands[operand].atom, at};
  }

  // Whether an exponential is a factor: no other number exceeds 0 at some elements alone.
  bool adds_exponentials(AtomId id, int depth) const {
    const Instance* made = facts_.definition(id);
    if (made == nullptr || depth > kDeepest) return false;
    if (made->kind == Instance::Kind::kMap) return made->fn == "exp";
    return made->kind == Instance::Kind::kMul &&
           std::any_of(made->operands.begin(), made->operands.end(), [&](const auto& operand) {
             return adds_exponentials(operand.atom, depth + 1);
           });
  }

  bool exceeds_zero(AtomId id, PlainInt element, int depth) const {
    if (fact(id).positive || fact(id).whole_positive) return true;
    const Instance* made = facts_.definition(id);
    if (made == nullptr || depth > kDeepest) return false;
    if (made->kind == Instance::Kind::kMap && made->fn == "exp") {
      const Read x = read(*made, 0, element);
      return is_number(x.atom, x.at, depth + 1);
    }
    if (made->kind != Instance::Kind::kMul) return false;
    const Read x = read(*made, 0, element), y = read(*made, 1, element);
    return exceeds_zero(x.atom, x.at, depth + 1) && exceeds_zero(y.atom, y.at, depth + 1);
  }

  bool is_number(AtomId id, PlainInt element, int depth) const {
    if (fact(id).finite) return true;
    const Instance* made = facts_.definition(id);
    if (made == nullptr || depth > kDeepest) return false;
    if (made->kind == Instance::Kind::kMap && made->fn == kKeepFunction) {
      const Read mask = read(*made, 0, element), x = read(*made, 1, element);
      const auto kept = constant(mask.atom, mask.at, depth + 1);
      return (kept && *kept == 0) || is_number(x.atom, x.at, depth + 1);
    }
    if (made->kind != Instance::Kind::kCombine) return false;
    for (const Instance::CombineTerm& term : made->terms) {
      const Read x = read(*made, static_cast<size_t>(term.operand), element);
      if (!term.restrictions.empty() || !is_number(x.atom, x.at, depth + 1)) return false;
    }
    return true;
  }

  // Of positions: their number, or whether a relation between them holds.
  std::optional<PlainInt> constant(AtomId id, PlainInt element, int depth) const {
    if (facts_.atom(id).kind == Atom::Kind::kIota) return element;
    const Instance* made = facts_.definition(id);
    if (made == nullptr || made->kind != Instance::Kind::kMap || depth > kDeepest)
      return std::nullopt;
    const auto of = [&](size_t operand) {
      const Read x = read(*made, operand, element);
      return constant(x.atom, x.at, depth + 1);
    };
    if (made->operands.size() == 1) {
      const auto x = made->fn == "not" ? of(0) : std::nullopt;
      return x ? std::optional<PlainInt>(1 - *x) : std::nullopt;
    }
    if (made->operands.size() != 2) return std::nullopt;
    const auto x = of(0), y = of(1);
    if (!x || !y) return std::nullopt;
    const std::string& fn = made->fn;
    if (fn == "ge") return *x >= *y;
    if (fn == "gt") return *x > *y;
    if (fn == "le") return *x <= *y;
    if (fn == "lt") return *x < *y;
    if (fn == "eq") return *x == *y;
    if (fn == "ne") return *x != *y;
    if (fn == "and") return *x != 0 && *y != 0;
    if (fn == "or") return *x != 0 || *y != 0;
    return std::nullopt;
  }

  const Facts& facts_;
  const Instance& sum_;
  PlainInt seen_ = 0;
};

bool Facts::every_sum_is_positive(const Instance& sum) const {
  return SumOfExponentials(*this, sum).each_is_positive();
}

}  // namespace assay::checker
