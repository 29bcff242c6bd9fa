// What reading a lemma and speaking of it both need: the names of conditions, and a walk over all
// of its formulas.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "shared_ir/proof/lemma.h"

namespace assay {

std::string_view condition_name(Condition::Kind kind);
// nullopt when no condition has that name.
std::optional<Condition::Kind> find_condition(std::string_view name);

// Every formula of the sides and conditions, and every operand of one.
void for_each_formula(const Lemma& lemma, const std::function<void(const Formula&)>& visit);

}  // namespace assay
