#include "tests/hlo/opcodes.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace assay::test {
namespace {

// Behind the type, which may be a tuple.
std::string_view behind_type(std::string_view text) {
  int depth = 0;
  size_t at = 0;
  for (; at < text.size() && (depth > 0 || text[at] != ' '); ++at) {
    if (text[at] == '(' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == '}') --depth;
  }
  return text.substr(std::min(at + 1, text.size()));
}

template <class Visit>
void for_each_instruction(const std::string& text, const Visit& visit) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find(" = "); at != std::string::npos)
      visit(behind_type(std::string_view(line).substr(at + 3)));
}

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '-'; }

}  // namespace

std::set<std::string> opcodes_in(const std::string& text) {
  std::set<std::string> found;
  for_each_instruction(text, [&](std::string_view instruction) {
    found.emplace(instruction.substr(0, instruction.find('(')));
  });
  return found;
}

std::set<std::string> attributes_in(const std::string& text) {
  std::set<std::string> found;
  for_each_instruction(text, [&](std::string_view instruction) {
    for (size_t at = instruction.find("), "); at < instruction.size();
         at = instruction.find(", ", at + 1)) {
      const std::string_view rest = instruction.substr(instruction.find_first_not_of("), ", at));
      const auto end =
          static_cast<size_t>(std::ranges::find_if_not(rest, is_of_name) - rest.begin());
      if (end > 0 && end < rest.size() && rest[end] == '=') found.emplace(rest.substr(0, end));
    }
  });
  return found;
}

const char* why_not_compared(const std::string& opcode) {
  static const std::map<std::string, const char*> kReasons = {
      {"collective-broadcast", "XLA's CPU backend has none"},
      {"custom-call", "its target says what it means, and is no part of HLO"},
      {"fft", "its complex numbers have no type here"},
      {"rng-bit-generator", "the state of its generators, u64, has no type here"},
      {"stochastic-convert", "XLA's CPU backend has none"},
  };
  const auto found = kReasons.find(opcode);
  return found == kReasons.end() ? nullptr : found->second;
}

const char* why_not_recorded(const std::string& attribute) {
  static const std::map<std::string, const char*> kReasons = {
      {"api_version", "of custom calls"},
      {"called_computations", "of custom calls"},
      {"custom_call_has_side_effect", "of custom calls"},
      {"custom_call_target", "of custom calls"},
      {"fft_length", "of fft"},
      {"fft_type", "of fft"},
      {"operand_layout_constraints", "of custom calls"},
      {"origin", "a note on where values come from, which XLA's parser takes in few forms"},
  };
  const auto found = kReasons.find(attribute);
  return found == kReasons.end() ? nullptr : found->second;
}

}  // namespace assay::test
