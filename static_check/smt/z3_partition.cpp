// The module's one function: a partition as integer arithmetic for z3.
#include <z3++.h>

#include "static_check/smt/smt_module.h"
#include "static_check/smt/z3_limit.h"

namespace {

using assay::Answer;
using assay::Boxes;
using assay::Interval;
using assay::PartitionQuery;
using assay::Restriction;

class Partition {
 public:
  explicit Partition(const PartitionQuery& query) : query_(query), solver_(context_) {}

  // The parts make up the whole unless some value of the labels contradicts it.
  Answer decide(int64_t limit_ms) {
    for (const auto& [label, size] : query_.sizes) {
      const z3::expr value = variable(label);
      solver_.add(value >= 0 && value < number(size));
    }
    solver_.add(within(query_.whole) && contradiction());
    switch (assay::check_within(solver_, limit_ms)) {
      case z3::unsat:
        return Answer::kYes;
      case z3::sat:
        return Answer::kNo;
      default:
        return Answer::kUnknown;
    }
  }

 private:
  z3::expr variable(assay::LabelId label) {
    return context_.int_const(("label" + std::to_string(label)).c_str());
  }
  z3::expr number(int64_t value) { return context_.int_val(value); }

  // The digit (value / stride) % radix lies in the intervals.
  z3::expr within(const Restriction& box) {
    z3::expr digit = variable(box.label);
    if (box.stride > 1) digit = digit / number(box.stride);
    if (query_.sizes.at(box.label) / box.stride > box.radix)
      digit = z3::mod(digit, number(box.radix));
    z3::expr_vector choices(context_);
    for (const Interval& interval : box.intervals) {
      choices.push_back(digit >= number(interval.lo) && digit < number(interval.hi));
    }
    return z3::mk_or(choices);
  }

  z3::expr within(const Boxes& boxes) {
    z3::expr_vector all(context_);
    for (const Restriction& box : boxes) all.push_back(within(box));
    return z3::mk_and(all);
  }

  // In none of the parts, or in two of them.
  z3::expr contradiction() {
    z3::expr_vector inside(context_), none(context_), cases(context_);
    for (const Boxes& part : query_.parts) {
      const z3::expr here = within(part);
      for (const z3::expr& other : inside) {
        if (!query_.may_overlap) cases.push_back(here && other);
      }
      inside.push_back(here);
      none.push_back(!here);
    }
    cases.push_back(z3::mk_and(none));
    return z3::mk_or(cases);
  }

  const PartitionQuery& query_;
  z3::context context_;
  z3::solver solver_;
};

}  // namespace

Answer assay_smt_decide_partition(const PartitionQuery& query, int64_t limit_ms) {
  try {
    return Partition(query).decide(limit_ms);
  } catch (const z3::exception&) {
    return Answer::kUnknown;
  }
}
