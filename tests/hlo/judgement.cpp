#include "tests/hlo/judgement.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "shared_ir/base/error.h"
#include "shared_ir/cast.h"
#include "tests/hlo/lowered.h"

namespace assay::test {
namespace {

using Outcome = HloJudgement::Outcome;

constexpr double kExactIntegers = 0x1p48;  // in float64, and the sums of some of them

bool out_of(const ReferenceTensor& tensor, DType type) {
  const auto [low, high] = integer_range(type);
  return std::any_of(tensor.values.begin(), tensor.values.end(),
                     [low = low, high = high](double x) {
                       return !(std::trunc(x) >= static_cast<double>(low) &&
                                std::trunc(x) <= static_cast<double>(high));
                     });
}

// One core operator of a run.
struct Computed {
  const CoreOp& op;
  const ReferenceTensor& value;
  const CoreOp* from;  // its first operand, if it has one
  const ReferenceTensor* operand;

  bool casts_from_floating() const {
    return op.prim == Prim::kCast && is_floating(from->dtype) && is_integer(op.dtype);
  }
};

template <class Predicate>
bool any(const ReferenceTensor& tensor, const Predicate& predicate) {
  return std::ranges::any_of(tensor.values, predicate);
}

// What a value breaks of the assumptions that the program lists; empty where it breaks none.
std::string broken_of_listed(const LoweredHlo& lowered, const Computed& one) {
  const DType type = one.op.dtype;
  const auto is_outside = [&](double x) {
    return x < 0 || x >= static_cast<double>(one.op.shape.back());
  };
  if (one.op.prim == Prim::kOneHot && any(*one.operand, is_outside) &&
      lowered.assumes("lie in their tables' ranges"))
    return "an index beyond its table";
  if (one.op.prim == Prim::kCast && is_integer(one.from->dtype) && is_floating(type) &&
      any(one.value, [&](double x) { return std::abs(x) * machine_epsilon(type) > 2; }) &&
      lowered.assumes("are taken as exact"))
    return "an integer that is rounded";
  if (one.casts_from_floating() && out_of(*one.operand, type) &&
      lowered.assumes(fmt::format("from {} to {} stay in its range", to_string(one.from->dtype),
                                  to_string(type))))
    return "an integer of floating type beyond the other's range";
  const auto is_beyond_float32 = [](double x) {
    return std::isfinite(x) && !std::isfinite(nearest_number(x, DType::kFloat32));
  };
  if (is_floating(type) && any(one.value, is_beyond_float32) &&
      lowered.assumes("reduce-precision is taken as exact"))
    return "a number beyond a reduced precision";
  if (is_integer(type) && out_of(one.value, type) && lowered.assumes("do not wrap around"))
    return "an integer that wraps around";
  return {};
}

// What a value has that float64 does not have, or that another machine has otherwise.
std::string other_machine(const Computed& one) {
  if (one.op.prim == Prim::kMap && one.op.fn == "sign" &&
      any(*one.operand, [](double x) { return std::isnan(x); }))
    return "the sign of NaN";  // PyTorch's is 0
  if (is_floating(one.op.dtype) && any(one.value, [&](double x) {
        return std::isfinite(x) && !std::isfinite(nearest_number(x, one.op.dtype));
      }))
    return "a number beyond its type";
  if (one.casts_from_floating() && out_of(*one.operand, one.op.dtype))
    return "a floating number that no integer is";
  if (is_integer(one.op.dtype) &&
      any(one.value, [](double x) { return !(std::abs(x) <= kExactIntegers); }))
    return "an integer beyond float64";
  return {};
}

// Of the first value of a rank of which `what` says something.
template <class What>
std::string first(const LoweredHlo& lowered, size_t rank,
                  const std::vector<ReferenceTensor>& values, const What& what) {
  const CoreProgram& program = lowered.programs[rank];
  for (size_t i = 0; i < values.size(); ++i) {
    const CoreOp& op = program.ops[i];
    const auto from = op.operands.empty() ? i : static_cast<size_t>(op.operands[0]);
    if (std::string found = what(Computed{op, values[i], &program.ops[from], &values[from]});
        !found.empty())
      return found;
  }
  return {};
}

bool finite(double x) { return std::isfinite(x); }

// Where a value is first no number: a function is not defined at its operands, or an input or a
// constant is none. Arithmetic on it is none on real numbers. Empty where all are numbers.
std::string no_number(const LoweredHlo& lowered,
                      const std::vector<std::vector<ReferenceTensor>>& values) {
  for (size_t rank = 0; rank < values.size(); ++rank)
    for (size_t i = 0; i < values[rank].size(); ++i)
      if (!std::ranges::all_of(values[rank][i].values, finite)) {
        const CoreOp& op = lowered.programs[rank].ops[i];
        return op.fn.empty() ? "an input" : op.fn;
      }
  return {};
}

struct Difference {
  std::string what;         // empty where there is none
  bool of_numbers = false;  // both are
};

Difference difference(const std::vector<double>& xla, const std::vector<double>& assay,
                      const std::string& type) {
  if (xla.size() != assay.size()) return {"another number of elements", true};
  Difference found;
  for (size_t i = 0; i < xla.size(); ++i) {
    if (same_hlo_value(xla[i], assay[i], type)) continue;
    const bool of_numbers = finite(xla[i]) && finite(assay[i]);
    if (!found.what.empty() && !of_numbers) continue;
    found = {"element " + std::to_string(i) + " is " + std::to_string(xla[i]) + ", and here " +
                 std::to_string(assay[i]),
             of_numbers};
    if (of_numbers) break;
  }
  return found;
}

// What no line and no name of an instruction varies.
std::string reason_of(const UserError& error) {
  static const std::regex kOwn("[vpkt]?[0-9]+");
  return std::regex_replace(error.message(), kOwn, "_");
}

// Of the ranks that run together.
HloJudgement judged(const LoweredHlo& lowered, const HloValues& recorded,
                    const std::vector<HloValues::Run>& of_ranks) {
  const auto values = lowered.run(of_ranks);
  for (size_t rank = 0; rank < values.size(); ++rank) {
    const Difference found = difference(
        of_ranks[rank].values, values[rank][static_cast<size_t>(lowered.result(rank))].values,
        recorded.coarsest);
    if (found.what.empty()) continue;
    for (size_t other = 0; other < values.size(); ++other)
      if (std::string why = first(lowered, other, values[other],
                                  [&](const Computed& one) {
                                    std::string listed = broken_of_listed(lowered, one);
                                    return listed.empty() ? other_machine(one) : listed;
                                  });
          !why.empty())
        return {Outcome::kOutside, std::move(why)};
    if (!found.of_numbers)
      if (const std::string where = no_number(lowered, values); !where.empty())
        return {Outcome::kOutside, "arithmetic on what is no number, from " + where};
    return {Outcome::kDiffers, "rank " + std::to_string(rank) + ": " + found.what};
  }
  return {Outcome::kAgrees, {}};
}

}  // namespace

std::vector<HloJudgement> judge(const HloValues& recorded) try {
  const LoweredHlo lowered(recorded.text, recorded.ranks);
  if (std::string part = lowered.opaque_part(); !part.empty())
    return {{Outcome::kOpaque, std::move(part)}};
  if (recorded.ranks > 1) return {judged(lowered, recorded, recorded.runs)};
  std::vector<HloJudgement> result;
  for (const HloValues::Run& run : recorded.runs)
    result.push_back(judged(lowered, recorded, {run}));
  return result;
} catch (const UserError& error) {
  return {{Outcome::kRefused, reason_of(error)}};
}

std::string broken_assumption(const std::string& text,
                              const std::vector<std::vector<double>>& inputs, bool defined) {
  const LoweredHlo lowered(text, 1);
  HloValues::Run run;
  for (size_t i = 0; i < inputs.size(); ++i) run.inputs[lowered.input(i)] = inputs[i];
  const auto values = lowered.run({run});
  std::string found = first(lowered, 0, values[0],
                            [&](const Computed& one) { return broken_of_listed(lowered, one); });
  return found.empty() && defined ? no_number(lowered, values) : found;
}

}  // namespace assay::test
