#include "shared_ir/lower/node/rounded_integers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "shared_ir/cast.h"
#include "shared_ir/lower/builtins/constant_values.h"

namespace assay::lowering {
namespace {

bool is_narrow(DType dtype) { return is_floating(dtype) && byte_size(dtype) < 4; }

bool is_rounded(double value, DType dtype) {
  return std::isfinite(value) && std::abs(value) >= 16 && value == std::floor(value) &&
         nearest_number(value, dtype) != value;
}

// Whether the node computes with a number, where its result is one.
bool computes_with_numbers(const Context& context, const std::vector<CoreId>& values) {
  for (const Arg& arg : context.site.node->args)
    if (const auto* tensor = std::get_if<TensorArg>(&arg.value)) {
      const CoreOp& of = context.builder.op(values[static_cast<size_t>(tensor->id)]);
      if (of.prim == Prim::kConst && is_narrow(of.dtype)) return true;
    }
  return false;
}

}  // namespace

std::optional<std::string> rounded_integers(const Context& context, const Results& results,
                                            const std::vector<CoreId>& values_of) {
  Builder& builder = context.builder;
  for (const auto& ids : {results.returns, results.writes})
    for (const CoreId id : ids) {
      if (id == kNone || !is_narrow(builder.dtype(id))) continue;
      if (builder.op(id).prim == Prim::kConst && !computes_with_numbers(context, values_of))
        continue;
      const auto values = constant_values(builder.program(), id);
      if (!values) {
        if (!builder.op(id).operands.empty())
          if (const auto most = builder.largest_constant(id);
              most && *most > 2 / machine_epsilon(builder.dtype(id)))
            return fmt::format(
                "its numbers are too many to look at, and may be larger than {} holds",
                to_string(builder.dtype(id)));
        continue;
      }
      const auto rounded = std::ranges::find_if(
          *values, [&](double value) { return is_rounded(value, builder.dtype(id)); });
      if (rounded != values->end())
        return fmt::format("{} is a number that {} does not hold", *rounded,
                           to_string(builder.dtype(id)));
    }
  return std::nullopt;
}

}  // namespace assay::lowering
