#include "tests/declarations/open_elements.h"

#include <ATen/ops/gather.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isinf.h>

#include <algorithm>
#include <map>

#include "dynamic_check/kernels/boxed_call.h"
#include "shared_ir/base/error.h"
#include "tests/declarations/elements.h"

namespace assay::test {
namespace {

// Operators that look elements up in rows that ascend, and which operand has the rows.
const std::map<std::string, size_t> kAscending = {
    {"aten.bucketize.Tensor", 1},
    {"aten.searchsorted.Tensor", 0},
};

// An operator that writes, and the one that adds the same values at the same places.
const std::map<std::string, std::string> kAdding = {
    {"aten.index_put.default", "aten.index_put.default"},
    {"aten._unsafe_index_put.default", "aten._unsafe_index_put.default"},
    {"aten.index_copy.default", "aten.index_add.default"},
    {"aten.put.default", "aten.put.default"},
    {"aten.scatter.src", "aten.scatter_add.default"},
};

bool excludes(const CoreProgram& program, std::string_view what) {
  return std::ranges::any_of(
      program.notes, [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

// How often the call writes each element of its result: ones, added to zeros.
at::Tensor times_written(const DrawnCall& call) {
  Graph graph = call.graph;
  Node adding = call.kernel;
  adding.op = kAdding.at(call.kernel.op);
  if (adding.op.find("put") != std::string::npos) {
    adding.args.resize(3);
    adding.args.push_back({true});
    adding.kwargs.clear();
  }
  const TensorId target = graph.inputs.front(), source = graph.inputs.back();
  for (const TensorId id : {target, source})
    graph.tensors[static_cast<size_t>(id)].dtype = DType::kInt64;
  // One element is copied whatever its number of dimensions, but not added.
  const size_t rank = graph.tensors[static_cast<size_t>(target)].shape.size();
  const auto value = [&](TensorId id) {
    const auto place = static_cast<size_t>(id);
    ReferenceTensor given = call.values[place];
    if (id == target || id == source) std::ranges::fill(given.values, id == source ? 1 : 0);
    if (id == source && adding.op == "aten.index_add.default" && given.values.size() == 1)
      given.shape = Shape(rank, 1);
    return tensor_of(graph.tensors[place], given);
  };
  return run_operator(graph, adding, value, Arithmetic::kFloat64).at(0);
}

bool descends(const ReferenceTensor& rows) {
  const size_t size = rows.shape.empty() ? 1 : static_cast<size_t>(rows.shape.back());
  for (size_t i = 0; i < rows.values.size(); ++i)
    if (i % size != 0 && !(rows.values[i - 1] <= rows.values[i])) return true;
  return false;
}

// Whether a row in which the call looks elements up descends somewhere.
bool looks_up_in_disorder(const DrawnCall& call) {
  const auto found = kAscending.find(call.kernel.op);
  if (found == kAscending.end() || found->second >= call.kernel.args.size()) return false;
  const auto* rows = std::get_if<TensorArg>(&call.kernel.args[found->second].value);
  return rows != nullptr && descends(call.values[static_cast<size_t>(rows->id)]);
}

// Where the exponentials that are added up vanish in double precision, as those of a kernel that
// shifts them do not.
at::Tensor vanished(const at::Tensor& kernel, const ReferenceTensor& declared) {
  const at::Tensor own = tensor_of({"", DType::kFloat32, declared.shape}, declared);
  return at::isinf(own).logical_and(at::isfinite(kernel));
}

// Where two lists of places along the dimension of a topk name equal elements.
at::Tensor equal_elements(const DrawnCall& call, const at::Tensor& places,
                          const ReferenceTensor& others) {
  const at::Tensor x = tensor_of(call.graph.tensors[0], call.values[0]);
  const Node& node = call.kernel;
  const int64_t dim = node.args.size() > 2 ? std::get<int64_t>(node.args[2].value) : -1;
  const at::Tensor other = tensor_of({"", DType::kInt64, others.shape}, others);
  return at::gather(x, dim, places).eq(at::gather(x, dim, other));
}

}  // namespace

ReferenceTensor without_open_elements(const DrawnCall& call, const CoreProgram& program,
                                      const std::vector<at::Tensor>& kernel, size_t i,
                                      ReferenceTensor declared) {
  at::Tensor open;
  if (looks_up_in_disorder(call) && excludes(program, " ascend"))
    return {declared.shape, values_of(kernel[i]).values};
  if (kAdding.contains(call.kernel.op) && excludes(program, "writes no element twice"))
    open = times_written(call).gt(1);
  else if (call.kernel.op == "aten.topk.default" && i == 1 && kernel[i].dim() > 0 &&
           excludes(program, "equal elements of a row in one order"))
    open = equal_elements(call, kernel[i], declared);
  else if (call.kernel.op == "aten.logcumsumexp.default")
    open = vanished(kernel[i], declared);
  else
    return declared;
  const std::vector<double> flags = values_of(open).values, given = values_of(kernel[i]).values;
  ASSAY_CHECK(flags.size() == declared.values.size(), "a flag for each element");
  for (size_t k = 0; k < flags.size(); ++k)
    if (flags[k] != 0) declared.values[k] = given[k];
  return declared;
}

}  // namespace assay::test
