#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <set>

#include "shared_ir/operator_table/schema.h"
#include "tests/differential/program.h"
#include "tests/differential/schema_call.h"

namespace assay::test {
namespace {

const std::set<std::string> kLeftOut = {
    // Kernels of PyTorch that write beyond their results.
    "aten.log_sigmoid.out",
    "aten.log_sigmoid_forward.output",
    "aten.linear.out",
    // Its elements go where the mean of them will: beside a view of one element.
    "aten.binary_cross_entropy.out",
    // Jumps where zeros have signs, or values are almost equal.
    "aten.atan2.default",
    "aten.atan2.out",
    "aten.atan2",
    "aten.arctan2",
    "aten.remainder.Scalar",
    // Of boundaries that ascend.
    "aten.bucketize.Tensor",
    "aten.searchsorted.Tensor",
    // Loses what is below the last place of its greater operand: a quotient of it is then none.
    "aten.logaddexp2.default",
    // Equal elements may come in another order, and of several that are written to one place,
    // another one may stay.
    "aten.sort.default",
    "aten.sort.values",
    "aten.argsort.default",
    "aten.topk.default",
    "aten.topk",
    "aten.topk.values",
    "aten.put.default",
    "aten.put",
    "aten.index_put.default",
    "aten.index_put",
    "aten.scatter.src",
    "aten.index_copy.default",
    "aten.index_copy",
};

// Memory that nothing has written has no values to compare.
bool leaves_memory_unwritten(const std::string& op) {
  return op.find("empty") != std::string::npos || op.find("resize") != std::string::npos;
}

}  // namespace

ProgramOperators operators_of_programs(const OperatorTable& declared) {
  const auto usable = [&](const std::string& op) {
    return !kLeftOut.contains(op) && !leaves_memory_unwritten(op) && has_drawable_schema(op);
  };
  ProgramOperators found{declared, {}, {}, {}};
  for (const std::string& name : declared.names())
    if (usable(name)) found.pure.push_back(name);
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const std::string base = "aten." + name.name.substr(6);
    const std::string op =
        base + "." + (name.overload_name.empty() ? "default" : name.overload_name);
    const auto schema = memory::torch_schema(op);
    if (!schema || !usable(op)) continue;
    const auto shares = [](const memory::SchemaResult& result) {
      return result.sharing == memory::Sharing::kView ||
             result.sharing == memory::Sharing::kViewOrCopy;
    };
    if (schema->writes()) {
      const std::string functional(schema->functional);
      if (!functional.empty() && !kLeftOut.contains(functional) &&
          declared.find(functional) != nullptr)
        found.writers.push_back(op);
    } else if (std::ranges::any_of(schema->results, shares)) {
      found.views.push_back(op);
    }
  }
  std::ranges::sort(found.views);
  std::ranges::sort(found.writers);
  return found;
}

}  // namespace assay::test
