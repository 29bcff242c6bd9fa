// Small HLO modules, imported, lowered and evaluated: what tests of the importer are made of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/lower/lower.h"

namespace assay::test {

// A module with the computations "add", "maximum" and "minimum" of two f32, whose entry has these
// instructions, one a line. The first of them is at line 22 of the text.
std::string hlo_text(const std::string& instructions, const std::string& header = "");

// The graph of rank 0 of one.
Graph hlo_graph(const std::string& instructions);

// What rank 0 throws as one of `ranks`; "accepted" if it does not. The file is "m.hlo.txt".
std::string hlo_error(const std::string& text, int64_t ranks = 1);

// Input values by name; those of a rank by "NAME@RANK".
using HloInputs = std::map<std::string, std::vector<double>>;

// The outputs of each rank, in float64.
std::vector<std::vector<std::vector<double>>> hlo_run(const std::string& text, int64_t ranks,
                                                      const HloInputs& inputs);

// The first output of a module of one rank.
std::vector<double> hlo_value(const std::string& instructions, const HloInputs& inputs = {});

}  // namespace assay::test
