// What a module's text is made of, and what of it no recorded program can show.
#pragma once

#include <set>
#include <string>

namespace assay::test {

/// The opcodes of all instructions of a text.
std::set<std::string> opcodes_in(const std::string& text);

/// The names of all their attributes.
std::set<std::string> attributes_in(const std::string& text);

/// Why no recorded program compares this opcode or attribute; nullptr where one has to.
const char* why_not_compared(const std::string& opcode);
const char* why_not_recorded(const std::string& attribute);

}  // namespace assay::test
