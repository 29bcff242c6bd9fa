// What the HLO importer refuses, and what it says. The entry's first instruction is at line 22.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shared_ir/hlo/hlo_program.h"

namespace assay::test {
namespace {

using testing::StartsWith;

struct BadModule {
  std::string name;
  std::string instructions;
  std::string error;
};

void PrintTo(const BadModule& module, std::ostream* out) { *out << module.name; }

class HloError : public testing::TestWithParam<BadModule> {};

TEST_P(HloError, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(hlo_error(hlo_text(GetParam().instructions)), GetParam().error);
}

const std::string kParameterX = "%x = f32[2,3] parameter(0)\n";

INSTANTIATE_TEST_SUITE_P(
    Instructions, HloError,
    testing::Values(
        BadModule{"UnknownInstruction", kParameterX + "ROOT %r = f32[2,3] sinus(%x)\n",
                  "m.hlo.txt:23:20: unknown instruction 'sinus'"},
        BadModule{"UnknownOperand", kParameterX + "ROOT %r = f32[2,3] sine(%y)\n",
                  "m.hlo.txt:23:26: operand 'y' of 'r' is no instruction before it"},
        BadModule{"OperandThatComesLater", "%r = f32[] sine(%c)\nROOT %c = f32[] constant(1)\n",
                  "m.hlo.txt:22:18: operand 'c' of 'r' is no instruction before it"},
        BadModule{"WrongNumberOfOperands", kParameterX + "ROOT %r = f32[2,3] add(%x)\n",
                  "m.hlo.txt:23:7: 'r' has 1 operands, add needs 2"},
        BadModule{"OperandOfAnotherShape",
                  kParameterX + "%y = f32[3,2] parameter(1)\nROOT %r = f32[2,3] add(%x, %y)\n",
                  "m.hlo.txt:24:29: operand 'y' of 'r' is f32[3,2], which does not fit f32[2,3]"},
        BadModule{"OperandOfAnotherType",
                  kParameterX + "%y = s32[2,3] parameter(1)\nROOT %r = f32[2,3] add(%x, %y)\n",
                  "m.hlo.txt:24:29: operand 'y' of 'r' is s32[2,3], which does not fit f32[2,3]"},
        BadModule{"OperandSaidToHaveAnotherShape",
                  kParameterX + "ROOT %r = f32[2,3] sine(f32[3,2] %x)\n",
                  "m.hlo.txt:23:35: operand 'x' is f32[2,3], here it is said to be f32[3,2]"},
        BadModule{"ResultOfAnotherShape", kParameterX + "ROOT %r = f32[2,2] sine(%x)\n",
                  "m.hlo.txt:23:26: operand 'x' of 'r' is f32[2,3], which does not fit f32[2,2]"},
        BadModule{"RepeatedName", kParameterX + "ROOT %x = f32[2,3] sine(%x)\n",
                  "m.hlo.txt:23:7: another instruction is named 'x'"},
        BadModule{"RepeatedParameter", kParameterX + "ROOT %y = f32[2] parameter(0)\n",
                  "m.hlo.txt:23:28: a second parameter(0)"},
        BadModule{"MissingParameter", "ROOT %y = f32[2] parameter(1)\n",
                  "m.hlo.txt:21:8: computation 'main' has no parameter(0)"},
        BadModule{"SecondRoot", "ROOT %a = f32[] parameter(0)\nROOT %b = f32[] sine(%a)\n",
                  "m.hlo.txt:23:1: a second ROOT"},
        BadModule{"UnknownElementType", "ROOT %c = c64[2] parameter(0)\n",
                  "m.hlo.txt:22:11: element type 'c64' is not supported\n"
                  "  hint: real floating-point, integer (up to u32 and s64) and pred types are"},
        BadModule{
            "DynamicSize", "ROOT %c = f32[<=4] parameter(0)\n",
            "m.hlo.txt:22:15: this size is dynamic\n  hint: compile the module with static shapes"},
        BadModule{"ImpossibleShape", "ROOT %c = f32[4,-1] parameter(0)\n",
                  "m.hlo.txt:22:11: impossible shape f32[4,-1]"},
        BadModule{"LayoutThatMissesADimension", "ROOT %c = f32[4,2]{0,0} parameter(0)\n",
                  "m.hlo.txt:22:20: layout {0,0} does not name each of 2 dimensions once"},
        BadModule{"UnknownAttribute", kParameterX + "ROOT %r = f32[2,3] sine(%x), fast=true\n",
                  "m.hlo.txt:23:30: unknown attribute 'fast' of 'r'"},
        BadModule{
            "AttributeTwice",
            kParameterX + "ROOT %r = f32[3,2] transpose(%x), dimensions={1,0}, dimensions={1,0}\n",
            "m.hlo.txt:23:53: attribute 'dimensions' is given twice"},
        BadModule{"AttributeOfAnotherInstruction",
                  kParameterX + "ROOT %r = (f32[2,3]) tuple(%x), dimensions={0}\n",
                  "m.hlo.txt:23:33: 'r' (tuple) has no use for 'dimensions'"},
        BadModule{"MissingAttribute",
                  "%p = (f32[]) parameter(0)\nROOT %r = f32[] "
                  "get-tuple-element(%p)\n",
                  "m.hlo.txt:23:7: 'r' (get-tuple-element) has no 'index'"},
        BadModule{"MalformedSlice",
                  kParameterX + "ROOT %r = f32[1,3] slice(%x), slice={[0:1], [0-3]}\n",
                  "m.hlo.txt:23:46: expected the start of a slice, found '0-3'"},
        BadModule{"TupleElementOutOfRange",
                  "%p = (f32[]) parameter(0)\n"
                  "ROOT %r = f32[] get-tuple-element(%p), index=1\n",
                  "m.hlo.txt:23:7: (f32[]) has no element 1"},
        BadModule{"TupleElementOfAnotherShape",
                  "%p = (f32[]) parameter(0)\n"
                  "ROOT %r = f32[2] get-tuple-element(%p), index=0\n",
                  "m.hlo.txt:23:7: 'r' is f32[2], but get-tuple-element gives f32[]"},
        BadModule{"ConstantOfAnotherShape", "ROOT %c = f32[3] constant({1, 2})\n",
                  "m.hlo.txt:22:32: the constant does not have shape f32[3]"},
        BadModule{"ConstantOfAnotherType", "ROOT %c = s8[2] constant({1, 300})\n",
                  "m.hlo.txt:22:30: '300' is no int8"},
        BadModule{"UnknownComputation", kParameterX + "ROOT %r = f32[2,3] call(%x), to_apply=%f\n",
                  "m.hlo.txt:23:40: no computation is named 'f'"},
        BadModule{"CallWithAnotherShape",
                  "%y = f32[2] parameter(0)\nROOT %r = f32[] call(%y, %y), to_apply=%add\n",
                  "m.hlo.txt:23:23: operand 0 is f32[2], 'add' needs f32[]"},
        BadModule{"SideEffect",
                  kParameterX + "ROOT %r = f32[2,3] custom-call(%x), custom_call_target=\"log\", "
                                "custom_call_has_side_effect=true\n",
                  "m.hlo.txt:23:63: 'r' has side effects: no graph expresses them"},
        BadModule{
            "EffectfulInstruction", kParameterX + "ROOT %r = f32[2,3] copy-start(%x)\n",
            "m.hlo.txt:23:20: instruction 'copy-start' is not supported\n"
            "  hint: print the module before it is made asynchronous; it must be a function of its "
            "parameters"},
        BadModule{"UnpartitionedModule",
                  kParameterX + "ROOT %r = f32[2,3] sine(%x), sharding={devices=[2,1]0,1}\n",
                  "m.hlo.txt:23:30: 'r' has a sharding: the module is not partitioned yet\n"
                  "  hint: print the module behind XLA's SPMD partitioner"}),
    [](const auto& instance) { return instance.param.name; });

struct BadGroup {
  std::string name;
  std::string instruction;
  std::string error;  // from the column on
};

void PrintTo(const BadGroup& group, std::ostream* out) { *out << group.name; }

class HloGroupError : public testing::TestWithParam<BadGroup> {};

TEST_P(HloGroupError, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(hlo_error(hlo_text("%x = f32[2] parameter(0)\nROOT %r = f32[2] " +
                               GetParam().instruction + "\n"),
                      2),
            "m.hlo.txt:23:" + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, HloGroupError,
    testing::Values(
        BadGroup{"UnknownRank", "all-reduce(%x), replica_groups={{0,2}}, to_apply=%add",
                 "49: id 2 of a group does not exist\n  hint: ids are 0 to 1"},
        BadGroup{"RankTwice", "all-reduce(%x), replica_groups={{0,1},{1}}, to_apply=%add",
                 "49: id 1 is in a group twice"},
        BadGroup{"RankInNoGroup", "all-reduce(%x), replica_groups={{0}}, to_apply=%add",
                 "49: id 1 is in no group"},
        BadGroup{"EmptyGroup", "all-reduce(%x), replica_groups={{0,1},{}}, to_apply=%add",
                 "49: a group is empty"},
        BadGroup{"NoList", "all-reduce(%x), replica_groups={0,1}, to_apply=%add",
                 "50: expected '{', found '0'"},
        BadGroup{"IotaOfAnotherSize", "all-reduce(%x), replica_groups=[1,4]<=[4], to_apply=%add",
                 "49: these groups do not split 2 ids"},
        BadGroup{"GlobalIdsWithoutChannel",
                 "all-reduce(%x), use_global_device_ids=true, to_apply=%add",
                 "7: 'r' cannot use global device ids\n  hint: they need a channel_id"},
        BadGroup{"ReductionThatIsNoSum", "all-reduce(%x), to_apply=%difference",
                 "44: no computation is named 'difference'"},
        BadGroup{"GatherOfNoDimension", "all-gather(%x), dimensions={}",
                 "7: 'r' needs one dimension"},
        BadGroup{"RankThatSendsTwice", "collective-permute(%x), source_target_pairs={{0,1},{0,0}}",
                 "62: id 0 sends twice"},
        BadGroup{"RankThatReceivesTwice",
                 "collective-permute(%x), source_target_pairs={{0,1},{1,1}}",
                 "62: id 1 receives twice"}),
    [](const auto& instance) { return instance.param.name; });

TEST(HloError, ATextThatEndsTooEarlyIsNoModule) {
  const std::string text = hlo_text("%x = f32[2] parameter(0)\nROOT %r = f32[2] sine(%x)\n");
  // Without its last brace, the text of each smaller prefix is an error too; none is accepted.
  for (size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_THAT(hlo_error(text.substr(0, size)), StartsWith("m.hlo.txt:")) << size;
  EXPECT_EQ(hlo_error(text.substr(0, text.size() - 2)),
            "m.hlo.txt:24:1: computation 'main' has no end");
}

TEST(HloError, BracketsMustMatch) {
  EXPECT_EQ(hlo_error(hlo_text("ROOT %r = f32[2 parameter(0)\n")),
            "m.hlo.txt:22:17: expected ',' or ']', found 'parameter'");
  EXPECT_EQ(hlo_error(hlo_text("%x = f32[2] parameter(0)\n"
                               "ROOT %r = f32[2] broadcast(%x), dimensions={0\n")),
            "m.hlo.txt:23:44: no '}' closes what opens here");
}

TEST(HloError, TheHeaderMustFit) {
  const std::string entry = "ROOT %x = f32[2] parameter(0)\n";
  EXPECT_EQ(hlo_error(hlo_text(entry, ", entry_computation_layout={(f32[3]{0})->f32[2]{0}}")),
            "m.hlo.txt:1:39: these are not the shapes of 'main'");
  EXPECT_EQ(hlo_error(hlo_text(entry, ", speed=2")),
            "m.hlo.txt:1:14: unknown module attribute 'speed'");
  EXPECT_EQ(hlo_error(hlo_text(entry, ", num_partitions=4"), 2),
            "m.hlo.txt:1:1: the module is compiled for 4 partitions, the case has 2 ranks\n"
            "  hint: set ranks in case.toml to their product");
  EXPECT_EQ(hlo_error("HloModule m\n%f {\n  ROOT %x = f32[2] parameter(0)\n}\n"),
            "m.hlo.txt:5:1: the module has no ENTRY computation, or the text ends too early");
}

TEST(HloError, ASignatureMustFitItsComputation) {
  EXPECT_EQ(hlo_error("HloModule m\nENTRY %f (x: f32[3]) -> f32[2] {\n"
                      "  ROOT %x = f32[2] parameter(0)\n}\n"),
            "m.hlo.txt:3:9: parameter(0) is 'x: f32[2]', declared as 'x: f32[3]'");
  EXPECT_EQ(hlo_error("HloModule m\nENTRY %f (x: f32[2]) -> f32[3] {\n"
                      "  ROOT %x = f32[2] parameter(0)\n}\n"),
            "m.hlo.txt:3:9: the result is f32[2], computation 'f' declares f32[3]");
}

// 2^40 calls, none of which leaves a node.
TEST(HloError, CallsThatMultiplyAreStopped) {
  std::string text = "HloModule m\n%f0 {\n  ROOT %x = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string call = " = f32[] call(%x), to_apply=%f" + std::to_string(i - 1) + "\n";
    text += "%f" + std::to_string(i) + " {\n  %x = f32[] parameter(0)\n  %a" + call + "  ROOT %b" +
            call + "}\n";
  }
  text +=
      "ENTRY %main {\n  %x = f32[] parameter(0)\n  ROOT %r = f32[] call(%x), to_apply=%f40\n}\n";
  EXPECT_THAT(hlo_error(text),
              testing::HasSubstr("the module has too many instructions, calls inlined"));
}

TEST(HloError, LoopsWithCollectivesAreNoFunctions) {
  const std::string text =
      "HloModule m\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n  ROOT %r = f32[] add(%a, %b)\n}\n"
      "%more (x: f32[2]) -> pred[] {\n  %x = f32[2] parameter(0)\n"
      "  ROOT %t = pred[] constant(true)\n}\n"
      "%body (x: f32[2]) -> f32[2] {\n  %x = f32[2] parameter(0)\n"
      "  ROOT %r = f32[2] all-reduce(%x), to_apply=%sum\n}\n"
      "ENTRY %main {\n  %x = f32[2] parameter(0)\n"
      "  ROOT %w = f32[2] while(%x), condition=%more, body=%body\n}\n";
  EXPECT_EQ(
      hlo_error(text),
      "m.hlo.txt:13:20: 'all-reduce' within a computation that is not inlined is not "
      "supported\n  hint: loops, branches and reductions must be functions of their operands");
}

}  // namespace
}  // namespace assay::test
