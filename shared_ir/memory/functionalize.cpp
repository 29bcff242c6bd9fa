#include "shared_ir/memory/functionalize.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace assay::memory {

using lowering::Recorded;
using lowering::Results;

namespace {

bool is_set(const Arg* arg) {
  const bool* flag = arg ? std::get_if<bool>(&arg->value) : nullptr;
  return flag != nullptr && *flag;
}

}  // namespace

Functionalizer::Functionalizer(const Graph& graph, const OperatorTable& operators,
                               lowering::Context& context)
    : graph_(graph),
      operators_(operators),
      context_(context),
      memory_(graph, context.builder),
      in_flight_(memory_, context.builder) {
  needed_ = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                        [this](const Node& node) { return needs_memory(node); });
  if (needed_) values_.assign(graph.tensors.size(), kNone);
}

const OperatorSchema& Functionalizer::schema_of(const Node& node) {
  const auto found = schemas_.find(node.op);
  if (found != schemas_.end()) return found->second;
  return schemas_.emplace(node.op, memory::schema_of(node.op, operators_.find(node.op)))
      .first->second;
}

bool Functionalizer::needs_memory(const Node& node) {
  const OperatorSchema& schema = schema_of(node);
  return schema.strides || is_unknown(graph_, node, schema) ||
         !written_by(graph_, node, schema).empty() ||
         (schema.communicates && operators_.find(node.op) == nullptr) || is_used_in_flight(node);
}

void Functionalizer::add_input(TensorId input, CoreId value) {
  if (!needed_) return;
  memory_.own(input, value);
  const Tensor& recorded = graph_.tensors[input];
  if (recorded.strides && may_overlap_itself({0, recorded.shape, *recorded.strides}))
    memory_.may_overlap(input);
  values_[input] = value;
}

void Functionalizer::set(TensorId output, CoreId value, std::vector<CoreId>& value_of) {
  values_[output] = value;
  if (value_of[output] == kNone)
    value_of[output] = fitting(context_, value, graph_.tensors[output]);
}

bool Functionalizer::run(const Node& node, const OperatorDeclaration* declaration,
                         const Recorded& recorded, std::vector<CoreId>& value_of) {
  for (const TensorId operand : operands_of(node)) read(operand);
  const OperatorSchema& schema = schema_of(node);
  // Equal operands do not make equal results, as those of an opaque function are.
  if (schema.communicates && declaration == nullptr &&
      operators_.find(schema.functional) == nullptr)
    context_.site.fail("communicates between ranks, and no declaration says what",
                       "declare the operator, or capture functional collectives");
  const std::vector<TensorId> written = written_by(graph_, node, schema);
  use_in_flight(node, schema, written);
  if (!written.empty()) writers_.push_back(&node);
  if (schema.relayout && written.size() == 1) {
    run_relayout(node, schema, written[0], value_of);
    return true;
  }
  if (!written.empty()) {
    run_in_place(node, declaration, schema, written, recorded, value_of);
    issue(node);
    return true;
  }
  if (schema.strides) {
    run_strided(node, schema, value_of);
    return true;
  }
  if (is_unknown(graph_, node, schema))
    for (const TensorId operand : operands_of(node))
      memory_.lose(operand, node,
                   "may have written it: neither a schema nor a declaration says what it writes",
                   "declare what the operator writes ([operators] of the case: name! and "
                   "writes.name), or capture a functional graph");
  return false;
}

void Functionalizer::check_overlaps(const Node& node, const OperatorSchema& schema,
                                    const std::vector<TensorId>& written) const {
  const auto refuse = [&](TensorId a, TensorId b) {
    context_.site.fail(fmt::format("writes '{}' and takes '{}', which may lie in the same memory",
                                   graph_.tensors[a].name, graph_.tensors[b].name),
                       "its result would depend on the order in which it goes through the "
                       "elements; copy one of them");
  };
  for (size_t i = 0; i < written.size(); ++i) {
    if (memory_.may_overlap_itself(written[i]))
      context_.site.fail(fmt::format(
          "writes '{}', {}several elements of which may be one in memory",
          graph_.tensors[written[i]].name,
          memory_.layout(written[i]) ? "" : "which may be what its operator has read, or "));
    for (size_t j = i + 1; j < written.size(); ++j)
      if (memory_.overlap(written[i], written[j]) != Memory::Overlap::kNone)
        refuse(written[i], written[j]);
    for (const TensorId other : only_read_by(node, schema)) {
      const Memory::Overlap overlap = memory_.overlap(written[i], other);
      if (overlap == Memory::Overlap::kNone) continue;
      if (overlap == Memory::Overlap::kUnknown || !schema.pointwise) refuse(written[i], other);
    }
  }
}

Results Functionalizer::results_in_place(const Node& node, const OperatorDeclaration* declaration,
                                         const OperatorSchema& schema, const Recorded& recorded) {
  lowering::Site& site = context_.site;
  if (schema.unwritten) {
    Results results{std::vector<CoreId>(recorded.returns.size(), kNone), {}};
    for (const Tensor* memory : recorded.writes)
      results.writes.push_back(context_.builder.uninit(memory->dtype, memory->shape));
    return results;
  }
  const OperatorDeclaration* functional =
      schema.functional.empty() ? nullptr : operators_.find(schema.functional);
  if (declaration == nullptr && functional != nullptr) {
    const Node call = functional_call(node, schema);
    Recorded returns;
    returns.returns = recorded.writes;
    site.node = &call;
    try {
      Results results = declared_results(context_, *functional, returns, values_);
      site.node = &node;
      return {std::vector<CoreId>(recorded.returns.size(), kNone), std::move(results.returns)};
    } catch (const lowering::Unsupported& unsupported) {
      site.node = &node;
      context_.builder.note_opaque(fmt::format("{} ({})", node.op, unsupported.reason));
      return opaque_results(context_, recorded, values_);
    }
  }
  Results results = results_of(context_, declaration, recorded, values_);
  // A declaration without what is written: by PyTorch's schema something is.
  Recorded rest;
  rest.returns.assign(recorded.returns.size(), nullptr);
  rest.writes = recorded.writes;
  for (size_t i = 0; i < rest.writes.size(); ++i)
    if (results.writes[i] != kNone) rest.writes[i] = nullptr;
  const Results opaque = opaque_results(context_, rest, values_);
  for (size_t i = 0; i < rest.writes.size(); ++i)
    if (results.writes[i] == kNone) results.writes[i] = opaque.writes[i];
  return results;
}

void Functionalizer::run_in_place(const Node& node, const OperatorDeclaration* declaration,
                                  const OperatorSchema& schema,
                                  const std::vector<TensorId>& written, const Recorded& recorded,
                                  std::vector<CoreId>& value_of) {
  check_overlaps(node, schema, written);
  lowering::Builder& builder = context_.builder;
  std::vector<Tensor> memory;
  for (const TensorId tensor : written) {
    memory.push_back(graph_.tensors[tensor]);
    memory.back().shape = builder.shape(values_[tensor]);
  }
  Recorded all = recorded;
  for (const Tensor& tensor : memory) all.writes.push_back(&tensor);
  const auto is_written = [&](size_t output) {
    const size_t i = std::min(output, schema.results.size() - 1);
    return !schema.results.empty() && schema.results[i].sharing == Sharing::kWritten;
  };
  const bool lists = std::ranges::any_of(schema.results, &SchemaResult::list);
  for (size_t i = 0; i < all.returns.size(); ++i) {
    if (i >= schema.results.size() && !lists && (schema.torch || is_written(i)) && all.returns[i])
      context_.site.fail(fmt::format("result {} is recorded as '{}', its schema has {}", i,
                                     all.returns[i]->name, schema.results.size()));
    if (is_written(i)) all.returns[i] = nullptr;
  }
  // What it writes alone is declared of such an operator.
  if (std::ranges::none_of(all.returns, [](const Tensor* one) { return one != nullptr; }))
    all.returns.clear();
  const Results results = results_in_place(node, declaration, schema, all);
  std::vector<CoreId> values;
  for (size_t i = 0; i < written.size(); ++i) {
    CoreId value = results.writes[i];
    // Reductions and their like compute in the type of what they are told to write.
    if (schema.torch && !schema.pointwise &&
        (is_floating(builder.dtype(value)) != is_floating(memory[i].dtype) ||
         is_bool(builder.dtype(value)) != is_bool(memory[i].dtype)))
      context_.site.fail(
          fmt::format("writes {} into '{}', which is {}", to_string(builder.dtype(value)),
                      memory[i].name, to_string(memory[i].dtype)),
          "convert in an operator of its own");
    if (builder.shape(value) != memory[i].shape)
      context_.site.fail(fmt::format("writes {} into '{}', which is {}",
                                     to_string(builder.shape(value)), memory[i].name,
                                     to_string(memory[i].shape)));
    values.push_back(builder.cast(value, memory[i].dtype));
  }
  for (size_t i = 0; i < written.size(); ++i) {
    if (graph_.inputs.size() > 1 && memory_.is_of_input(written[i]))
      builder.note("an input that is written shares its memory with no other input");
    memory_.write(written[i], values[i], node);
    values_[written[i]] = values[i];
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorId output = node.outputs[i];
    if (output == kNone) continue;
    if (!is_written(i)) {
      set(output, results.returns.at(i), value_of);
      add_fresh(output, values_[output], node, schema);
      // A declaration does not say whether it returns what it has written.
      for (size_t w = 0; w < written.size() && !schema.torch; ++w) {
        if (results.returns[i] != results.writes[w]) continue;
        memory_.link(output, written[w], node);
        memory_.may_be_same(output, written[w]);
      }
      continue;
    }
    const SchemaResult& result = schema.results[std::min(i, schema.results.size() - 1)];
    const std::vector<TensorId> tensors =
        tensors_of(argument(node, schema, schema.parameters[result.parameter].name));
    const size_t which = result.list ? i : 0;
    if (which >= tensors.size()) context_.site.fail("returns more tensors than it is given");
    memory_.same(output, tensors[which]);
    set(output, values_[tensors[which]], value_of);
  }
}

void Functionalizer::add_fresh(TensorId output, CoreId value, const Node& node,
                               const OperatorSchema& schema) {
  memory_.own(output, value);
  const Tensor& recorded = graph_.tensors[output];
  if (recorded.strides)
    memory_.lies(output, {0, recorded.shape, *recorded.strides});
  else if (operands_of(node).empty() && !schema.laid_out)
    memory_.lies(output, row_major(recorded.shape));
}

CoreId Functionalizer::add_shared(TensorId output, CoreId value, const Node& node,
                                  const OperatorSchema& schema, const SchemaResult& result,
                                  const std::optional<MovedOperand>& moved) {
  const std::vector<TensorId> operands =
      tensors_of(argument(node, schema, schema.parameters[result.parameter].name));
  const auto may_share = [&] {
    memory_.own(output, value);
    const bool overlaps = std::any_of(operands.begin(), operands.end(), [this](TensorId operand) {
      return memory_.may_overlap_itself(operand);
    });
    if (!moved || repeats(moved->movements) || overlaps) memory_.may_overlap(output);
    for (const TensorId operand : operands) memory_.link(output, operand, node);
    return value;
  };
  // Some return the operand itself where there is nothing to do.
  if (!moved || moved->movements.empty())
    for (const TensorId operand : operands) memory_.may_be_same(output, operand);
  if (operands.size() != 1) return may_share();
  const TensorId operand = operands[0];
  bool is_view = result.sharing == Sharing::kView;
  if (!is_view) {
    if (graph_.tensors[output].dtype != graph_.tensors[operand].dtype) {
      add_fresh(output, value, node, schema);
      return value;
    }
    const std::optional<Strided> layout = memory_.layout(operand);
    is_view = layout && is_row_major(*layout) && !is_set(argument(node, schema, "copy"));
    // What a capture drops of devices and memory formats may ask for a copy.
    for (const char* name : {"memory_format", "device", "layout", "other"})
      is_view = is_view && argument(node, schema, name) == nullptr;
  }
  const std::optional<bool> told =
      is_view || !moved || moved->operand != operand
          ? std::optional<bool>()
          : is_view_by_strides(graph_.tensors[output], operand, moved->movements);
  if (told == false) {
    add_fresh(output, value, node, schema);
    return value;
  }
  if ((is_view || told == true) && moved && moved->operand == operand)
    return memory_.view(output, operand, moved->movements, value);
  return may_share();
}

// Whether a view or a copy was recorded: a view lies where its operand does, and a copy that is
// reshaped lies row-major. nullopt where both would lie alike, or it is not known how they lie.
std::optional<bool> Functionalizer::is_view_by_strides(const Tensor& recorded, TensorId operand,
                                                       const Movements& movements) const {
  const std::optional<Strided> layout = memory_.layout(operand);
  if (!layout) return std::nullopt;
  const std::optional<Strided> as_view = moved(*layout, movements);
  if (!as_view) return false;
  if (!recorded.strides) return std::nullopt;
  const Strided found{0, recorded.shape, *recorded.strides};
  if (!are_same(found, {0, as_view->sizes, as_view->strides})) return false;
  return movements.empty() || is_row_major(found) ? std::nullopt : std::optional(true);
}

void Functionalizer::add_results(const Node& node, const OperatorDeclaration* declaration,
                                 const Recorded& recorded, std::vector<CoreId>& value_of) {
  const OperatorSchema& schema = schema_of(node);
  const bool unknown = is_unknown(graph_, node, schema);
  const bool shares =
      std::any_of(schema.results.begin(), schema.results.end(), [](const SchemaResult& result) {
        return result.sharing == Sharing::kView || result.sharing == Sharing::kViewOrCopy;
      });
  std::vector<std::optional<MovedOperand>> moved(node.outputs.size());
  if (declaration != nullptr && (shares || schema.composite))
    moved = moved_operands(context_, *declaration, recorded, values_);
  std::set<TensorId> linked;  // with each other and the operands
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorId output = node.outputs[i];
    if (output == kNone || memory_.is_known(output)) continue;
    const CoreId value = values_[output] = value_of[output];
    if (shares) {
      const SchemaResult& result = schema.results[std::min(i, schema.results.size() - 1)];
      if (result.sharing != Sharing::kNothing && result.sharing != Sharing::kWritten) {
        values_[output] = value_of[output] =
            add_shared(output, value, node, schema, result, moved[i]);
        continue;
      }
    }
    add_fresh(output, value, node, schema);
    if (unknown || (schema.composite && (declaration == nullptr || moved[i])))
      linked.insert(output), memory_.may_overlap(output);
  }
  issue(node);
  if (linked.empty()) return;
  for (const TensorId output : linked)
    for (const TensorId operand : operands_of(node)) memory_.may_be_same(output, operand);
  for (const TensorId operand : operands_of(node)) linked.insert(operand);
  for (const TensorId other : linked) memory_.link(*linked.begin(), other, node);
}

void Functionalizer::finish(std::vector<CoreId>& value_of) {
  if (!needed_) return;
  in_flight_.finish(graph_.outputs);
  const std::set<TensorId> inputs(graph_.inputs.begin(), graph_.inputs.end());
  for (const TensorId output : graph_.outputs) {
    if (!memory_.is_known(output)) continue;
    context_.site.node = nullptr;
    const CoreId value = read(output);
    if (!writers_.empty()) context_.site.node = writers_.back();
    if (inputs.contains(output) ? value != value_of[output]
                                : context_.builder.shape(value) != graph_.tensors[output].shape)
      context_.site.fail(
          fmt::format("changes '{}', which the graph gives out under the name of {}",
                      graph_.tensors[output].name,
                      inputs.contains(output) ? "an input" : "a tensor of another shape"),
          "give out what the in-place operator returns, or an alias of it that is made after the "
          "last write (aten.alias)");
    value_of[output] = value;
  }
}

}  // namespace assay::memory
