// Builtins whose arguments have labelled dimensions: contractions, and functions on blocks.
#include <algorithm>
#include <cctype>
#include <optional>

#include "shared_ir/lower/build/contract.h"
#include "shared_ir/lower/build/labels.h"
#include "shared_ir/lower/builtins/broadcast.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

// Valid until the next call.
const BoundLabels& bound_labels(Call& call, const std::string& text,
                                const std::vector<CoreId>& operands) {
  std::vector<Shape> shapes;
  for (CoreId operand : operands) shapes.push_back(call.builder().shape(operand));
  const BoundLabels* bound = call.context().labels.bind(text, shapes);
  if (bound == nullptr) call.fail("malformed labels \"" + text + "\"");
  if (!bound->error.empty()) call.fail(bound->error + " in \"" + text + "\"");
  return *bound;
}

std::vector<CoreId> operands_from(Call& call, size_t first) {
  std::vector<CoreId> operands;
  for (size_t i = first; i < call.size(); ++i) operands.push_back(call.tensor(i));
  return operands;
}

Value einsum(Call& call) {
  std::vector<CoreId> operands = operands_from(call, 1);
  const BoundLabels& bound = bound_labels(call, call.text(0), operands);
  auto labels = [](const std::vector<BoundLabels::Dim>& dims) {
    std::vector<int32_t> result;
    for (const BoundLabels::Dim& dim : dims) result.push_back(dim.label);
    return result;
  };
  std::vector<Factor> factors;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (call.builder().dtype(operands[i]) != call.builder().dtype(operands[0]))
      call.fail("the operands' dtypes differ");
    factors.push_back({operands[i], labels(bound.operands[i])});
  }
  return tensor_value(contract(call.builder(), factors, labels(bound.output)));
}

// PyTorch's notation: one letter a dimension, "bij,bjk->bik".
Value einsum_of(Call& call) {
  const std::string& equation = call.text(0);
  if (equation.find("->") == std::string::npos) call.unsupported("an equation without ->");
  std::string spaced;
  for (size_t i = 0; i < equation.size(); ++i) {
    const bool letter = std::isalpha(static_cast<unsigned char>(equation[i])) != 0;
    spaced += letter ? " " + equation.substr(i, 1) + " " : equation.substr(i, 1);
    if (equation[i] == '.' && (i + 1 == equation.size() || equation[i + 1] != '.')) spaced += " ";
  }
  std::vector<Value> arguments{Value{spaced}};
  for (const CoreId operand : call.tensors(1)) arguments.push_back(tensor_value(operand));
  Call labelled(call.context(), "einsum", std::move(arguments));
  return einsum(labelled);
}

// As torch.matmul: vectors are a row at the left and a column at the right, leading dimensions
// broadcast.
Value matmul(Call& call) {
  Builder& builder = call.builder();
  CoreId sides[] = {call.tensor(0), call.tensor(1)};
  const bool row = builder.rank(sides[0]) == 1, column = builder.rank(sides[1]) == 1;
  if (builder.rank(sides[0]) == 0 || builder.rank(sides[1]) == 0) call.fail("a scalar");
  if (row) sides[0] = builder.reshape(sides[0], {1, builder.shape(sides[0])[0]});
  if (column) sides[1] = builder.reshape(sides[1], {builder.shape(sides[1])[0], 1});
  std::vector<Shape> leading;
  for (const CoreId side : sides)
    leading.emplace_back(builder.shape(side).begin(), builder.shape(side).end() - 2);
  const Shape batch = broadcast_shape(call, leading);
  for (CoreId& side : sides) {
    const Shape own = builder.shape(side);
    // A matrix that is shared by all has no leading dimensions of its own.
    if (own.size() == 2) continue;
    Shape to = batch;
    to.insert(to.end(), own.end() - 2, own.end());
    side = broadcast_to(builder, side, to);
  }
  const auto text = [&](CoreId side, const std::string& labels) {
    return builder.rank(side) == 2 ? labels : "... " + labels;
  };
  const std::string output =
      std::string(batch.empty() ? "" : "... ") + (row ? "" : "i ") + (column ? "" : "j");
  if (row) sides[0] = builder.reshape(sides[0], {builder.shape(sides[0])[1]});
  if (column) sides[1] = builder.reshape(sides[1], {builder.shape(sides[1])[0]});
  Call product(call.context(), "matmul",
               {Value{(row ? "k" : text(sides[0], "i k")) + ", " +
                      (column ? "k" : text(sides[1], "k j")) + " -> " + output},
                tensor_value(sides[0]), tensor_value(sides[1])});
  return einsum(product);
}

// Contracting dims are multiplied and summed, batch dims are shared; the result has batch, left,
// right dims.
Value dot_general(Call& call) {
  Builder& builder = call.builder();
  Factor factors[2];
  std::vector<int32_t> batch, free[2];
  int32_t next = 0;
  for (int side : {0, 1}) {
    factors[side].tensor = call.tensor(side);
    factors[side].labels.assign(builder.rank(factors[side].tensor), kNone);
  }
  for (bool contracting : {false, true}) {
    size_t first = contracting ? 2 : 4;
    std::vector<Int> left = call.integers(first), right = call.integers(first + 1);
    if (left.size() != right.size()) call.fail("the operands name different numbers of dimensions");
    for (size_t i = 0; i < left.size(); ++i, ++next) {
      Int sizes[2];
      for (int side : {0, 1}) {
        Int dim = call.existing_dim((side ? right : left)[i], builder.rank(factors[side].tensor));
        if (factors[side].labels[dim] != kNone) call.fail("a dimension is named twice");
        factors[side].labels[dim] = next;
        sizes[side] = builder.shape(factors[side].tensor)[dim];
      }
      if (sizes[0] != sizes[1]) call.fail("paired dimensions have different sizes");
      if (!contracting) batch.push_back(next);
    }
  }
  for (int side : {0, 1})
    for (int32_t& label : factors[side].labels)
      if (label == kNone) free[side].push_back(label = next++);
  if (builder.dtype(factors[0].tensor) != builder.dtype(factors[1].tensor))
    call.fail("the operands' dtypes differ");
  std::vector<int32_t> output = batch;
  for (int side : {0, 1}) output.insert(output.end(), free[side].begin(), free[side].end());
  return tensor_value(contract(builder, {factors[0], factors[1]}, output));
}

Value emit_block(Call& call, const std::vector<CoreId>& operands, size_t first,
                 const BoundLabels& bound, DType dtype) {
  auto dims_of = [](const std::vector<BoundLabels::Dim>& dims) {
    std::vector<BlockSpec::Dim> result;
    for (const BoundLabels::Dim& dim : dims) result.push_back({dim.label, dim.whole});
    return result;
  };
  BlockSpec spec;
  Shape shape;
  for (const auto& dims : bound.operands) spec.operands.push_back(dims_of(dims));
  spec.output = dims_of(bound.output);
  for (const BoundLabels::Dim& dim : bound.output) shape.push_back(bound.sizes[dim.label]);
  return tensor_value(call.builder().block(call.text(0), std::move(spec), operands, dtype, shape,
                                           call.linear_operands(first)));
}

Value block(Call& call) {
  std::vector<CoreId> operands = operands_from(call, 2);
  const BoundLabels& bound = bound_labels(call, call.text(1), operands);
  return emit_block(call, operands, 2, bound, call.builder().dtype(operands[0]));
}

Value int_block(Call& call) {
  std::vector<CoreId> operands = operands_from(call, 2);
  return emit_block(call, operands, 2, bound_labels(call, call.text(1), operands), DType::kInt64);
}

Value emit_block_along(Call& call, std::optional<DType> dtype) {
  Builder& builder = call.builder();
  std::vector<CoreId> operands = operands_from(call, 2);
  const Shape shape = builder.shape(operands[0]);
  auto rank = static_cast<Int>(shape.size());
  std::vector<Int> whole = call.dims_or_all(1, rank);
  BoundLabels bound;
  bound.output.resize(rank);
  bound.sizes.resize(rank);
  int32_t next_whole = 0, next_parallel = static_cast<int32_t>(whole.size());
  for (Int dim = 0; dim < rank; ++dim) {
    bool is_whole = std::binary_search(whole.begin(), whole.end(), dim);
    bound.output[dim] = {is_whole ? next_whole++ : next_parallel++, is_whole};
    bound.sizes[bound.output[dim].label] = shape[dim];
  }
  for (CoreId operand : operands)
    if (builder.shape(operand) != shape) call.fail("the operands' shapes differ");
  bound.operands.assign(operands.size(), bound.output);
  return emit_block(call, operands, 2, bound, dtype.value_or(builder.dtype(operands[0])));
}

Value block_along(Call& call) { return emit_block_along(call, {}); }
Value int_block_along(Call& call) { return emit_block_along(call, DType::kInt64); }

constexpr Builtin kLabelledBuiltins[] = {
    {"einsum", 2, kAnyNumber, einsum, Effect::kContracts,
     "einsum(\"... i k, k j -> ... i j\", a, b): the product, summed over what the result lacks"},
    {"einsum_of", 2, 2, einsum_of, Effect::kContracts,
     "einsum_of(\"bij,bjk->bik\", list): in PyTorch's notation"},
    {"matmul", 2, 2, matmul, Effect::kContracts,
     "matmul(a, b): matrices in the last two dimensions, vectors in one"},
    {"dot_general", 6, 6, dot_general, Effect::kContracts,
     "dot_general(a, b, a contracts, b contracts, a batch, b batch)"},
    {"block", 3, kAnyNumber, block, Effect::kMaps,
     "block(fn, \"... d* -> ... d*\", x, ...): fn of the starred dimensions, for each coordinate "
     "of the others"},
    {"int_block", 3, kAnyNumber, int_block, Effect::kSelects,
     "int_block(fn, labels, x, ...): a block whose results are int64"},
    {"block_along", 3, kAnyNumber, block_along, Effect::kMaps,
     "block_along(fn, dims, x, ...): a block over these dimensions of operands of one shape"},
    {"int_block_along", 3, kAnyNumber, int_block_along, Effect::kSelects,
     "int_block_along(fn, dims, x, ...): such a block whose results are int64"},
};

}  // namespace

std::span<const Builtin> labelled_builtins() { return kLabelledBuiltins; }

}  // namespace assay::lowering
