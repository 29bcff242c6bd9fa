// Whether a run did what was captured.
#pragma once

#include "shared_ir/graph.h"

namespace assay {

// Node by node: the same operators with the same arguments and the same shapes. Numbers, names of
// groups and tensors included; sources are not compared. Throws UserError at the first node that
// differs, with the lines of both programs: a program that branches on values, on devices or on how
// often it has run cannot be checked.
void check_same_program(const Graph& captured, const Graph& run);

// Whether both are the same constant, where they are constants.
bool same_constant(const Node& captured, const Node& run);

}  // namespace assay
