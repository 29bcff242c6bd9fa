// What instructions of HLO compute, in float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "shared_ir/import/hlo/hlo.h"
#include "tests/shared_ir/hlo/hlo_program.h"

namespace assay::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using Values = std::vector<double>;

TEST(HloInstruction, ElementwiseInstructionsTakeOneShape) {
  const HloInputs xy{{"x", {7, -7, 3}}, {"y", {2, 2, -2}}};
  const auto binary = [&](const std::string& opcode, const std::string& type) {
    return hlo_value("%x = " + type + "[3] parameter(0)\n%y = " + type +
                         "[3] parameter(1)\nROOT %r = " + type + "[3] " + opcode + "(%x, %y)\n",
                     xy);
  };
  EXPECT_EQ(binary("add", "f32"), (Values{9, -5, 1}));
  EXPECT_EQ(binary("subtract", "s32"), (Values{5, -9, 5}));
  EXPECT_EQ(binary("multiply", "f32"), (Values{14, -14, -6}));
  EXPECT_EQ(binary("divide", "f32"), (Values{3.5, -3.5, -1.5}));
  EXPECT_EQ(binary("divide", "s32"), (Values{3, -3, -1})) << "integers are cut towards zero";
  EXPECT_EQ(binary("remainder", "s32"), (Values{1, -1, 1})) << "with the sign of the dividend";
  EXPECT_EQ(binary("maximum", "f32"), (Values{7, 2, 3}));
  EXPECT_EQ(binary("minimum", "f32"), (Values{2, -7, -2}));
  EXPECT_EQ(binary("and", "s32"), (Values{7 & 2, -7 & 2, 3 & -2}));
}

TEST(HloInstruction, DifferencesOfUnsignedIntegersWrap) {
  EXPECT_EQ(hlo_value("%x = u32[2] parameter(0)\n%y = u32[2] parameter(1)\n"
                      "ROOT %r = u32[2] subtract(%x, %y)\n",
                      {{"x", {5, 1}}, {"y", {2, 3}}}),
            (Values{3, 4294967294}));
}

TEST(HloInstruction, CompareSelectAndClamp) {
  const HloInputs x{{"x", {1, 5, 9}}};
  const std::string head =
      "%x = f32[3] parameter(0)\n%c = f32[] constant(5)\n"
      "%b = f32[3] broadcast(%c), dimensions={}\n";
  for (const auto& [direction, expected] :
       std::vector<std::pair<std::string, Values>>{{"EQ", {0, 1, 0}},
                                                   {"NE", {1, 0, 1}},
                                                   {"LT", {1, 0, 0}},
                                                   {"LE", {1, 1, 0}},
                                                   {"GT", {0, 0, 1}},
                                                   {"GE", {0, 1, 1}}}) {
    EXPECT_EQ(
        hlo_value(head + "ROOT %r = pred[3] compare(%x, %b), direction=" + direction + "\n", x),
        expected)
        << direction;
  }
  EXPECT_EQ(hlo_value(head + "%m = pred[3] compare(%x, %b), direction=LE\n"
                             "ROOT %r = f32[3] select(%m, %x, %b)\n",
                      x),
            (Values{1, 5, 5}));
  EXPECT_EQ(hlo_value(head + "%l = f32[] constant(2)\nROOT %r = f32[3] clamp(%l, %x, %c)\n", x),
            (Values{2, 5, 5}));
}

TEST(HloInstruction, ConstantsHaveTheirTypesValues) {
  EXPECT_EQ(hlo_value("ROOT %c = s32[2,2] constant({ { 1, -2 }, { -2, 4 } })\n"),
            (Values{1, -2, -2, 4}));
  EXPECT_EQ(hlo_value("ROOT %c = f16[] constant(-inf)\n"), (Values{-INFINITY}));
  EXPECT_EQ(hlo_value("ROOT %c = pred[2] constant({true, true})\n"), (Values{1, 1}));
  EXPECT_EQ(hlo_value("ROOT %c = f32[] constant(0.333333343)\n"), (Values{1.0 / 3}))
      << "the float32 nearest to a third";
}

TEST(HloInstruction, AConversionToFewerBitsWrapsConstantsToo) {
  EXPECT_EQ(hlo_value("%c = s32[] constant(300)\nROOT %r = u8[] convert(%c)\n"), (Values{44}));
  EXPECT_EQ(hlo_value("%c = s32[] constant(-1)\nROOT %r = u32[] convert(%c)\n"),
            (Values{4294967295}));
}

// It did so only into types that hold all integers of the narrower one.
TEST(HloInstruction, AConversionToMoreBitsReadsWhatHasWrapped) {
  const std::string product =
      "%a = s16[2] parameter(0)\n%b = s16[2] parameter(1)\n%p = s16[2] multiply(%a, %b)\n";
  const HloInputs inputs = {{"a", {-32768, -32768}}, {"b", {-2, -3}}};
  EXPECT_EQ(hlo_value(product + "ROOT %r = s32[2] convert(%p)\n", inputs), (Values{0, -32768}));
  EXPECT_EQ(hlo_value(product + "ROOT %r = u32[2] convert(%p)\n", inputs), (Values{0, 4294934528}));
}

TEST(HloInstruction, MovementKeepsElements) {
  const HloInputs x{{"x", {1, 2, 3, 4, 5, 6}}};
  const std::string head = "%x = f32[2,3] parameter(0)\n";
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[3,2] reshape(%x)\n", x), x.at("x"));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[3,2] transpose(%x), dimensions={1,0}\n", x),
            (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[2,2,3] broadcast(%x), dimensions={1,2}\n", x),
            (Values{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[1,2] slice(%x), slice={[1:2], [0:3:2]}\n", x),
            (Values{4, 6}));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[4,3] concatenate(%x, %x), dimensions={0}\n", x).size(),
            12u);
  EXPECT_EQ(hlo_value(head + "%v = f32[] constant(9)\n"
                             "ROOT %r = f32[3,3] pad(%x, %v), padding=1_0x-1_1\n",
                      x),
            (Values{9, 9, 9, 2, 3, 9, 5, 6, 9}));
  EXPECT_EQ(hlo_value("ROOT %i = s32[2,3] iota(), iota_dimension=1\n"), (Values{0, 1, 2, 0, 1, 2}));
}

TEST(HloInstruction, ABitcastReadsMemoryInTheOrderOfTheLayouts) {
  const HloInputs x{{"x", {1, 2, 3, 4, 5, 6}}};
  EXPECT_EQ(hlo_value("%x = f32[2,3]{1,0} parameter(0)\n"
                      "ROOT %r = f32[3,2]{0,1} bitcast(%x)\n",
                      x),
            (Values{1, 4, 2, 5, 3, 6}))
      << "a transposition";
  EXPECT_EQ(hlo_value("%x = f32[2,3]{0,1} parameter(0)\n"
                      "ROOT %r = f32[6]{0} bitcast(%x)\n",
                      x),
            (Values{1, 4, 2, 5, 3, 6}))
      << "column-major memory";
  EXPECT_EQ(hlo_value("%x = f32[2,3] parameter(0)\nROOT %r = f32[3,2] bitcast(%x)\n", x),
            x.at("x"));
}

TEST(HloInstruction, DotContractsAndBatches) {
  const HloInputs ab{{"a", {1, 2, 3, 4}}, {"b", {5, 6, 7, 8}}};
  const std::string head = "%a = f32[2,2] parameter(0)\n%b = f32[2,2] parameter(1)\n";
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[2,2] dot(%a, %b), lhs_contracting_dims={1}, "
                             "rhs_contracting_dims={0}\n",
                      ab),
            (Values{19, 22, 43, 50}));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[2,2] dot(%a, %b), lhs_contracting_dims={0}, "
                             "rhs_contracting_dims={0}\n",
                      ab),
            (Values{26, 30, 38, 44}));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[2] dot(%a, %b), lhs_batch_dims={0}, "
                             "lhs_contracting_dims={1}, rhs_batch_dims={0}, "
                             "rhs_contracting_dims={1}\n",
                      ab),
            (Values{17, 53}));
}

TEST(HloInstruction, AScalarHasNoDimensionToName) {
  const HloInputs values{{"s", {1}}, {"x", {1, 2}}, {"i", {0}}};
  const std::string head = "%s = f32[] parameter(0)\n%x = f32[2] parameter(1)\n";
  EXPECT_THROW(hlo_value(head + "ROOT %r = f32[] dot(%s, %x), lhs_contracting_dims={0}, "
                                "rhs_contracting_dims={0}\n",
                         values),
               UserError);
  EXPECT_THROW(hlo_value(head + "ROOT %r = f32[] broadcast(%x), dimensions={0}\n", values),
               UserError);
  EXPECT_THROW(hlo_value(head + "%i = s32[] parameter(2)\nROOT %r = f32[] gather(%s, %i), "
                                "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                                "index_vector_dim=0, slice_sizes={}\n",
                         values),
               UserError);
}

TEST(HloInstruction, ReduceCombinesWithItsInitialValue) {
  const HloInputs x{{"x", {1, 2, 3, 4, 5, 6}}};
  const auto reduce = [&](const std::string& init, const std::string& by) {
    return hlo_value("%x = f32[2,3] parameter(0)\n%i = f32[] constant(" + init +
                         ")\nROOT %r = f32[2] reduce(%x, %i), dimensions={1}, to_apply=%" + by +
                         "\n",
                     x);
  };
  EXPECT_EQ(reduce("0", "add"), (Values{6, 15}));
  EXPECT_EQ(reduce("10", "add"), (Values{16, 25}));
  EXPECT_EQ(reduce("-inf", "maximum"), (Values{3, 6}));
  EXPECT_EQ(reduce("5", "maximum"), (Values{5, 6}));
  EXPECT_EQ(reduce("inf", "minimum"), (Values{1, 4}));
  EXPECT_EQ(reduce("2", "minimum"), (Values{1, 2}));
}

TEST(HloInstruction, IntegersAreReducedFromTheBoundsOfTheirType) {
  const auto reduce = [&](const std::string& init, const std::string& by) {
    const std::string text =
        "HloModule m\n%f (a: s32[], b: s32[]) -> s32[] {\n  %a = s32[] parameter(0)\n"
        "  %b = s32[] parameter(1)\n  ROOT %r = s32[] " +
        by + "(%a, %b)\n}\nENTRY %main {\n  %x = s32[2,3] parameter(0)\n  %i = s32[] constant(" +
        init + ")\n  ROOT %y = s32[2] reduce(%x, %i), dimensions={1}, to_apply=%f\n}\n";
    return hlo_run(text, 1, {{"x", {1, 2, 3, 4, 5, 6}}}).at(0).at(0);
  };
  EXPECT_EQ(reduce("0", "add"), (Values{6, 15}));
  EXPECT_EQ(reduce("7", "add"), (Values{13, 22}));
  EXPECT_EQ(reduce("-2147483648", "maximum"), (Values{3, 6}));
  EXPECT_EQ(reduce("5", "maximum"), (Values{5, 6}));
  EXPECT_EQ(reduce("2147483647", "minimum"), (Values{1, 4}));
}

TEST(HloInstruction, GatherTakesRows) {
  EXPECT_EQ(hlo_value("%x = f32[3,2] parameter(0)\n%i = s32[2] parameter(1)\n"
                      "ROOT %r = f32[2,2] gather(%x, %i), offset_dims={1}, "
                      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                      "slice_sizes={1,2}\n",
                      {{"x", {1, 2, 3, 4, 5, 6}}, {"i", {2, 0}}}),
            (Values{5, 6, 1, 2}));
}

TEST(HloInstruction, DynamicSlicesStartWhereTheScalarsSay) {
  const HloInputs x{{"x", {1, 2, 3, 4, 5, 6}}, {"i", {1}}, {"u", {7, 8, 9}}};
  const std::string head =
      "%x = f32[3,2] parameter(0)\n%i = s32[] parameter(1)\n"
      "%z = s32[] constant(0)\n%far = s32[] constant(5)\n";
  const std::string slice =
      "ROOT %r = f32[2,2] dynamic-slice(%x, %z, %z), "
      "dynamic_slice_sizes={2,2}\n";
  EXPECT_EQ(hlo_value(head + slice, x), (Values{1, 2, 3, 4}));
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[2,2] dynamic-slice(%x, %far, %z), "
                             "dynamic_slice_sizes={2,2}\n",
                      x),
            (Values{3, 4, 5, 6}))
      << "a start beyond the bounds is moved inside";
  EXPECT_EQ(hlo_value(head + "ROOT %r = f32[2,2] dynamic-slice(%x, %i, %z), "
                             "dynamic_slice_sizes={2,2}\n",
                      x),
            (Values{3, 4, 5, 6}));
  const std::string update = head + "%u = f32[3,1] parameter(2)\n";
  EXPECT_EQ(hlo_value(update + "ROOT %r = f32[3,2] dynamic-update-slice(%x, %u, %z, %i)\n", x),
            (Values{1, 7, 3, 8, 5, 9}));
  EXPECT_EQ(hlo_value(update + "ROOT %r = f32[3,2] dynamic-update-slice(%x, %u, %z, %z)\n", x),
            (Values{7, 2, 8, 4, 9, 6}));
}

TEST(HloInstruction, ARankLooksItsOffsetUpInATable) {
  const std::string text = hlo_text(
      "%x = f32[2,4] parameter(0)\n%t = s32[2] constant({0, 2})\n%p = u32[] partition-id()\n"
      "%e = s32[1] dynamic-slice(%t, %p), dynamic_slice_sizes={1}\n%o = s32[] reshape(%e)\n"
      "%z = s32[] constant(0)\n"
      "ROOT %r = f32[2,2] dynamic-slice(%x, %z, %o), dynamic_slice_sizes={2,2}\n",
      ", num_partitions=2");
  const auto outputs = hlo_run(text, 2, {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}});
  EXPECT_EQ(outputs.at(0).at(0), (Values{1, 2, 5, 6}));
  EXPECT_EQ(outputs.at(1).at(0), (Values{3, 4, 7, 8}));
  // The slices are movement: no gather remains whose index would have to be in range.
  Groups groups;
  const Graph graph = HloModule::parse(text, "m.hlo.txt").graph(1, 2, groups);
  for (const CoreOp& op : lower(graph, groups, 1, OperatorTable::builtin()).ops)
    EXPECT_NE(op.prim, Prim::kOneHot);
}

TEST(HloInstruction, CustomCallsOfNeuronAreDeclared) {
  const auto value = hlo_value(
      "%x = f32[2,1] parameter(0)\n%w = f32[2] parameter(1)\n%e = f32[] constant(0)\n"
      "%m = f32[2,1] custom-call(%x), custom_call_target=\"AwsNeuronTransferWithStaticRing\"\n"
      "ROOT %r = f32[2,1] custom-call(%m, %w, %e), custom_call_target=\"AwsNeuronRmsNorm\", "
      "api_version=API_VERSION_UNSPECIFIED, backend_config=\"0\"\n",
      {{"x", {3, 4}}, {"w", {1, 2}}});
  const double rms = std::sqrt(12.5);
  EXPECT_THAT(value, ElementsAre(DoubleNear(3 / rms, 1e-12), DoubleNear(8 / rms, 1e-12)));
}

TEST(HloInstruction, CollectivesMeetInTheirGroups) {
  const HloInputs x{{"x@0", {1, 2}}, {"x@1", {3, 4}}, {"x@2", {5, 6}}, {"x@3", {7, 8}}};
  const auto run = [&](const std::string& root) {
    std::vector<Values> results;
    for (const auto& outputs :
         hlo_run(hlo_text("%x = f32[2,1] parameter(0)\n" + root + "\n"), 4, x))
      results.push_back(outputs.at(0));
    return results;
  };
  const std::string groups = ", replica_groups={{0,2},{3,1}}";
  EXPECT_THAT(run("ROOT %r = f32[2,1] all-reduce(%x), to_apply=%add" + groups),
              ElementsAre(Values{6, 8}, Values{10, 12}, Values{6, 8}, Values{10, 12}));
  EXPECT_THAT(run("ROOT %r = f32[2,1] all-reduce(%x), to_apply=%maximum" + groups),
              ElementsAre(Values{5, 6}, Values{7, 8}, Values{5, 6}, Values{7, 8}));
  EXPECT_THAT(
      run("ROOT %r = f32[2,2] all-gather(%x), dimensions={1}" + groups),
      ElementsAre(Values{1, 5, 2, 6}, Values{7, 3, 8, 4}, Values{1, 5, 2, 6}, Values{7, 3, 8, 4}))
      << "in the order of the group";
  EXPECT_THAT(run("ROOT %r = f32[1,1] reduce-scatter(%x), dimensions={0}, to_apply=%add" + groups),
              ElementsAre(Values{6}, Values{12}, Values{8}, Values{10}));
  EXPECT_THAT(run("ROOT %r = f32[2,1] all-to-all(%x), dimensions={0}" + groups),
              ElementsAre(Values{1, 5}, Values{8, 4}, Values{2, 6}, Values{7, 3}));
  EXPECT_THAT(run("ROOT %r = f32[2,1] collective-broadcast(%x)" + groups),
              ElementsAre(Values{1, 2}, Values{7, 8}, Values{1, 2}, Values{7, 8}));
  EXPECT_THAT(run("ROOT %r = f32[2,1] collective-permute(%x), "
                  "source_target_pairs={{0,1},{1,0},{2,3}}"),
              ElementsAre(Values{3, 4}, Values{1, 2}, Values{0, 0}, Values{5, 6}))
      << "zeros where nothing arrives";
}

TEST(HloInstruction, FlagsAreReducedByOrAndAnd) {
  const auto run = [](const std::string& function) {
    const std::string text = hlo_text(
        "%x = f32[2] parameter(0)\n%z = f32[] constant(0)\n%zs = f32[2] broadcast(%z), "
        "dimensions={}\n%p = pred[2] compare(%x, %zs), direction=GT\n"
        "%r = pred[2] all-reduce(%p), to_apply=%flags\nROOT %y = f32[2] convert(%r)\n");
    const size_t entry = text.find("ENTRY");
    return hlo_run(text.substr(0, entry) + "%flags {\n  %fa = pred[] parameter(0)\n" +
                       "  %fb = pred[] parameter(1)\n  ROOT %fr = pred[] " + function +
                       "(%fa, %fb)\n}\n" + text.substr(entry),
                   2, {{"x@0", {1, 1}}, {"x@1", {1, -1}}})
        .at(0)
        .at(0);
  };
  EXPECT_EQ(run("or"), (Values{1, 1}));
  EXPECT_EQ(run("and"), (Values{1, 0}));
}

TEST(HloInstruction, CollectivesTakeSeveralOperands) {
  const HloInputs x{{"x@0", {1}}, {"x@1", {2}}, {"y@0", {10}}, {"y@1", {20}}};
  const auto run = [&](const std::string& instruction) {
    return hlo_run(hlo_text("%x = f32[1] parameter(0)\n%y = f32[1] parameter(1)\n"
                            "ROOT %r = (f32[1], f32[1]) " +
                            instruction + "\n"),
                   2, x);
  };
  EXPECT_EQ(run("all-reduce(%x, %y), to_apply=%add").at(1), (std::vector<Values>{{3}, {30}}));
  const auto exchanged = run("all-to-all(%x, %y), replica_groups={{0,1}}");
  EXPECT_EQ(exchanged.at(0), (std::vector<Values>{{1}, {2}}));
  EXPECT_EQ(exchanged.at(1), (std::vector<Values>{{10}, {20}}));
}

}  // namespace
}  // namespace assay::test
