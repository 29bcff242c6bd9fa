#include "shared_ir/capture/record/scatter_view.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "shared_ir/capture/torch/arguments.h"

namespace assay {
namespace {

int64_t int_arg(const Node& node, size_t position, int64_t otherwise) {
  if (position >= node.args.size() || node.args[position].is_none()) return otherwise;
  return std::get<int64_t>(node.args[position].value);
}

std::vector<int64_t> ints_arg(const Node& node, size_t position) {
  std::vector<int64_t> ints;
  for (const Arg& arg : std::get<ArgList>(node.args.at(position).value)) {
    ints.push_back(std::get<int64_t>(arg.value));
  }
  return ints;
}

Arg tensor(TensorId id) { return {TensorArg{id}}; }

// Views that keep the row-major order of all elements.
bool keeps_order(std::string_view op) {
  static constexpr std::array<std::string_view, 9> kOps = {
      "aten.view.default",    "aten._unsafe_view.default", "aten.unsqueeze.default",
      "aten.squeeze.default", "aten.squeeze.dim",          "aten.squeeze.dims",
      "aten.alias.default",   "aten.detach.default",       "aten._reshape_alias.default"};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

OperatorCall slice_scatter(TensorId base, TensorId written, int64_t dim, int64_t start, int64_t end,
                           int64_t step) {
  return {"aten.slice_scatter.default",
          {tensor(base), tensor(written), {dim}, {start}, {end}, {step}}};
}

OperatorCall inverse_permute(const Node& view, TensorId written) {
  const std::vector<int64_t> dims = ints_arg(view, 1);
  const auto rank = static_cast<int64_t>(dims.size());
  std::vector<int64_t> inverse(dims.size());
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t dim = dims[static_cast<size_t>(i)];
    inverse[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = i;
  }
  return {"aten.permute.default", {tensor(written), int_list(inverse)}};
}

}  // namespace

std::optional<OperatorCall> scatter_view(const Node& view, int32_t output, TensorId base,
                                         const Shape& base_shape, TensorId written) {
  const auto size = [&](int64_t dim) {
    return base_shape.at(static_cast<size_t>(dim < 0 ? dim + std::ssize(base_shape) : dim));
  };
  if (keeps_order(view.op)) {
    return OperatorCall{"aten.view.default", {tensor(written), int_list(base_shape)}};
  }
  if (view.op == "aten.t.default") return OperatorCall{view.op, {tensor(written)}};
  if (view.op == "aten.transpose.int") {
    return OperatorCall{view.op, {tensor(written), view.args.at(1), view.args.at(2)}};
  }
  if (view.op == "aten.permute.default") return inverse_permute(view, written);
  if (view.op == "aten.slice.Tensor") {
    const int64_t dim = int_arg(view, 1, 0);
    return slice_scatter(base, written, dim, int_arg(view, 2, 0), int_arg(view, 3, size(dim)),
                         int_arg(view, 4, 1));
  }
  if (view.op == "aten.select.int") {
    return OperatorCall{"aten.select_scatter.default",
                        {tensor(base), tensor(written), view.args.at(1), view.args.at(2)}};
  }
  if (view.op == "aten.unbind.int") {
    return OperatorCall{"aten.select_scatter.default",
                        {tensor(base), tensor(written), {int_arg(view, 1, 0)}, {int64_t{output}}}};
  }
  if (view.op == "aten.split.Tensor") {
    const int64_t length = int_arg(view, 1, 1);
    const int64_t dim = int_arg(view, 2, 0);
    const int64_t start = length * output;
    return slice_scatter(base, written, dim, start, std::min(start + length, size(dim)), 1);
  }
  if (view.op == "aten.split_with_sizes.default") {
    const std::vector<int64_t> lengths = ints_arg(view, 1);
    int64_t start = 0;
    for (int32_t i = 0; i < output; ++i) start += lengths[static_cast<size_t>(i)];
    return slice_scatter(base, written, int_arg(view, 2, 0), start,
                         start + lengths.at(static_cast<size_t>(output)), 1);
  }
  if (view.op == "aten.diagonal.default") {
    ArgList args = {tensor(base), tensor(written)};
    args.insert(args.end(), view.args.begin() + 1, view.args.end());
    return OperatorCall{"aten.diagonal_scatter.default", std::move(args)};
  }
  return std::nullopt;
}

}  // namespace assay
