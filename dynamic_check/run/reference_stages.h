// The devices on which a reference runs in stages.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dynamic_check/run/interpret/staged_graph.h"
#include "dynamic_check/run/options.h"

namespace assay {

// "cpu", "cuda:0", ... Throws UserError for a name that is none, and for a GPU that is not there.
std::vector<at::Device> reference_devices(const std::vector<std::string>& names);

// The sequential graph in the stages of the options; null where they name none. Throws as
// reference_devices() and StagedGraph do.
std::shared_ptr<const StagedGraph> staged_graph(const Case& refinement,
                                                const DynamicOptions& options,
                                                Arithmetic arithmetic);

}  // namespace assay
