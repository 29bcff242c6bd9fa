#include "shared_ir/capture/record/storage_values.h"

#include "shared_ir/capture/record/scatter_view.h"
#include "shared_ir/capture/torch/storage_address.h"

namespace assay {
namespace {

void replace_operand(ArgList& args, TensorId from, TensorId to) {
  for (Arg& arg : args) {
    if (auto* operand = std::get_if<TensorArg>(&arg.value)) {
      if (operand->id == from) operand->id = to;
    } else if (auto* list = std::get_if<ArgList>(&arg.value)) {
      replace_operand(*list, from, to);
    }
  }
}

}  // namespace

StorageValues::Key StorageValues::key_of(const at::Tensor& tensor) {
  Key key{tensor.storage_offset(), tensor.sizes().vec(), tensor.strides().vec(),
          tensor.scalar_type()};
  for (size_t i = 0; i < key.sizes.size(); ++i) {
    if (key.sizes[i] == 1) key.strides[i] = 0;
  }
  return key;
}

int32_t StorageValues::index_of(const Memory& memory, const Key& key) {
  for (size_t i = 0; i < memory.aliases.size(); ++i) {
    if (memory.aliases[i].key == key) return static_cast<int32_t>(i);
  }
  return kNone;
}

at::Tensor StorageValues::tensor_at(const Key& key, const at::Tensor& any) {
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(any.storage()), any.key_set(),
                                                         c10::scalarTypeToTypeMeta(key.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(key.sizes, key.strides, key.offset);
  return tensor;
}

StorageValues::Memory& StorageValues::memory_of(const at::Tensor& tensor) {
  const auto entry = memories_.find(storage_address(tensor));
  if (entry != memories_.end()) return entry->second;
  const auto storage =
      c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(tensor.storage().unsafeGetStorageImpl());
  Memory memory{c10::weak_intrusive_ptr<c10::StorageImpl>(storage), {}, 0};
  return memories_.emplace(storage_address(tensor), std::move(memory)).first->second;
}

TensorId StorageValues::read(const at::Tensor& tensor) {
  const auto entry = memories_.find(storage_address(tensor));
  if (entry == memories_.end()) return kNone;
  Memory& memory = entry->second;
  const int32_t index = index_of(memory, key_of(tensor));
  if (index == kNone) return kNone;
  refresh(memory, index, tensor);
  const TensorId value = memory.aliases[static_cast<size_t>(index)].value;
  tape_.before_read(value);
  return value;
}

TensorId StorageValues::peek(const at::Tensor& tensor) const {
  const auto entry = memories_.find(storage_address(tensor));
  if (entry == memories_.end()) return kNone;
  const int32_t index = index_of(entry->second, key_of(tensor));
  return index == kNone ? kNone : entry->second.aliases[static_cast<size_t>(index)].value;
}

bool StorageValues::is_current(const at::Tensor& tensor) const {
  const auto entry = memories_.find(storage_address(tensor));
  if (entry == memories_.end()) return false;
  const int32_t index = index_of(entry->second, key_of(tensor));
  return index != kNone &&
         entry->second.aliases[static_cast<size_t>(index)].version == entry->second.version;
}

void StorageValues::define(const at::Tensor& tensor, TensorId value) {
  Memory& memory = memory_of(tensor);
  Alias root;
  root.key = key_of(tensor);
  root.value = value;
  root.version = memory.version;
  const int32_t index = index_of(memory, root.key);
  if (index == kNone) {
    memory.aliases.push_back(std::move(root));
  } else {
    memory.aliases[static_cast<size_t>(index)] = std::move(root);
  }
}

void StorageValues::define_view(const at::Tensor& view, const at::Tensor& base, NodeId maker,
                                int32_t output) {
  Memory& memory = memory_of(view);
  Alias alias;
  alias.key = key_of(view);
  alias.value = tape_.node(maker).outputs.at(static_cast<size_t>(output));
  alias.version = memory.version;
  alias.parent = index_of(memory, key_of(base));
  ASSAY_CHECK(alias.parent != kNone, "the base of a view is known");
  alias.parent_value = memory.aliases[static_cast<size_t>(alias.parent)].value;
  alias.maker = maker;
  alias.output = output;
  const int32_t index = index_of(memory, alias.key);
  if (index == kNone) {
    memory.aliases.push_back(std::move(alias));
  } else if (index != alias.parent) {
    memory.aliases[static_cast<size_t>(index)] = std::move(alias);
  }
}

void StorageValues::refresh(Memory& memory, int32_t index, const at::Tensor& any) {
  const auto position = static_cast<size_t>(index);
  if (memory.aliases[position].version == memory.version) return;
  const int32_t parent = memory.aliases[position].parent;
  if (parent == kNone) {
    throw UserError(tape_.place(),
                    "this operator reads memory that was written through another tensor, and how "
                    "the two overlap is not known",
                    "declare the whole memory as one input and take views of it in the program");
  }
  refresh(memory, parent, any);

  const NodeId old_maker = memory.aliases[position].maker;
  const TensorId base = memory.aliases[static_cast<size_t>(parent)].value;
  Node again = tape_.node(old_maker);
  replace_operand(again.args, memory.aliases[position].parent_value, base);
  std::vector<at::Tensor> outputs(again.outputs.size());
  std::vector<Alias*> stale;
  for (Alias& alias : memory.aliases) {
    if (alias.maker != old_maker || alias.version == memory.version) continue;
    outputs[static_cast<size_t>(alias.output)] = tensor_at(alias.key, any);
    stale.push_back(&alias);
  }
  const NodeId maker = tape_.add(again.op, again.args, again.kwargs, outputs);
  for (Alias* alias : stale) {
    alias->maker = maker;
    alias->parent_value = base;
    alias->value = tape_.node(maker).outputs[static_cast<size_t>(alias->output)];
    alias->version = memory.version;
  }
}

TensorId StorageValues::scatter(const Alias& base, const Alias& view,
                                const at::Tensor& base_tensor) {
  const Node& maker = tape_.node(view.maker);
  auto call = scatter_view(maker, view.output, base.value, base.key.sizes, view.value);
  if (!call) {
    throw UserError(tape_.place(), "this operator writes through a view made by " + maker.op,
                    "write into the tensor itself, or use the form of the operator that returns a "
                    "new tensor");
  }
  const NodeId node = tape_.add(call->op, std::move(call->args), {}, {base_tensor});
  return tape_.node(node).outputs[0];
}

void StorageValues::write(const at::Tensor& tensor, TensorId value) {
  Memory& memory = memory_of(tensor);
  int32_t index = index_of(memory, key_of(tensor));
  if (index == kNone) {
    define(tensor, value);
    return;
  }
  ++memory.version;
  Alias* alias = &memory.aliases[static_cast<size_t>(index)];
  alias->value = value;
  alias->version = memory.version;
  while (alias->parent != kNone) {
    Alias* base = &memory.aliases[static_cast<size_t>(alias->parent)];
    base->value = scatter(*base, *alias, tensor_at(base->key, tensor));
    base->version = memory.version;
    alias = base;
  }
}

}  // namespace assay
