// What the atoms that a rejection names stand for: the end of its reason.
#pragma once

#include <string>

#include "shared_ir/proof/proof.h"

namespace assay::checker {

// Lines "aN: ..." for each atom "aN" in the text and what it is made of (the first 64).
std::string glossary(const Universe& universe, const std::string& text);

}  // namespace assay::checker
