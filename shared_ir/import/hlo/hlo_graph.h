// A module as the graph of one rank.
#pragma once

#include "shared_ir/import/hlo/hlo_devices.h"
#include "shared_ir/import/hlo/hlo_module.h"

namespace assay::hlo {

// See HloModule::graph.
Graph make_graph(const Module& module, const Devices& devices, Groups& groups);

}  // namespace assay::hlo
