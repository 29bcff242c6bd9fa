#include "tests/hlo/judgement.h"

#include <algorithm>
#include <cmath>
#include <regex>

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

// What the inputs break of that on which the meaning rests: assumptions that the program lists, and
// that functions have the values of the machine which float64 has, too. Empty where it holds.
std::string broken(const LoweredHlo& lowered, size_t rank,
                   const std::vector<ReferenceTensor>& values) {
  const CoreProgram& program = lowered.programs[rank];
  const bool in_tables = lowered.assumes("lie in their tables' ranges");
  const bool exact = lowered.assumes("are taken as exact");
  const bool no_wrap = lowered.assumes("do not wrap around");
  for (size_t i = 0; i < values.size(); ++i) {
    const CoreOp& op = program.ops[i];
    const auto operand = [&]() -> const ReferenceTensor& {
      return values[static_cast<size_t>(op.operands[0])];
    };
    const auto any = [](const ReferenceTensor& tensor, const auto& predicate) {
      return std::ranges::any_of(tensor.values, predicate);
    };
    const auto is_outside = [&](double x) {
      return x < 0 || x >= static_cast<double>(op.shape.back());
    };
    if (in_tables && op.prim == Prim::kOneHot && any(operand(), is_outside))
      return "an index beyond its table";
    if (op.prim == Prim::kMap && op.fn == "sign" &&
        any(operand(), [](double x) { return std::isnan(x); }))
      return "the sign of NaN";  // PyTorch's is 0
    if (is_floating(op.dtype) && any(values[i], [&](double x) {
          return std::isfinite(x) && !std::isfinite(nearest_number(x, op.dtype));
        }))
      return "a number beyond its type";
    const bool casts = op.prim == Prim::kCast;
    const DType from = casts ? program.ops[static_cast<size_t>(op.operands[0])].dtype : op.dtype;
    if (exact && is_floating(op.dtype) && is_integer(from) &&
        any(values[i], [&](double x) { return std::abs(x) * machine_epsilon(op.dtype) > 2; }))
      return "an integer that is rounded";
    if (!is_integer(op.dtype)) continue;
    if (is_floating(from) && out_of(operand(), op.dtype))
      return "a floating number that no integer is";
    if (any(values[i], [](double x) { return !(std::abs(x) <= kExactIntegers); }))
      return "an integer beyond float64";
    if (no_wrap && out_of(values[i], op.dtype)) return "an integer that wraps around";
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
      if (std::string why = broken(lowered, other, values[other]); !why.empty())
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

}  // namespace assay::test
