#include "dynamic_check/run/interpret/staged_values.h"

#include <algorithm>
#include <utility>

namespace assay {

StagedValues::StagedValues(StagePlan plan, std::vector<at::Device> devices, size_t tensors,
                           Source source)
    : plan_(std::move(plan)),
      devices_(std::move(devices)),
      source_(std::move(source)),
      values_(devices_.size(), Values(tensors)),
      storages_(devices_.size()),
      bytes_(devices_.size(), 0),
      peaks_(devices_.size(), 0) {}

bool StagedValues::has(NodeId reader, TensorId id) const {
  return values_[stage_of(reader)][static_cast<size_t>(id)].defined();
}

at::Tensor StagedValues::read(NodeId reader, TensorId id) {
  const size_t stage = stage_of(reader);
  at::Tensor& value = values_[stage][static_cast<size_t>(id)];
  if (value.defined()) return value;
  if (const at::Tensor brought = bring(stage, id); brought.defined()) hold(stage, id, brought);
  return value;
}

void StagedValues::write(NodeId writer, TensorId id, const at::Tensor& value) {
  hold(stage_of(writer), id, value);
}

at::Tensor StagedValues::bring(size_t stage, TensorId id) const {
  for (const Values& values : values_) {
    const at::Tensor& there = values[static_cast<size_t>(id)];
    if (!there.defined()) continue;
    return there.to(there.options().device(devices_[stage]), /*non_blocking=*/false, /*copy=*/true);
  }
  const at::Tensor given = source_ ? source_(id) : at::Tensor();
  return given.defined() ? given.to(devices_[stage]) : given;
}

void StagedValues::hold(size_t stage, TensorId id, const at::Tensor& value) {
  values_[stage][static_cast<size_t>(id)] = value;
  const auto& storage = value.storage();
  if (++storages_[stage][storage.unsafeGetStorageImpl()] > 1) return;
  bytes_[stage] += static_cast<int64_t>(storage.nbytes());
  peaks_[stage] = std::max(peaks_[stage], bytes_[stage]);
}

void StagedValues::drop_after(NodeId node) {
  for (const auto& [where, id] : plan_.last_uses[static_cast<size_t>(node)]) {
    const auto stage = static_cast<size_t>(where);
    at::Tensor& value = values_[stage][static_cast<size_t>(id)];
    if (!value.defined()) continue;
    const auto storage = storages_[stage].find(value.storage().unsafeGetStorageImpl());
    if (--storage->second == 0) {
      bytes_[stage] -= static_cast<int64_t>(value.storage().nbytes());
      storages_[stage].erase(storage);
    }
    value.reset();
  }
}

}  // namespace assay
