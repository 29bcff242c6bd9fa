// Programs in HLO text with one thing changed, whose values XLA says are other ones
// (record/record.py), and pairs that are nearly equal: none is proved to be what it was, unless
// the report assumes that what tells them apart does not happen. The program itself is.
// ASSAY_HLO_VALUES=FILE:... reads other files of that kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "shared_ir/import/hlo/hlo.h"
#include "static_check/check.h"
#include "tests/hlo/judgement.h"
#include "tests/hlo/values.h"

namespace assay::test {
namespace {

CleanExpr leaf(const std::string& name) {
  CleanExpr result;
  result.name = name;
  return result;
}

// One rank runs `rank` for `sequential`; the inputs are those of the same place.
StaticReport checked(const std::string& sequential, const std::string& rank) {
  static const OperatorTable operators = OperatorTable::builtin();
  Case refinement;
  refinement.name = "twin";
  refinement.sequential =
      HloModule::parse(sequential, "s.hlo.txt").graph(0, 1, refinement.sequential_groups);
  refinement.ranks.push_back(
      HloModule::parse(rank, "r.hlo.txt").graph(0, 1, refinement.distributed_groups));
  const Graph &one = refinement.sequential, &other = refinement.ranks[0];
  for (size_t i = 0; i < one.inputs.size(); ++i)
    refinement.inputs.push_back({one.tensors[static_cast<size_t>(one.inputs[i])].name,
                                 {leaf(other.tensors[static_cast<size_t>(other.inputs[i])].name)},
                                 {}});
  refinement.outputs.push_back(one.tensors[static_cast<size_t>(one.outputs.at(0))].name);
  refinement.expect.push_back({leaf(refinement.outputs[0]),
                               {leaf(other.tensors[static_cast<size_t>(other.outputs.at(0))].name)},
                               {}});
  validate(refinement);
  return static_check(refinement, operators).report;
}

bool differ(const HloValues& drawn, size_t run) {
  for (size_t i = 0; i < drawn.twin_values[run].size(); ++i)
    if (other_hlo_value(drawn.runs[run].values.at(i), drawn.twin_values[run][i],
                        drawn.coarsest_of_both))
      return true;
  return false;
}

bool differ(const HloValues& drawn) {
  for (size_t run = 0; run < drawn.twin_values.size(); ++run)
    if (differ(drawn, run)) return true;
  return false;
}

std::vector<std::string> names_of_inputs(const std::string& text) {
  Groups groups;
  const Graph graph = HloModule::parse(text, "m.hlo.txt").graph(0, 1, groups);
  std::vector<std::string> names;
  for (const TensorId id : graph.inputs)
    names.push_back(graph.tensors[static_cast<size_t>(id)].name);
  return names;
}

// Whether inputs for which the pair differs break what its proof assumes of one of both programs.
bool breaks_assumptions(const HloValues& pair, const StaticReport& report) {
  const bool defined = std::ranges::any_of(
      report.assumptions, [](const std::string& one) { return one.starts_with("domains: "); });
  for (size_t run = 0; run < pair.runs.size(); ++run) {
    if (!differ(pair, run)) continue;
    std::vector<std::vector<double>> inputs;
    for (const std::string& name : names_of_inputs(pair.text))
      inputs.push_back(pair.runs[run].inputs.at(name));
    if (broken_assumption(pair.text, inputs, defined).empty() &&
        broken_assumption(pair.twin, inputs, defined).empty())
      return false;
  }
  return true;
}

// The lifter took the element of a table of flags for a flag, which the checker did not.
TEST(HloTwin, FlagsFromATableAreConvertedAndBack) {
  const std::string text = R"(HloModule m
ENTRY %main {
  %rows = s64[3,3] parameter(0)
  %table = pred[3,3] constant({{true, false, 0}, {false, 0, 1}, {true, true, 0}})
  %read = pred[3,3,3] gather(%table, %rows), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,3}
  %number = f64[3,3,3] convert(%read)
  ROOT %flag = pred[3,3,3] convert(%number)
})";
  std::string other = text;
  other.replace(other.find("{false, 0, 1}"), 13, "{false, 1, 1}");
  EXPECT_EQ(checked(text, text).verdict, Verdict::kProved);
  EXPECT_NE(checked(text, other).verdict, Verdict::kProved);
}

// The lifter took the greatest of equal flags for one of them, which the checker did not.
TEST(HloTwin, ExtremaOfConstantFlagsAreWhatOrAndAndAre) {
  const auto module = [](const std::string& opcode) {
    return "HloModule m\nENTRY %main {\n  %k = pred[2] constant({0, 1})\n"
           "  %l = pred[2] constant({1, 1})\n  %x = pred[2] parameter(0)\n  %m = pred[2] " +
           opcode + "(%k, %l)\n  ROOT %r = pred[2] " + opcode + "(%m, %x)\n}\n";
  };
  EXPECT_EQ(checked(module("maximum"), module("or")).verdict, Verdict::kProved);
  EXPECT_EQ(checked(module("minimum"), module("and")).verdict, Verdict::kProved);
  EXPECT_NE(checked(module("maximum"), module("minimum")).verdict, Verdict::kProved);
}

// A constant that the type does not hold was converted as an integer is, modulo the type's range;
// XLA takes the nearest one.
TEST(HloTwin, ConversionsOfConstantsThatAreNotHeldHaveNoMeaning) {
  const auto module = [](const std::string& type, const std::string& by) {
    return "HloModule m\nENTRY %main {\n  %c = " + type + "[2] constant({-6, 300})\n" +
           (by.empty() ? "" : "  %d = " + by + "[2] convert(%c)\n") + "  ROOT %r = u8[2] convert(" +
           (by.empty() ? "%c" : "%d") + ")\n}\n";
  };
  EXPECT_EQ(checked(module("f64", ""), module("f64", "")).verdict, Verdict::kProved);
  EXPECT_NE(checked(module("f64", ""), module("s32", "")).verdict, Verdict::kProved);
  EXPECT_NE(checked(module("s64", "f64"), module("s32", "")).verdict, Verdict::kProved);
  EXPECT_EQ(checked(module("s64", "s32"), module("s32", "")).verdict, Verdict::kProved);
  const std::string wrapped =
      "HloModule m\nENTRY %main {\n  ROOT %r = u8[2] constant({250, 44})\n}\n";
  EXPECT_NE(checked(module("s64", "f64"), wrapped).verdict, Verdict::kProved);
  EXPECT_EQ(checked(module("s64", ""), wrapped).verdict, Verdict::kProved);
}

// Only the wider type was assumed to hold it.
TEST(HloTwin, ConversionsByWayOfAWiderIntegerAssumeThatBothHoldIt) {
  const auto module = [](const std::string& way) {
    return "HloModule m\nENTRY %main {\n  %x = f64[2] parameter(0)\n  %f = f64[2] floor(%x)\n" +
           way + "}\n";
  };
  const StaticReport report =
      checked(module("  %i = s32[2] convert(%f)\n  ROOT %r = u8[2] convert(%i)\n"),
              module("  ROOT %r = u8[2] convert(%f)\n"));
  EXPECT_EQ(report.verdict, Verdict::kProved);
  EXPECT_EQ(
      std::ranges::count(report.assumptions, "conversions from float64 to uint8 stay in its range"),
      1);
}

// No draw of the inputs saw what such constants are: they were no numbers.
TEST(HloTwin, LargeConstantsThatWrapAreNotAssumedNotTo) {
  const std::string text = R"(HloModule m
ENTRY %main {
  %x = s64[1,2] constant({{-2, -8}})
  %y = s64[2,1] constant({{1}, {9223372036854775807}})
  %z = s64[1,1] dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %r = f64[1,1] convert(%z)
})";
  EXPECT_THROW(checked(text, text), UserError);
}

// The search for a factor between the two left 64 bits, which nobody caught.
TEST(HloTwin, LargeConstantsHaveNoFactorBetweenThem) {
  const auto module = [](const std::string& numbers) {
    return "HloModule m\nENTRY %main {\n  %x = u32[1,3] constant({{" + numbers +
           "}})\n  %y = u32[] constant(9)\n"
           "  ROOT %z = u32[3,3] pad(%x, %y), padding=2_0x-2_2\n}\n";
  };
  EXPECT_EQ(checked(module("8, 5, 4294967295"), module("8, 5, 4294967295")).verdict,
            Verdict::kProved);
  EXPECT_NE(checked(module("8, 5, 4294967295"), module("8, 5, 4294967294")).verdict,
            Verdict::kProved);
}

TEST(HloTwin, WhatXlaComputesOtherwiseIsNotProved) {
  int judged = 0, alike = 0, refused = 0, assumed = 0, selves = 0, proved = 0;
  for_each_hlo_values([&](const HloValues& drawn) {
    if (drawn.twin.empty()) return;
    if (!differ(drawn)) {
      ++alike;
      return;
    }
    try {
      const StaticReport report = checked(drawn.text, drawn.twin);
      ++judged;
      if (report.verdict == Verdict::kProved && breaks_assumptions(drawn, report)) {
        ++assumed;
        return;
      }
      EXPECT_NE(report.verdict, Verdict::kProved)
          << drawn.text << "\n--- the twin:\n"
          << drawn.twin << testing::PrintToString(report.assumptions)
          << testing::PrintToString(drawn.runs[0].inputs)
          << testing::PrintToString(drawn.runs[0].values)
          << testing::PrintToString(drawn.twin_values[0]);
      if (judged % 10 != 0) return;
      ++selves;
      proved += checked(drawn.text, drawn.text).verdict == Verdict::kProved;
    } catch (const UserError&) {
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << drawn.text << "\n--- the twin:\n" << drawn.twin;
    } catch (...) {
      ADD_FAILURE() << drawn.text << "\n--- the twin:\n" << drawn.twin;
    }
  });
  EXPECT_GT(judged, 4 * refused);
  EXPECT_GT(10 * proved, 9 * selves);
  printf("%d twins judged, %d of them equal under an assumption, %d alike, %d refused; ", judged,
         assumed, alike, refused);
  printf("%d programs of %d proved to be themselves\n", proved, selves);
}

}  // namespace
}  // namespace assay::test
