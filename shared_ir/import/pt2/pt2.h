// Graphs as .pt2 archives: what torch.export.save writes, a zip with the program as JSON
// (models/NAME.json) beside the weights, which are not read, and the constants that it holds
// itself, which are (pt2_constants.h). Source: torch/_export/serde/schema.py of torch 2.11, schema
// version 8.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "shared_ir/graph.h"

namespace assay {

// Reads a file. Operators lose their "torch.ops." ("aten.mm.default"). Lifted constants are nodes
// ("assay.constant"), or inputs where their data is none that can be read
// (Graph::unread_constants). Parameters and buffers are inputs, named as in the graph ("p_weight")
// and, where that is a tensor name that is free, as in the module ("weight"). Inputs that are no
// tensors are left out: the program was specialised on them. Throws UserError that names the file,
// and the node, for what is no such archive, for another schema version, symbolic sizes, graphs
// within the graph, and operators that write into their arguments.
Graph import_pt2(const std::filesystem::path& file);

// The same from the archive's bytes; `name` is the file that errors name, and Graph::name.
Graph parse_pt2(std::string_view archive, const std::string& name);

// The same from the text of the program alone.
Graph parse_pt2_program(std::string_view json, const std::string& name);

}  // namespace assay
