// Random operators: exactly what "random draws agree" assumes.
//
// For a distribution fn, a number n and an element e of an atom let S(fn, n, e) be independent
// samples. A program that draws from fn for a tensor takes, for each element, the sample whose n is
// the number of times that it drew from fn for that element before. The assumption is that every
// program takes these samples. So a claim must name S(fn, n, e) for the very e that its operand's
// claim names; in no program may two draws be one sample; and the draw n of an element comes after
// its draw n - 1. An operator that draws for no tensor takes the sample of its call's number: in
// its own shape and dtype, or not at all.
#include <algorithm>
#include <charconv>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/arithmetic/definitions.h"
#include "static_check/checker/joint.h"

namespace assay::checker {
namespace {

// The n of "fn#n"; nullopt when the text is another function's.
std::optional<Int> number_of(const std::string& text, const std::string& fn) {
  if (!text.starts_with(fn + "#")) return std::nullopt;
  const char* first = text.data() + fn.size() + 1;
  const char* last = text.data() + text.size();
  PlainInt number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc{} || end != last || number < 0) return std::nullopt;
  return number;
}

// Steps of the digits that move, with their sizes; finest first.
std::vector<std::pair<Int, Int>> moving(const Drawn& drawn) {
  std::vector<std::pair<Int, Int>> digits;
  for (size_t i = 0; i < drawn.sizes.size(); ++i)
    if (drawn.sizes[i] > 1) digits.emplace_back(drawn.element.index.step(i), drawn.sizes[i]);
  std::sort(digits.begin(), digits.end());
  return digits;
}

bool repeats(const Drawn& drawn) {
  Int reach = 0;
  for (const auto& [step, size] : moving(drawn)) {
    if (step <= reach) return true;
    reach += (size - 1) * step;
  }
  return false;
}

// First and last value of the digit (index / low) % (high / low), where no other digit of the index
// carries into it. `high` is a multiple of `low`.
std::optional<std::pair<Int, Int>> span_between(const Drawn& drawn, Int low, Int high) {
  Int rest = drawn.element.index.base % low;
  const Int first = drawn.element.index.base % high / low;
  Int last = first;
  for (const auto& [step, size] : moving(drawn)) {
    if (step < low)
      rest += (size - 1) * step;
    else if (step % low != 0 || (step > high && step % high != 0))
      return std::nullopt;
    else if (step < high)
      last += (size - 1) * (step / low);
  }
  if (rest >= low || last >= high / low) return std::nullopt;
  return std::pair{first, last};
}

bool apart(const Drawn& a, const Drawn& b) {
  std::vector<Int> edges{1};
  for (const Drawn* drawn : {&a, &b})
    for (const auto& [step, size] : moving(*drawn)) {
      edges.push_back(step);
      edges.push_back(step * size);
    }
  for (const Int low : edges)
    for (const Int edge : edges) {
      const bool nested = edge > low && edge % low == 0;
      const Int high = nested ? edge : INT64_MAX / low * low;  // beyond any index
      const auto x = span_between(a, low, high), y = span_between(b, low, high);
      if (x && y && (x->second < y->first || y->second < x->first)) return true;
    }
  return false;
}

// The one factor that is claimed of the region, as it is.
Factor only_factor(const Element& element) {
  if (element.integer || element.sum.size() != 1 || element.sum[0].factors.size() != 1 ||
      !element.sum[0].coef.is_one() || !element.sum[0].boxes.empty() ||
      !element.sum[0].guards.empty())
    throw Rejection{"a random value that is no sample"};
  return element.sum[0].factors[0];
}

class DrawCheck {
 public:
  DrawCheck(Joint& joint, const OpRef& ref)
      : step_(joint.step(ref)), earlier_(joint.drawn[ref.rank]) {}

  void run() {
    std::vector<Drawn> made;
    for_each_region(region_of(step_.op().shape), 0, [&](const Region& region) {
      made.push_back(draw(region));
      ++step_.probes;
    });
    for (size_t i = 0; i < made.size(); ++i) {
      check_number(made[i]);
      if (repeats(made[i])) throw Rejection{"one sample for several elements"};
      for (const Drawn& other : earlier_) check_apart(made[i], other);
      for (size_t j = 0; j < i; ++j) check_apart(made[i], made[j]);
    }
    earlier_.insert(earlier_.end(), made.begin(), made.end());
  }

 private:
  Drawn draw(const Region& region) const {
    const CoreOp& op = step_.op();
    const Factor claimed = only_factor(element_at(region, step_.claim(), region.coords));
    const Instance* made = step_.facts.definition(claimed.atom);
    if (made == nullptr || made->kind != Instance::Kind::kDraw)
      throw Rejection{"a random value that is no sample"};
    const auto number = number_of(made->fn, op.fn);
    if (!number) throw Rejection{"a sample of " + made->fn};
    if (step_.facts.atom(claimed.atom).dtype != op.dtype)
      throw Rejection{"a sample of another dtype"};
    const std::vector<Affine> labels = label_coordinates(region, *made, claimed.index);
    const Factor element{made->operands[0].atom, operand_index(*made, 0, labels)};
    const Sum operand = as_sum(element_at(region, step_.operand(0), region.coords));
    if (!equal(step_.facts, region, operand, {{1, {element}, {}, {}}}))
      reject_difference(region.coords, {{1, {element}, {}, {}}}, operand);
    return {op.fn, *number, {step_.facts.canonical(element.atom), element.index}, region.sizes};
  }

  void check_number(const Drawn& drawn) const {
    if (drawn.number == 0) return;
    const bool follows = std::any_of(earlier_.begin(), earlier_.end(), [&](const Drawn& other) {
      return other.fn == drawn.fn && other.number == drawn.number - 1 &&
             other.element == drawn.element && other.sizes == drawn.sizes;
    });
    if (!follows) throw Rejection{"a later draw without an earlier one for the same elements"};
  }

  static void check_apart(const Drawn& a, const Drawn& b) {
    if (a.fn == b.fn && a.number == b.number && a.element.atom == b.element.atom && !apart(a, b))
      throw Rejection{"one sample drawn twice"};
  }

  const Step step_;
  std::vector<Drawn>& earlier_;
};

// The sequential program's call of this number, whole.
void check_call(Joint& joint, const OpRef& ref) {
  const Step step = joint.step(ref);
  const CoreOp& op = step.op();
  for_each_region(region_of(op.shape), 0, [&](const Region& region) {
    const Factor claimed = only_factor(element_at(region, step.claim(), region.coords));
    const auto owner = joint.owners.find(claimed.atom);
    if (owner == joint.owners.end() || owner->second.rank != kNone)
      throw Rejection{"a random value of no sequential call"};
    const CoreOp& call = joint.sequential.ops[static_cast<size_t>(owner->second.op)];
    if (call.prim != Prim::kRandom || call.fn != op.fn || call.occurrence != op.occurrence ||
        call.shape != op.shape || call.dtype != op.dtype ||
        claimed.index != row_major(op.shape, region.coords))
      throw Rejection{"a random value of another call"};
    ++step.probes;
  });
}

}  // namespace

void check_random(Joint& joint, const OpRef& ref) {
  if (claims_unknown(joint, ref)) return;
  if (!joint.refinement.random_agrees)
    throw Rejection{"a random value that is not taken to agree with another"};
  if (joint.step(ref).op().operands.empty()) return check_call(joint, ref);
  DrawCheck(joint, ref).run();
}

}  // namespace assay::checker
