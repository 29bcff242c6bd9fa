// Random calls of declared operators mean what PyTorch computes. The test draws a few hundred; a
// full run draws ASSAY_DIFFERENTIAL, from ASSAY_SEED on, and says which operators were never drawn
// or taken and which attributes always had one value. Calls are drawn from PyTorch's schemas, and
// from the tables of calls.
#include <gtest/gtest.h>

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "shared_ir/import/fx_json/fx_json.h"
#include "tests/declarations/kernel_comparison.h"
#include "tests/differential/pattern_call.h"
#include "tests/differential/run_size.h"
#include "tests/differential/schema_call.h"
#include "tests/differential/shrink.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

constexpr uint64_t kDrawsPerOperator = 40;  // until one is taken

Comparison compare(const DrawnCall& call, const OperatorTable& operators,
                   std::optional<double> tolerance = kDifferentialTolerance) {
  try {
    return compare_with_kernel(call, operators, tolerance);
  } catch (const std::exception& error) {
    return {Outcome::kDiffers, std::string("the evaluation fails: ") + error.what()};
  }
}

struct Tally {
  size_t agreed = 0, disagreed = 0, rejected = 0;
  std::map<std::string, size_t> refused;             // by operator
  std::map<std::string, std::string> first_refusal;  // by operator
  std::map<std::string, size_t> compared;            // by operator
  std::map<std::string, std::map<std::string, std::set<std::string>>>
      attributes;  // by operator and name: what was given
};

std::string text_of(DrawnCall call) {
  Graph& graph = call.graph;
  graph.name = "call";
  for (size_t id = 0; id < graph.tensors.size(); ++id)
    graph.by_name[graph.tensors[id].name] = static_cast<TensorId>(id);
  std::string text = to_fx_json(graph, 0);
  for (size_t i = 0; i < call.values.size(); ++i) {
    text += "\nin" + std::to_string(i) + " =";
    for (const double value : call.values[i].values) text += " " + std::to_string(value);
  }
  return text;
}

void judge(const DrawnCall& call, const Comparison& found, const OperatorTable& operators,
           std::optional<double> tolerance, Tally& tally) {
  const std::string& op = call.graph.nodes[0].op;
  ++tally.compared[op];
  for (const auto& [name, text] : drawn_attributes(call)) tally.attributes[op][name].insert(text);
  if (found.outcome == Outcome::kAgrees) {
    ++tally.agreed;
  } else if (found.outcome == Outcome::kRefused) {
    ++tally.refused[op];
    tally.first_refusal.emplace(op, found.why);
  } else {
    ++tally.disagreed;
    const auto differs = [&](const DrawnCall& smaller) {
      return compare(smaller, operators, tolerance).outcome == Outcome::kDiffers;
    };
    // What fits only as a whole does not shrink.
    const bool fits = op == call.graph.nodes[0].op && has_drawable_schema(op);
    const DrawnCall smallest = fits ? shrink(call, differs) : call;
    ADD_FAILURE() << call.graph.nodes[0].op << ": " << compare(smallest, operators, tolerance).why
                  << '\n'
                  << text_of(smallest);
  }
}

void print_never_varied(const Tally& tally) {
  for (const auto& [op, attributes] : tally.attributes)
    for (const auto& [name, texts] : attributes)
      if (texts.size() == 1)
        std::cout << "never varied: " << op << ": " << name << " = " << *texts.begin() << '\n';
}

void print(const Tally& tally, const std::vector<std::string>& names,
           const CallPatterns& patterns) {
  size_t refused = 0;
  for (const auto& [op, count] : tally.refused) {
    refused += count;
    std::cout << "refused " << count << " of " << tally.compared.at(op) << ": " << op << ": "
              << tally.first_refusal.at(op) << '\n';
  }
  for (const std::string& name : names) {
    if (tally.compared.contains(name)) continue;
    const bool drawn = has_drawable_schema(name) || patterns.has(name);
    std::cout << (drawn ? "never taken: " : "not drawn: ") << name;
    if (const std::string why = patterns.why_not(name); !why.empty()) std::cout << ": " << why;
    std::cout << '\n';
  }
  std::cout << tally.agreed << " agreed, " << refused << " refused, " << tally.disagreed
            << " disagreed, " << tally.rejected << " rejected by PyTorch\n";
}

// What is declared by name, and PyTorch's operators on lists that are declared by their elements'.
std::vector<std::string> declared_names(const OperatorTable& operators) {
  std::vector<std::string> names = operators.names();
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("aten::_foreach_") || name.name.ends_with("_")) continue;
    const std::string op = "aten." + name.name.substr(6) + "." +
                           (name.overload_name.empty() ? "default" : name.overload_name);
    if (operators.find(op) != nullptr && std::ranges::find(names, op) == names.end())
      names.push_back(op);
  }
  std::ranges::sort(names);
  return names;
}

TEST(Differential, CallsMeanWhatTheKernelsCompute) {
  const OperatorTable operators = OperatorTable::builtin();
  const std::vector<std::string> names = declared_names(operators);
  const CallPatterns patterns;
  std::vector<std::string> drawable;
  for (const std::string& name : names)
    if (has_drawable_schema(name) || patterns.has(name)) drawable.push_back(name);
  ASSERT_FALSE(drawable.empty());
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 500);
  const uint64_t first = number("ASSAY_SEED", 0);
  Tally tally;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string& op = drawable[i % drawable.size()];
    const bool by_schema = has_drawable_schema(op);
    // One in three calls, and all after half of the draws, are made by the tables.
    const bool by_table = patterns.has(op) && (!by_schema || (i / drawable.size()) % 3 == 2);
    for (uint64_t draw = 0; draw < kDrawsPerOperator; ++draw) {
      const uint64_t seed = ((first + i) * kDrawsPerOperator) + draw;
      const bool from_table = by_table || (patterns.has(op) && draw >= kDrawsPerOperator / 2);
      const DrawnCall call = from_table ? patterns.draw(op, seed) : draw_from_schema(op, seed);
      const std::optional<double> tolerance =
          from_table ? patterns.tolerance(op) : std::optional(kDifferentialTolerance);
      const Comparison found = compare(call, operators, tolerance);
      if (found.outcome == Outcome::kRejected) {
        ++tally.rejected;
        continue;
      }
      judge(call, found, operators, tolerance, tally);
      break;
    }
  }
  print(tally, names, patterns);
  if (std::getenv("ASSAY_DIFFERENTIAL") != nullptr) print_never_varied(tally);
  EXPECT_GT(tally.agreed, 0u);
}

TEST(Differential, FindsAWrongDeclarationAndShrinksItsCall) {
  OperatorTable wrong;
  wrong.add_text(
      "[\"aten.sub.Tensor\"]\nschema = 'self, other, alpha=1'\nreturns = 'sub(self, other)'\n",
      "wrong.toml");
  const auto differs = [&](const DrawnCall& call) {
    return compare(call, wrong).outcome == Outcome::kDiffers;
  };
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const DrawnCall call = draw_from_schema("aten.sub.Tensor", seed);
    if (!differs(call)) continue;
    const DrawnCall smallest = shrink(call, differs);
    EXPECT_TRUE(differs(smallest));
    for (const Tensor& tensor : smallest.graph.tensors) EXPECT_LE(element_count(tensor.shape), 1);
    EXPECT_EQ(smallest.kernel.kwargs.size(), 1u) << "alpha makes the difference";
    return;
  }
  FAIL() << "no call with another alpha than 1 was drawn";
}

}  // namespace
}  // namespace assay::test
