#include <algorithm>
#include <functional>
#include <random>

#include "tests/identities/pair_drawing.h"

namespace assay::test {
namespace {

using Kind = PairFormula::Kind;
using Change = std::pair<std::string, PairFormula>;

// Functions that are mistaken for one another.
constexpr const char* kNeighbours[][2] = {
    {"exp", "expm1"},
    {"sin", "cos"},
    {"maximum", "minimum"},
    {"amax", "amin"},
    {"sum", "mean"},
    {"sigmoid", "tanh"},
    {"sqrt", "abs"},
    {"rsqrt", "reciprocal"},
    {"gt", "ge"},
    {"lt", "gt"},
    {"softmax", "log_softmax"},
    {"silu", "gelu"},
    {"relu", "abs"},
    {"log", "log1p"},
    {"amax", "mean"},
    {"sum_all", "mean_all"},
    {"softplus", "relu"},
    {"logsumexp", "amax"},
    {"cumsum", "cumprod"},
    {"sinh", "cosh"},
};

void add_changes(const PairFormula& of, std::vector<Change>& changes) {
  const auto add = [&](const std::string& what, PairFormula other) {
    other.keyword = of.keyword;
    changes.emplace_back(what + " in " + to_string(of), std::move(other));
  };
  if (of.kind == Kind::kNumber) {
    const auto number = [&](double value) {
      PairFormula other = number_of(value);
      other.whole = of.whole && other.whole;
      add("a constant", std::move(other));
    };
    number(of.number + 1);
    number(of.number - 1);
    number(of.number * 2);
    if (of.number != 0) number(-of.number);
    if (!of.whole) number(of.number * 1.001);
    return;
  }
  if (of.kind == Kind::kName && (of.name == "true" || of.name == "false"))
    add("a choice", named(of.name == "true" ? "false" : "true"));
  if (of.kind != Kind::kCall) return;
  const auto& operands = of.operands;
  const bool two = operands.size() == 2;
  const auto renamed = [&](const std::string& name) { return call_of(name, operands); };
  if (of.name == "add" || of.name == "sub")
    add("a sign", renamed(of.name == "add" ? "sub" : "add"));
  if (of.name == "mul" || of.name == "div")
    add("a function", renamed(of.name == "mul" ? "div" : "mul"));
  if (of.name == "neg") add("a sign", operands[0]);
  if (two && (of.name == "add" || of.name == "sub" || of.name == "mul" || of.name == "div" ||
              of.name == "maximum" || of.name == "minimum"))
    for (const PairFormula& operand : operands)
      if (operand.kind != Kind::kNumber) add("a term left out", operand);
  if (two && (of.name == "sub" || of.name == "div" || of.name == "pow" || of.name == "mm" ||
              of.name == "matmul"))
    add("operands exchanged", call_of(of.name, {operands[1], operands[0]}));
  if (of.name == "where")
    add("operands exchanged", call_of("where", {operands[0], operands[2], operands[1]}));
  if (of.name == "all_reduce" || of.name == "all_gather" || of.name == "reduce_scatter")
    add("a collective left out", operands[0]);
  if (of.name == "all_reduce") {
    PairFormula other = of;
    other.operands[1].name = of.operands[1].name == "sum" ? "max" : "sum";
    add("a reduction", std::move(other));
  }
  if (!operands.empty() && operands[0].kind != Kind::kNumber && of.name != "where")
    add("a function left out", operands[0]);
  for (const auto& [one, other] : kNeighbours) {
    if (of.name == one) add("a function", renamed(other));
    if (of.name == other) add("a function", renamed(one));
  }
}

// Every formula with one change somewhere.
void add_all(const PairFormula& of, const std::function<void(Change)>& add) {
  std::vector<Change> here;
  add_changes(of, here);
  for (Change& change : here) add(std::move(change));
  for (size_t i = 0; i < of.operands.size(); ++i)
    add_all(of.operands[i], [&](Change change) {
      PairFormula whole = of;
      whole.operands[i] = std::move(change.second);
      add({std::move(change.first), std::move(whole)});
    });
}

// Names of tensors that the formula reads; each may be another one.
void add_operands(const PairProgram& program, size_t step, const std::function<void(Change)>& add) {
  std::vector<std::string> known;
  for (const PairInput& input : program.inputs) known.push_back(input.name);
  for (size_t i = 0; i < step; ++i) known.push_back(program.steps[i].name);
  const PairFormula& of = program.steps[step].right;
  for (const std::string& from : known)
    for (const std::string& to : known) {
      if (from == to) continue;
      bool any = false;
      PairFormula other = substituted(of, [&](const std::string& name) {
        any |= name == from;
        return named(name == from ? to : name);
      });
      if (any) add({to + " for " + from + " in " + to_string(of), std::move(other)});
    }
}

}  // namespace

std::vector<WrongTwin> wrong_twins(const PairProgram& program, uint64_t seed) {
  std::vector<WrongTwin> twins;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto add = [&](Change change) {
      WrongTwin twin{std::move(change.first), program};
      twin.program.steps[i].right = std::move(change.second);
      twins.push_back(std::move(twin));
    };
    add_all(program.steps[i].right, add);
    add_operands(program, i, add);
  }
  std::mt19937_64 random(seed * 0xD1B54A32D192ED03ull + 7);
  for (size_t i = twins.size(); i > 1; --i) std::swap(twins[i - 1], twins[random() % i]);
  return twins;
}

}  // namespace assay::test
