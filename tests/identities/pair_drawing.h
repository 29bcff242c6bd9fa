// Pairs of programs drawn at random: several identities of the table, each of operands that inputs,
// functions of them or results of identities before are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/identities/pair_program.h"

namespace assay::test {

/// Equal seeds give equal pairs. Identity number `seed` modulo their number is one of it.
PairProgram draw_pair(const IdentityTable& table, uint64_t seed);

struct WrongTwin {
  std::string what;
  PairProgram program;
};

/// The ranks' formulas with one mistake: a constant changed, a term or factor left out, a sign
/// turned, operands exchanged, another dimension, another function, a collective left out. Some
/// fit no shapes, and some compute the same. In an order that depends on `seed`.
std::vector<WrongTwin> wrong_twins(const PairProgram& program, uint64_t seed);

}  // namespace assay::test
