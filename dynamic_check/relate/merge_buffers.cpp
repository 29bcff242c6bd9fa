#include "dynamic_check/relate/merge_buffers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "dynamic_check/relate/overlaps_and_gaps.h"

namespace assay {
namespace {

std::optional<MergeFault> check_leaves(const LeafBuffers& leaves) {
  for (const auto& [name, leaf] : leaves) {
    if (!leaf)
      return MergeFault{"omission", fmt::format("{}@{} was not recorded", name.first, name.second)};
    const auto& [first_name, first] = *leaves.begin();
    if (leaf->dtype != first->dtype) {
      return MergeFault{"dtype", fmt::format("{}@{} is {}, {}@{} is {}", first_name.first,
                                             first_name.second, to_string(first->dtype), name.first,
                                             name.second, to_string(leaf->dtype))};
    }
  }
  return std::nullopt;
}

// Whether each leaf stands there once and nothing is padded: then no element can be added to
// itself, and none is made of padding.
bool is_plain(const CleanExpr& expr, std::set<RankTensorName>& seen) {
  if (expr.kind == CleanExpr::Kind::kTensor) return seen.emplace(expr.name, expr.rank).second;
  return expr.kind != CleanExpr::Kind::kPad &&
         std::ranges::all_of(expr.operands,
                             [&](const CleanExpr& operand) { return is_plain(operand, seen); });
}

}  // namespace

MergeRules check_merge(const CleanExpr& expr, const Shape& shape, const LeafBuffers& leaves) {
  if (auto fault = check_leaves(leaves)) return {std::move(fault), false};
  Shape found;
  try {
    found = infer_shape(
        expr, [&](const std::string& name, Rank rank) { return leaves.at({name, rank})->shape; },
        {});
  } catch (const UserError& error) {
    return {MergeFault{"shape", error.message()}, false};
  }
  MergeRules rules;
  if (std::set<RankTensorName> seen; !is_plain(expr, seen)) {
    const TakenElements taken(expr, leaves);
    if (taken.overlaps())
      return {MergeFault{"overlap", fmt::format("{} adds an element to itself", to_string(expr))},
              false};
    rules.has_padding = taken.has_gaps();
  }
  if (found != shape) {
    rules.fault =
        MergeFault{"shape", fmt::format("{} has shape [{}], expected [{}]", to_string(expr),
                                        fmt::join(found, ", "), fmt::join(shape, ", "))};
  }
  return rules;
}

}  // namespace assay
