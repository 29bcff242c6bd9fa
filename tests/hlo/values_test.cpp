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

// Types and attributes have the same brackets and commas as operands.
TEST(HloValues, TheOpcodesAndAttributesOfATextAreSeen) {
  const std::string text =
      "%t = (f32[2]{0}, s32[]) while(%p), condition=%c, body=%b\n"
      "  ROOT %r = f32[2]{1,0:T(8,128)} dot(%a, %b), lhs_batch_dims={0,1}, metadata={op=\"x, "
      "y=1\"}\n";
  EXPECT_EQ(opcodes_in(text), (std::set<std::string>{"dot", "while"}));
  const std::set<std::string> attributes = attributes_in(text);
  for (const char* name : {"condition", "body", "lhs_batch_dims", "metadata"})
    EXPECT_TRUE(attributes.contains(name)) << name;
}

// A program whose values are another one's: were the comparison blind, it would agree.
TEST(HloValues, AWrongMeaningDiffers) {
  HloValues recorded;
  recorded.text =
      "HloModule m\nENTRY %main {\n  %x = s8[2] parameter(0)\n  %y = s8[2] parameter(1)\n"
      "  ROOT %r = s8[2] divide(%x, %y)\n}\n";
  recorded.type = recorded.coarsest = "s8";
  recorded.runs = {{{{"x", {-7, 7}}, {"y", {2, 2}}}, {-4, 3}},   // rounded down
                   {{{"x", {-7, 7}}, {"y", {2, 2}}}, {-3, 3}}};  // XLA's
  const auto found = judge(recorded);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].outcome, Outcome::kDiffers);
  EXPECT_EQ(found[1].outcome, Outcome::kAgrees);
}

}  // namespace
}  // namespace assay::test
