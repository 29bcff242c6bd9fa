// All that is known of one operator, in words.
#pragma once

#include <string>

namespace assay {

struct OperatorDeclaration;  // lower/declare/declaration.h

// Lines "name: value", each with its line end: where it is declared, its parameters, what it does
// to numbers (operator_facts.h), to memory and to other ranks.
std::string describe(const OperatorDeclaration& declaration);

}  // namespace assay
