#include "shared_ir/memory/storage_versions.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace assay::memory {

Memory::Memory(const Graph& graph, lowering::Builder& builder)
    : graph_(graph),
      builder_(builder),
      tensors_(graph.tensors.size()),
      objects_(graph.tensors.size()) {
  std::iota(objects_.begin(), objects_.end(), 0);
}

void Memory::own(TensorId tensor, CoreId value) {
  const auto id = static_cast<int32_t>(storages_.size());
  Storage& storage = storages_.emplace_back();
  storage.value = value;
  storage.group = id;
  groups_[id] = {id};
  tensors_[tensor] = {id, {}, value, 0, false, nullptr};
}

void Memory::lies(TensorId tensor, Strided layout) {
  storage_of(tensor).layout = std::move(layout);
}

CoreId Memory::view(TensorId tensor, TensorId base, const Movements& movements, CoreId value) {
  View made = tensors_[base];
  made.movements.insert(made.movements.end(), movements.begin(), movements.end());
  const Storage& storage = storages_[made.storage];
  const bool written = storage.written_as != kNone && made.movements == storage.written;
  made.value = written ? storage.written_as : value;
  made.relaid = false;
  made.relaid_by = nullptr;
  tensors_[tensor] = std::move(made);
  return tensors_[tensor].value;
}

void Memory::same(TensorId tensor, TensorId base) {
  tensors_[tensor] = tensors_[base];
  objects_[tensor] = objects_[base];
}

void Memory::relayout(TensorId tensor, const Movements& movements, CoreId value, const Node& node) {
  const TensorId object = objects_[tensor];
  view(tensor, tensor, movements, value);
  tensors_[tensor].relaid = true;
  std::set<TensorId> perhaps{object};
  for (size_t known = 0; known != perhaps.size();) {
    known = perhaps.size();
    for (const auto& [a, b] : perhaps_same_) {
      if (perhaps.contains(objects_[a])) perhaps.insert(objects_[b]);
      if (perhaps.contains(objects_[b])) perhaps.insert(objects_[a]);
    }
  }
  for (size_t other = 0; other < tensors_.size(); ++other) {
    if (objects_[other] == object)
      tensors_[other] = tensors_[tensor];
    else if (perhaps.contains(objects_[other]))
      tensors_[other].relaid_by = &node;
  }
}

void Memory::link(TensorId a, TensorId b, const Node& node) {
  for (const TensorId tensor : {a, b})
    if (storage_of(tensor).linked_by == nullptr) storage_of(tensor).linked_by = &node;
  const int32_t to = storage_of(a).group, from = storage_of(b).group;
  if (to == from) return;
  for (const int32_t storage : groups_[from]) {
    storages_[storage].group = to;
    groups_[to].push_back(storage);
  }
  groups_.erase(from);
}

CoreId Memory::read(TensorId tensor, const lowering::Site& site) {
  View& view = tensors_[tensor];
  const Storage& storage = storages_[view.storage];
  if (view.relaid_by != nullptr)
    refuse_read(tensor, *view.relaid_by, "may have given it another shape", kFunctional, site);
  if (view.version == storage.version) return view.value;
  if (storage.lost != nullptr) refuse_read(tensor, *storage.lost, storage.why, storage.hint, site);
  view.value = storage.written_as != kNone && view.movements == storage.written
                   ? storage.written_as
                   : replay(builder_, storage.value, view.movements);
  view.version = storage.version;
  return view.value;
}

void Memory::refuse_read(TensorId tensor, const Node& by, const std::string& why,
                         const std::string& hint, const lowering::Site& site) const {
  const std::string place =
      by.source.known() ? fmt::format(" at {}", to_string(by.source)) : std::string();
  site.fail(fmt::format("reads '{}' after node '{}' ({}{}), which {}", graph_.tensors[tensor].name,
                        lowering::node_name(graph_, by), by.op, place, why),
            hint);
}

void Memory::write(TensorId tensor, CoreId value, const Node& node) {
  View& view = tensors_[tensor];
  Storage& storage = storages_[view.storage];
  const std::optional<CoreId> whole = undo(builder_, storage.value, view.movements, value);
  if (whole && storage.lost == nullptr && !storage.may_overlap) {
    storage.value = *whole;
    ++storage.version;
    storage.written = view.movements;
    storage.written_as = value;
  } else {
    lose_storage(storage, node, "writes through a view that nothing is known to put back",
                 kFunctional);
  }
  view.value = value;
  view.version = storage.version;
  lose_others(view.storage, node);
}

void Memory::lose(TensorId tensor, const Node& node, const std::string& why,
                  const std::string& hint) {
  lose_storage(storage_of(tensor), node, why, hint);
  lose_others(tensors_[tensor].storage, node);
}

void Memory::lose_storage(Storage& storage, const Node& node, const std::string& why,
                          const std::string& hint) {
  ++storage.version;
  storage.lost = &node;
  storage.why = why;
  storage.hint = hint;
}

void Memory::lose_others(int32_t storage, const Node& node) {
  for (const int32_t other : groups_.at(storages_[storage].group)) {
    if (other == storage) continue;
    const Node& maker = *storages_[other].linked_by;
    lose_storage(storages_[other], node,
                 fmt::format("may have changed it: node '{}' ({}) gave what may be the same memory "
                             "or a copy",
                             lowering::node_name(graph_, maker), maker.op),
                 "record the strides of tensors where these decide that, say what a declared "
                 "operator writes (name! and writes.name), or capture a functional graph");
  }
}

Memory::Overlap Memory::overlap(TensorId a, TensorId b) const {
  const View &view_a = tensors_[a], &view_b = tensors_[b];
  if (view_a.storage != view_b.storage)
    return storage_of(a).group == storage_of(b).group ? Overlap::kUnknown : Overlap::kNone;
  if (a == b) return Overlap::kSame;
  const Strided whole = row_major(builder_.shape(storage_of(a).value));
  const std::optional<Strided> layout_a = moved(whole, view_a.movements);
  const std::optional<Strided> layout_b = moved(whole, view_b.movements);
  if (!layout_a || !layout_b) return Overlap::kUnknown;
  if (are_apart(*layout_a, *layout_b)) return Overlap::kNone;
  return are_same(*layout_a, *layout_b) ? Overlap::kSame : Overlap::kUnknown;
}

bool Memory::may_overlap_itself(TensorId tensor) const {
  if (const auto lying = layout(tensor)) return memory::may_overlap_itself(*lying);
  return storage_of(tensor).may_overlap || repeats(tensors_[tensor].movements);
}

std::optional<Strided> Memory::layout(TensorId tensor) const {
  const View& view = tensors_[tensor];
  if (const auto& whole = storage_of(tensor).layout) return moved(*whole, view.movements);
  const Tensor& recorded = graph_.tensors[tensor];
  if (!recorded.strides || view.relaid) return std::nullopt;
  return Strided{0, recorded.shape, *recorded.strides};
}

std::optional<Movements> Memory::movements_to_layout(TensorId tensor, const Strided& layout) const {
  const std::optional<Strided>& whole = storage_of(tensor).layout;
  if (!whole) return std::nullopt;
  if (is_row_major(*whole)) return movements_to(layout, whole->sizes);
  // Of dense memory in another order of dimensions, as it lies.
  std::vector<Int> dims(whole->sizes.size());
  std::iota(dims.begin(), dims.end(), Int{0});
  std::stable_sort(dims.begin(), dims.end(), [&](Int a, Int b) {
    return whole->strides[static_cast<size_t>(a)] > whole->strides[static_cast<size_t>(b)];
  });
  Strided as_it_lies{whole->offset, {}, {}};
  for (const Int dim : dims) {
    as_it_lies.sizes.push_back(whole->sizes[static_cast<size_t>(dim)]);
    as_it_lies.strides.push_back(whole->strides[static_cast<size_t>(dim)]);
  }
  if (!is_row_major(as_it_lies)) return std::nullopt;
  auto movements = movements_to(layout, as_it_lies.sizes);
  if (movements)
    movements->insert(movements->begin(),
                      {Prim::kPermute, std::move(dims), whole->sizes, as_it_lies.sizes});
  return movements;
}

CoreId Memory::view_of_whole(TensorId tensor, TensorId base, const Movements& movements,
                             const lowering::Site& site) {
  read(base, site);
  const Storage& storage = storage_of(base);
  tensors_[tensor] = {tensors_[base].storage, movements, replay(builder_, storage.value, movements),
                      storage.version,        false,     nullptr};
  return tensors_[tensor].value;
}

}  // namespace assay::memory
