// Graphs as fx-JSON: what a PyTorch FX capture writes, one file a rank. One object with
//   "format": "fx-json", "version": 1, "rank": R, "nodes": [...], optionally "names": {ALIAS:
//   TENSOR} and "functional": true (no node writes into memory, as in Graph)
// A node has "op" (placeholder, get_attr, call_function, output), "name", "target", "args",
// "kwargs" and, where known, "value" {dtype, shape, stride, ...}, "module", "source" ("file:line"),
// "constant" (get_attr: a number or nested lists of numbers), "work": N at a collective that goes
// on until a node whose "awaits": [N, ...] names it, or until the program ends. Arguments: {"node":
// NAME}, {"const": a dtype, device, layout, memory format, "inf", "-inf" or "nan"}, {"sym": integer
// or size}, numbers, strings, null, lists.
//
// A program that was captured with dynamic shapes has sizes over symbols ("2*s0", see
// symbolic/size_expression.h) in shapes and in "sym". A node whose "value" is {"sym": SIZE} is no
// tensor but that integer, wherever it is an argument. Symbols without a value at the instance are
// sizes that depend on values, which operators of the graph make (aten.nonzero, aten.item, ...):
// the graph that is read is one of fixed sizes (unbacked/unbacked.h).
//
// A complex tensor ("complex64", "complex128") is read as the real tensor of its parts, with a last
// dimension of 2 (complex_parts/complex_parts.h); "constant" has the parts as pairs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/symbolic/size_expression.h"

namespace assay {

// Reads a file. Getitem nodes become outputs of their producer, which bear the getitem's name
// (several of one output: aliases); auto_functionalized(_v2) becomes the operator that it wraps
// (Node in graph.h says in which order its outputs come); the dtype of a constant without "value"
// is that of the aten.lift_fresh_copy that reads it. Throws UserError with file and line for text
// that is no JSON, unknown keys, unknown or later or repeated names, symbols without a
// value, and missing values. `symbols` are their values at the instance to be read.
Graph import_fx_json(const std::filesystem::path& file, const SymbolValues& symbols = {});

// The same from text; `name` is the file that errors name, and Graph::name.
Graph parse_fx_json(std::string_view text, const std::string& name,
                    const SymbolValues& symbols = {});

// The text that parse_fx_json reads back to the same graph, up to the numbering of tensors and to
// outputs at a node's end that nothing uses.
std::string to_fx_json(const Graph& graph, Rank rank);

}  // namespace assay
