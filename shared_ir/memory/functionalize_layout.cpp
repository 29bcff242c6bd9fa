// Calls that depend on how tensors lie in memory, or change it.
#include <algorithm>

#include <fmt/format.h>

#include "shared_ir/memory/functionalize.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::memory {
namespace {

std::vector<Int> integers(const Arg* arg) {
  std::vector<Int> result;
  if (arg == nullptr) return result;
  if (const auto* list = std::get_if<ArgList>(&arg->value))
    for (const Arg& element : *list)
      if (const auto* integer = std::get_if<Int>(&element.value)) result.push_back(*integer);
  return result;
}

bool is_given(const Arg* arg) { return arg != nullptr && !arg->is_none(); }

}  // namespace

void Functionalizer::run_relayout(const Node& node, const OperatorSchema& schema, TensorId tensor,
                                  std::vector<CoreId>& value_of) {
  const OperatorDeclaration* functional =
      schema.functional.empty() ? nullptr : operators_.find(schema.functional);
  const std::optional<OperatorSchema> view =
      schema.functional.empty() ? std::nullopt : torch_schema(schema.functional);
  const TensorId output = node.outputs.empty() ? kNone : node.outputs[0];
  std::optional<MovedOperand> moved;
  if (functional != nullptr && view && !view->strides && !view->results.empty() &&
      view->results[0].sharing == Sharing::kView) {
    const Node call = functional_call(node, schema);
    context_.site.node = &call;
    const Tensor& recorded = graph_.tensors[tensor];
    moved = moved_operands(context_, *functional, {{&recorded}, {}}, values_)[0];
    context_.site.node = &node;
  }
  if (!moved || moved->operand != tensor) {
    memory_.lose(tensor, node, "has given it other sizes, strides or memory");
    if (output == kNone) return;
    memory_.same(output, tensor);
    context_.site.fail("its result depends on how memory lies, which is not known here",
                       "capture a functional graph");
  }
  const CoreId value = replay(context_.builder, values_[tensor], moved->movements);
  memory_.relayout(tensor, moved->movements, value, node);
  values_[tensor] = value;
  if (output == kNone) return;
  memory_.same(output, tensor);
  set(output, value, value_of);
}

// The result is a view by sizes and strides: of the operand, where they only cut its dimensions
// anew, or else of its whole memory.
void Functionalizer::run_strided(const Node& node, const OperatorSchema& schema,
                                 std::vector<CoreId>& value_of) {
  const TensorId output = node.outputs.empty() ? kNone : node.outputs[0];
  if (output == kNone) return;
  const auto refuse = [&] {
    context_.site.fail(
        "depends on how its operand lies in memory, which is not known here",
        "record the strides of tensors, and of an input make a copy first, as nothing "
        "says where it starts; or capture slices, permutations and reshapes");
  };
  if (schema.results.size() != 1 || schema.results[0].sharing != Sharing::kView) refuse();
  const std::vector<TensorId> operands =
      tensors_of(argument(node, schema, schema.parameters[schema.results[0].parameter].name));
  const Arg* offset = argument(node, schema, "storage_offset");
  Strided wanted{0, integers(argument(node, schema, "size")),
                 integers(argument(node, schema, "stride"))};
  if (operands.size() != 1 || wanted.sizes.size() != wanted.strides.size()) refuse();
  const TensorId operand = operands[0];
  const std::optional<Strided> own = memory_.layout(operand);
  if (!own) refuse();
  wanted.offset = own->offset;
  const Shape& shape = context_.builder.shape(values_[operand]);
  if (!is_given(offset) && element_count(shape) == element_count(wanted.sizes)) {
    const Movements cut = {{Prim::kReshape, {}, shape, wanted.sizes}};
    const std::optional<Strided> as_cut = moved(*own, cut);
    if (as_cut && are_same(*as_cut, wanted)) {
      const CoreId value = replay(context_.builder, values_[operand], cut);
      memory_.view(output, operand, cut, value);
      return set(output, value, value_of);
    }
  }
  if (is_given(offset)) {
    const auto* integer = std::get_if<Int>(&offset->value);
    if (integer == nullptr) refuse();
    wanted.offset = *integer;
  }
  const std::optional<Movements> movements = memory_.movements_to_layout(operand, wanted);
  if (!movements) refuse();
  set(output, memory_.view_of_whole(output, operand, *movements, context_.site), value_of);
}

}  // namespace assay::memory
