// Every declaration means what the operator's kernel computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/declarations/call_table.h"
#include "tests/declarations/kernel_comparison.h"

namespace assay::test {

inline std::string stem(const CallTable& table) {
  const size_t slash = table.file.rfind('/') + 1;
  return table.file.substr(slash, table.file.rfind('.') - slash);
}

// Found by GoogleTest where CallTable is declared.
inline void PrintTo(const CallTable& table, std::ostream* out) { *out << stem(table); }

namespace {

using Outcome = Comparison::Outcome;

constexpr uint64_t kRounds = 8;
const double kTolerance = CallGroup().tolerance;

// The first round in which the outcome is not the expected one; empty when there is none.
std::string first_surprise(const OperatorTable& operators, const std::string& op,
                           const std::string& pattern, Outcome expected,
                           std::optional<double> tolerance, bool in_float32 = false) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    DrawnCall call = draw_call(op, pattern, seed);
    call.in_float32 = in_float32;
    const Comparison found = compare_with_kernel(call, operators, tolerance);
    if (found.outcome == expected) continue;
    const std::string why = found.why.empty() ? "it agrees, but should be refused" : found.why;
    return op + "(" + pattern + "), seed " + std::to_string(seed) + ": " + why;
  }
  return {};
}

class Declarations : public testing::TestWithParam<CallTable> {};

TEST_P(Declarations, MeanWhatTheKernelsCompute) {
  const OperatorTable operators = OperatorTable::builtin();
  for (const CallGroup& group : GetParam().groups) {
    const auto tolerance =
        group.only_shapes ? std::nullopt : std::optional<double>(group.tolerance);
    for (const std::string& op : group.names) {
      for (const std::string& call : group.calls)
        EXPECT_EQ(
            first_surprise(operators, op, call, Outcome::kAgrees, tolerance, group.in_float32), "");
      for (const std::string& call : group.refused)
        EXPECT_EQ(first_surprise(operators, op, call, Outcome::kRefused, tolerance), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Declarations, testing::ValuesIn(call_tables()),
                         [](const auto& table) { return stem(table.param); });

TEST(DeclarationTables, NameEveryDeclaredOperatorAndNoOther) {
  std::set<std::string> called;
  for (const CallTable& table : call_tables())
    for (const CallGroup& group : table.groups)
      called.insert(group.names.begin(), group.names.end());
  const std::vector<std::string> names = OperatorTable::builtin().names();
  const std::set<std::string> declared(names.begin(), names.end());
  std::vector<std::string> missing, unknown;
  std::set_difference(declared.begin(), declared.end(), called.begin(), called.end(),
                      std::back_inserter(missing));
  std::set_difference(called.begin(), called.end(), declared.begin(), declared.end(),
                      std::back_inserter(unknown));
  EXPECT_EQ(missing, std::vector<std::string>()) << "add them to a table in tests/declarations";
  EXPECT_EQ(unknown, std::vector<std::string>()) << "these are declared nowhere";
}

struct WrongDeclaration {
  std::string name, op, call, right, wrong;
  Outcome outcome = Outcome::kDiffers;
};

std::string declared(const std::string& op, const std::string& body) {
  return "[\"" + op + "\"]\n" + body + "\n";
}

const WrongDeclaration kWrong[] = {
    {"Value", "aten.sub.Tensor", "f[a,b], f[b], alpha=0.5",
     "schema = 'self, other, alpha=1'\nreturns = 'sub(self, other, alpha)'",
     "schema = 'self, other, alpha=1'\nreturns = 'sub(self, other)'"},
    {"Order", "aten.mm.default", "f[a,b], f[b,c]",
     "schema = 'self, mat2'\nreturns = 'einsum(\"i k, k j -> i j\", self, mat2)'",
     "schema = 'self, mat2'\nreturns = 't(einsum(\"i k, k j -> i j\", self, mat2))'",
     Outcome::kRefused},
    {"Category", "aten.eq.Tensor", "i[a]:below(2), i[a]:below(2)",
     "schema = 'self, other'\nreturns = 'compare(\"eq\", self, other)'",
     "schema = 'self, other'\nreturns = 'map(\"eq\", self, other)'", Outcome::kRefused},
    {"NumberOfResults", "aten.unbind.int", "f[3,a]",
     "schema = 'self, dim=0'\nreturns = 'unbind(self, dim)'",
     "schema = 'self, dim=0'\nreturns = 'select(self, dim, 0)'", Outcome::kRefused},
    {"NaN", "aten.isnan.default", "f[20]:wild",
     "schema = 'self'\nreturns = 'compare(\"ne\", self, self)'",
     "schema = 'self'\nreturns = 'compare(\"gt\", self, 1e300)'"},
    {"Infinity", "aten.exp.default", "f[20]:wild",
     "schema = 'self'\nreturns = 'map(\"exp\", self)'",
     "schema = 'self'\nreturns = 'map(\"clamp(none,1e300)\", map(\"exp\", self))'"},
    {"TieOfRounding", "aten.round.default", "f[20]:grid",
     "schema = 'self'\nreturns = 'map(\"round\", self)'",
     "schema = 'self'\nreturns = 'map(\"floor\", add(self, 0.5))'"},
    {"LinearMark", "aten.exp.default", "f[a]", "schema = 'self'\nreturns = 'map(\"exp\", self)'",
     "schema = 'self'\nreturns = 'map(\"exp\", linear(self))'"},
};

class WrongDeclarations : public testing::TestWithParam<WrongDeclaration> {};

TEST_P(WrongDeclarations, AreFoundAndTheirTwinsAreNot) {
  const WrongDeclaration& example = GetParam();
  OperatorTable right, wrong;
  right.add_text(declared(example.op, example.right), "right.toml");
  wrong.add_text(declared(example.op, example.wrong), "wrong.toml");
  EXPECT_EQ(first_surprise(right, example.op, example.call, Outcome::kAgrees, kTolerance), "");
  const DrawnCall call = draw_call(example.op, example.call, 0);
  EXPECT_EQ(compare_with_kernel(call, wrong, kTolerance).outcome, example.outcome);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WrongDeclarations, testing::ValuesIn(kWrong),
                         [](const auto& example) { return example.param.name; });

void PrintTo(const WrongDeclaration& example, std::ostream* out) { *out << example.name; }

}  // namespace
}  // namespace assay::test
