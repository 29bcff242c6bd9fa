// Collective instructions: with whom, along which dimension, by which reduction.
#pragma once

#include "shared_ir/import/hlo/hlo_devices.h"

namespace assay::hlo {

// The keyword arguments of one rank's node ("group", and by opcode "group_size", "reduction",
// "dimension", "sends", "receives"). The group is added to `groups`. Takes the attributes that it
// reads. Throws UserError for groups that do not fit and reductions other than sum, maximum,
// minimum and product.
NamedArgs collective_arguments(const Module& module, const Instruction& instruction,
                               AttributeReader& attributes, const Devices& devices, Groups& groups);

}  // namespace assay::hlo
