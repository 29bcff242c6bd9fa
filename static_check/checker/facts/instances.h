// What every instance of a certificate must look like, whatever it computes.
#pragma once

#include <string>
#include <vector>

#include "shared_ir/proof/proof.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/facts/regions.h"

namespace assay::checker {

// Throws Rejection unless the instance writes a row-major output that is as large as its atom and
// reads its operands inside of theirs: labels that its kind allows, pieces that its labels make up.
// Its operands and its output are atoms of the universe.
void check_instance(const Universe& universe, const Instance& instance);

// kSum, kMax, kMin.
bool is_reduction(Instance::Kind kind);

// offset + sum of (size - 1) * stride stays below `limit`, and nothing is negative.
bool addresses_fit(Int offset, const Modes& digits, Int limit);

// Throws Rejection: what is wrong with the atom.
[[noreturn]] void reject(AtomId atom, const std::string& what);

}  // namespace assay::checker
