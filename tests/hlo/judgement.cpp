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

constexpr double kExactIntegers = 0x1p53;  // in float64

bool out_of(const ReferenceTensor& tensor, DType type) {
  const auto [low, high] = integer_range(type);
  return std::any_of(tensor.values.begin(), tensor.values.end(),
                     [low = low, high = high](double x) {
                       return !(std::trunc(x) >= static_cast<double>(low) &&
                                std::trunc(x) <= static_cast<double>(high));
                     });
}

// What the inputs break of that on which the meaning rests; empty where it holds.
std::string broken(const LoweredHlo& lowered, size_t rank,
                   const std::vector<ReferenceTensor>& values) {
  const CoreProgram& program = lowered.programs[rank];
  for (size_t i = 0; i < values.size(); ++i) {
    const CoreOp& op = program.ops[i];
    const auto operand_type = [&] {
      return program.ops[static_cast<size_t>(op.operands[0])].dtype;
    };
    if (op.prim == Prim::kOneHot)
      for (const double index : values[static_cast<size_t>(op.operands[0])].values)
        if (index < 0 || index >= static_cast<double>(op.shape.back()))
          return "an index beyond its table";
    if (op.prim == Prim::kMap && op.fn == "sign")  // PyTorch's: 0
      for (const double x : values[static_cast<size_t>(op.operands[0])].values)
        if (std::isnan(x)) return "the sign of NaN";
    if (op.prim == Prim::kCast && is_floating(op.dtype) && is_integer(operand_type()))
      for (const double x : values[i].values)
        if (std::abs(x) * machine_epsilon(op.dtype) > 2) return "an integer that is rounded";
    if (!is_integer(op.dtype)) continue;
    if (op.prim == Prim::kCast && is_floating(operand_type()) &&
        out_of(values[static_cast<size_t>(op.operands[0])], op.dtype))
      return "a floating number that no integer is";
    for (const double x : values[i].values)
      if (!(std::abs(x) <= kExactIntegers)) return "an integer beyond float64";
    if (lowered.assumes("do not wrap around") && out_of(values[i], op.dtype))
      return "an integer that wraps around";
  }
  return {};
}

// A function that is not defined at its operands, which are numbers: arithmetic on what it gives is
// none on real numbers. Empty where there is none.
std::string undefined_function(const LoweredHlo& lowered, size_t rank,
                               const std::vector<ReferenceTensor>& values) {
  const auto finite = [](double x) { return std::isfinite(x); };
  for (size_t i = 0; i < values.size(); ++i) {
    const CoreOp& op = lowered.programs[rank].ops[i];
    if (op.prim == Prim::kMap && !std::ranges::all_of(values[i].values, finite)) return op.fn;
  }
  return {};
}

std::string difference(const std::vector<double>& xla, const std::vector<double>& assay,
                       const std::string& type) {
  if (xla.size() != assay.size()) return "another number of elements";
  for (size_t i = 0; i < xla.size(); ++i)
    if (!same_hlo_value(xla[i], assay[i], type))
      return "element " + std::to_string(i) + " is " + std::to_string(xla[i]) + ", and here " +
             std::to_string(assay[i]);
  return {};
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
  for (size_t rank = 0; rank < values.size(); ++rank)
    if (std::string why = broken(lowered, rank, values[rank]); !why.empty())
      return {Outcome::kOutside, std::move(why)};
  for (size_t rank = 0; rank < values.size(); ++rank) {
    const std::string found = difference(
        of_ranks[rank].values, values[rank][static_cast<size_t>(lowered.result(rank))].values,
        recorded.coarsest);
    if (found.empty()) continue;
    for (size_t other = 0; other < values.size(); ++other)
      if (const std::string fn = undefined_function(lowered, other, values[other]); !fn.empty())
        return {Outcome::kOutside, "a function that is not defined: " + fn};
    return {Outcome::kDiffers, "rank " + std::to_string(rank) + ": " + found};
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
