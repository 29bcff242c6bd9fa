// The values of a graph's tensors on their way through it, each in the stages that a plan says.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "dynamic_check/run/stages/stage_plan.h"
#include "shared_ir/graph.h"

namespace assay {

// Values of one graph's tensors, by TensorId; undefined where nothing was computed.
using Values = std::vector<at::Tensor>;

class StagedValues {
 public:
  // Gives the value of a tensor that no stage has: that of an input, when it is first read. On any
  // device; undefined where there is none.
  using Source = std::function<at::Tensor(TensorId)>;

  // `devices`: per stage. Stages do not share memory, whatever their devices.
  StagedValues(StagePlan plan, std::vector<at::Device> devices, size_t tensors, Source source = {});

  // What a node reads, in its stage; undefined where there is no value.
  at::Tensor read(NodeId reader, TensorId id);

  // What a node has made, on the device of its stage.
  void write(NodeId writer, TensorId id, const at::Tensor& value);

  // A value that is there before the first node, in the first stage.
  void put(TensorId id, const at::Tensor& value) { hold(0, id, value); }

  bool has(NodeId reader, TensorId id) const;

  // Drops what goes when the node has run.
  void drop_after(NodeId node);

  at::Device device_of(NodeId node) const { return devices_[stage_of(node)]; }

  // The most bytes that values took at one time, per stage.
  const std::vector<int64_t>& peak_bytes() const { return peaks_; }

  // Those of the first stage.
  Values take() { return std::move(values_.front()); }

 private:
  // The memory that values of one stage lie in, and how many of them.
  using Storages = std::map<const void*, int64_t>;

  size_t stage_of(NodeId node) const {
    return static_cast<size_t>(plan_.stage_of[static_cast<size_t>(node)]);
  }
  void hold(size_t stage, TensorId id, const at::Tensor& value);
  at::Tensor bring(size_t stage, TensorId id) const;

  const StagePlan plan_;
  const std::vector<at::Device> devices_;
  const Source source_;
  std::vector<Values> values_;  // per stage
  std::vector<Storages> storages_;
  std::vector<int64_t> bytes_, peaks_;
};

}  // namespace assay
