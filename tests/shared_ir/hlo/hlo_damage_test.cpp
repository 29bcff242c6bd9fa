// Damaged HLO text: whatever it says, the importer and the lowering answer with a graph or with a
// UserError.
#include <gtest/gtest.h>

#include <random>

#include "shared_ir/import/hlo/hlo.h"
#include "tests/shared_ir/hlo/hlo_program.h"
#include "tests/support/hlo_llama.h"

namespace assay::test {
namespace {

// One module with most constructs of the importer.
std::string varied_module() {
  return hlo_text(
      "%p = (f32[4,6]{1,0}, (s32[], f32[6])) parameter(0), sharding={replicated}\n"
      "%x = f32[4,6] get-tuple-element(%p), index=0\n"
      "%t = (s32[], f32[6]) get-tuple-element(%p), index=1\n"
      "%i = s32[] get-tuple-element(%t), index=0\n"
      "%v = f32[6] get-tuple-element(%t), index=1\n"
      "%b = f32[4,6] broadcast(%v), dimensions={1}\n"
      "%s = f32[4,6] add(f32[4,6] %x, %b), metadata={op_name=\"a/b\" source_file=\"m.py\" "
      "source_line=7}\n"
      "%z = f32[] constant(-inf)\n"
      "%m = f32[4] reduce(%s, %z), dimensions={1}, to_apply=%maximum\n"
      "%k = s32[2,2] constant({ { 1, 2 }, { 3, 4 } })\n"
      "%w = f32[2,3] slice(%x), slice={[0:4:2], [3:6]}\n"
      "%n = s32[] constant(1)\n"
      "%d = f32[4,2] dynamic-slice(%x, %n, %i), dynamic_slice_sizes={4,2}\n"
      "%h = f32[6,9] pad(%b, %z), padding=1_1x-1_4\n"
      "%g = f32[4,4] dot(%x, %s), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
      "%c = f32[4,6]{0,1} copy(%x)\n"
      "%u = f32[24] bitcast(%c)\n"
      "%r = f32[4,6] all-reduce(%x), replica_groups={{0,1},{2,3}}, to_apply=%add\n"
      "%a = f32[4,12] all-gather(%x), replica_groups=[2,2]<=[4], dimensions={1}\n"
      "%q = u32[] partition-id()\n"
      "%e = f32[4] call(%m, %m), to_apply=%max4\n"
      "ROOT %out = (f32[4], f32[4,4], f32[24], f32[4,12]) tuple(%e, %g, %u, %a)\n",
      ", replica_count=4, frontend_attributes={a=\"b\"}");
}

std::string with_max4(std::string text) {
  const size_t entry = text.find("ENTRY");
  return text.insert(entry,
                     "%max4 (a: f32[4], b: f32[4]) -> f32[4] {\n  %a = f32[4] parameter(0)\n"
                     "  %b = f32[4] parameter(1)\n  ROOT %m = f32[4] maximum(%a, %b)\n}\n\n");
}

void import(const std::string& text, const OperatorTable& operators) {
  const HloModule module = HloModule::parse(text, "m.hlo.txt");
  for (const Rank rank : {0, 3}) {
    Groups groups;
    lower(module.graph(rank, 4, groups), groups, rank, operators);
  }
}

class Damage {
 public:
  explicit Damage(uint32_t seed) : random_(seed) {}

  std::string of(std::string text) {
    const int edits = 1 + below(3);
    for (int i = 0; i < edits; ++i) edit(text);
    return text;
  }

 private:
  int below(size_t n) { return static_cast<int>(random_() % std::max<size_t>(n, 1)); }

  void edit(std::string& text) {
    static constexpr std::string_view kPieces[] = {"{",
                                                   "}",
                                                   "(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   "%",
                                                   "=",
                                                   "\"",
                                                   "0",
                                                   "-1",
                                                   "99",
                                                   "f32",
                                                   "pred[4]",
                                                   "{...}",
                                                   "->",
                                                   "x",
                                                   "add",
                                                   "/*",
                                                   "\n",
                                                   "1e400",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "ROOT ",
                                                   "\\"};
    const auto at = static_cast<size_t>(below(text.size()));
    const auto length = static_cast<size_t>(below(12));
    const auto from = static_cast<size_t>(below(text.size()));
    switch (below(8)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.replace(at, 1, kPieces[below(std::size(kPieces))]);
        break;
      case 3:
        text.insert(at, text.substr(from, length));
        break;
      case 4: {  // a line elsewhere
        const size_t start = text.rfind('\n', from) + 1;
        const std::string line = text.substr(start, text.find('\n', start) - start + 1);
        text.insert(text.rfind('\n', at) + 1, line);
        break;
      }
      default: {  // another number: most of these are modules still
        const size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(8));
      }
    }
  }

  std::mt19937 random_;
};

TEST(HloDamage, TheWholeModuleIsAccepted) {
  EXPECT_NO_THROW(import(with_max4(varied_module()), OperatorTable::builtin()));
}

TEST(HloDamage, GivesAGraphOrAnErrorOfTheUser) {
  const OperatorTable operators = OperatorTable::builtin();
  const std::string varied = with_max4(varied_module());
  const std::string decoder = hlo_llama_case({.ranks = 4}).at("distributed.hlo.txt");
  int accepted = 0, refused = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    const std::string text = Damage(seed).of(seed % 4 ? varied : decoder);
    try {
      import(text, operators);
      ++accepted;
    } catch (const UserError& error) {
      ++refused;
      EXPECT_TRUE(error.place().known() || error.message().find("m.hlo.txt") != std::string::npos)
          << error.what();
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, 3000);
  EXPECT_GT(accepted, 100) << "damage to names and values often leaves a module";
}

}  // namespace
}  // namespace assay::test
