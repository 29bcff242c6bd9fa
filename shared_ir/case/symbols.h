// [symbols] of a case: which there are, and the values that they have at one choice of sizes.
#pragma once

#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/case/toml_reader.h"

namespace assay {

// In the order of the file. Throws UserError for a bad name or constraint, or none.
std::vector<Symbol> read_symbols(TomlTable table);

// The symbols' values at `instance`; in a symbolic replay, at every instance. Throws UserError for
// a symbol that `instance` lacks, and for values that do not satisfy the constraints.
SymbolValues values_at(const std::vector<Symbol>& symbols, const SymbolInstance& instance);

}  // namespace assay
