// What the ranks of a run recorded, wherever it is kept: in memory, or in traces.
#pragma once

#include <vector>

#include "dynamic_check/kernels/kernels.h"
#include "dynamic_check/run/record.h"

namespace assay {

// Per rank, by TensorId of its graph; undefined where nothing was recorded.
using RankTensors = std::vector<TensorLookup>;

// `recorded` must outlive what is returned.
inline RankTensors rank_tensors(const std::vector<RecordedTensors>& recorded) {
  RankTensors ranks;
  for (const RecordedTensors& rank : recorded)
    ranks.emplace_back([&rank](TensorId id) { return rank[static_cast<size_t>(id)]; });
  return ranks;
}

}  // namespace assay
