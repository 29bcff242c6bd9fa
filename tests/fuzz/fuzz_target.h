// Fuzz targets: each reads bytes as a user's file, with whatever Assay has for such a file.
#pragma once

#include <functional>
#include <string_view>

namespace assay::fuzz {

// Returns, or throws UserError. Anything else (another exception, a crash, a hang, memory without
// bound) is a bug.
void case_file(std::string_view bytes);         // case.toml
void clean_expression(std::string_view bytes);  // parsing, printing, shapes
void declaration(std::string_view bytes);       // a user's operator declarations, and calls of them
void fx_json(std::string_view bytes);           // reading and writing
void hlo(std::string_view bytes);               // an HLO module, and its programs, lowered
void lemma_file(std::string_view bytes);        // a user's lemmas
void lowering(std::string_view bytes);          // a call of a declared operator (drawn_call.h)
void pt2(std::string_view bytes);               // a .pt2 archive, or the program in it
void refinement(std::string_view bytes);        // a case with its graphs, from loading to the proof
void relation(std::string_view bytes);          // input relations of a small case
void report(std::string_view bytes);            // a report as JSON, printed in every form
void trace(std::string_view bytes);             // a trace, or its trace.json

// Runs a step of a target that has others to run. An error of the user ends the step alone;
// returns whether there was none.
bool succeeds(const std::function<void()>& step);

}  // namespace assay::fuzz
