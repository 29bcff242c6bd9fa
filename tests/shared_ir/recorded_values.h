// Programs that PyTorch ran, evaluated as Assay reads them.
#pragma once

#include <string>

namespace assay::test {

/// Each line of the file has the name of a program, its graph (or several "graphs") as fx-JSON, and
/// runs: the values of its inputs and outputs, as flat lists. The graphs are lowered by the
/// declared operators and give these values. How many programs there were. `file`: from the root of
/// the sources.
int expect_recorded_values(const std::string& file);

}  // namespace assay::test
