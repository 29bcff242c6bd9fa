// What a program prints, and outlives, that a launcher has started once per rank.
#pragma once

#include "shared_ir/mesh.h"

namespace assay {

// Of every rank but 0: GoogleTest's own output stays away, XML too; what fails is printed with the
// rank. Before main.
void print_own_failures_alone(Rank rank);

// Of rank 0: launchers end all processes (SIGTERM) when one dies. It goes on until end_if_told(),
// and says what was lost; for 15 seconds at most.
void outlive_other_ranks();
bool told_to_end();
void end_if_told();

}  // namespace assay
