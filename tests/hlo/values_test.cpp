// Programs in HLO text against XLA itself: record/record.py drew them and ran XLA's CPU backend,
// whose values the files of this folder keep. ASSAY_HLO_VALUES=FILE:... reads other files of that
// kind.
#include <gtest/gtest.h>

#include <string>

#include "shared_ir/import/hlo/hlo_attribute.h"
#include "shared_ir/import/hlo/hlo_opcode.h"
#include "shared_ir/operator_table/operator_table.h"
#include "tests/hlo/opcodes.h"
#include "tests/hlo/tally.h"

namespace assay::test {
namespace {

using Outcome = HloJudgement::Outcome;

// What is declared has to be compared; what is not is equal to itself alone, and is seen.
bool is_reached(const hlo::Opcode& opcode, const HloTally& tally, const OperatorTable& operators) {
  const std::string name(opcode.name);
  if (tally.count(Outcome::kAgrees, name) > 0) return true;
  const bool declared =
      opcode.kind == hlo::Opcode::Kind::kStructure || operators.find("hlo." + name) != nullptr;
  return !declared && tally.count(Outcome::kOpaque, name) > 0;
}

TEST(HloValues, ProgramsMeanWhatXlaMakesOfThem) {
  HloTally tally;
  for_each_hlo_values([&](const HloValues& recorded) {
    const auto found = judge(recorded);
    tally.add(recorded, found);
    for (const HloJudgement& one : found)
      if (one.outcome == Outcome::kDiffers) ADD_FAILURE() << one.why << '\n' << text_of(recorded);
  });
  tally.print();
  EXPECT_GT(tally.count(Outcome::kAgrees),
            2 * (tally.count(Outcome::kOpaque) + tally.count(Outcome::kRefused) +
                 tally.count(Outcome::kOutside)));
  const OperatorTable operators = OperatorTable::builtin();
  for (const hlo::Opcode& opcode : hlo::all_opcodes()) {
    if (opcode.kind == hlo::Opcode::Kind::kEffect) continue;
    const std::string name(opcode.name);
    if (why_not_compared(name) == nullptr && !is_reached(opcode, tally, operators))
      ADD_FAILURE() << name << " is never compared";
  }
  for (const std::string_view attribute : hlo::known_attributes()) {
    const std::string name(attribute);
    if (why_not_recorded(name) == nullptr && !tally.has_attribute(name))
      ADD_FAILURE() << name << " is never given";
  }
}

}  // namespace
}  // namespace assay::test
