#include "shared_ir/capture/record/view_in_place.h"

#include <algorithm>

#include "shared_ir/capture/record/functional_form.h"
#include "shared_ir/operator_table/schema.h"

namespace assay {
namespace {

// resize_ to as many elements is a view; `sizes` is a list of integers.
bool keeps_elements(const at::Tensor& operand, const Arg& sizes) {
  const auto* list = std::get_if<ArgList>(&sizes.value);
  if (list == nullptr || !operand.is_contiguous()) return false;
  int64_t count = 1;
  for (const Arg& size : *list) count *= std::get<int64_t>(size.value);
  return count == operand.numel();
}

}  // namespace

std::optional<ViewCall> view_in_place(const c10::OperatorHandle& op, const at::Tensor& operand,
                                      ArgList args) {
  const c10::OperatorName& name = op.operator_name();
  if (name.name == "aten::resize_") {
    if (!keeps_elements(operand, args.at(1))) return std::nullopt;
    args.resize(2);
    return ViewCall{"aten.view.default", std::move(args)};
  }
  const auto schema = memory::torch_schema(graph_name(name));
  if (!schema || schema->functional.empty()) return std::nullopt;
  const auto twin = memory::torch_schema(schema->functional);
  const bool views = twin && std::ranges::any_of(twin->results, [](const auto& result) {
                       return result.sharing == memory::Sharing::kView;
                     });
  if (!views) return std::nullopt;
  const bool overloaded = std::ranges::count(schema->functional, '.') > 1;
  return ViewCall{std::string(schema->functional) + (overloaded ? "" : ".default"),
                  std::move(args)};
}

}  // namespace assay
