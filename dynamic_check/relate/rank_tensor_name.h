// How the tensors of ranks are called.
#pragma once

#include <string>
#include <utility>

#include "shared_ir/mesh.h"

namespace assay {

// A distributed tensor: name and rank.
using RankTensorName = std::pair<std::string, Rank>;

}  // namespace assay
