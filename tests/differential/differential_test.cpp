// Random calls of declared operators mean what PyTorch computes. The test draws a few hundred; a
// full run draws ASSAY_DIFFERENTIAL, from ASSAY_SEED on, and says which operators were never drawn
// or taken and which attributes always had one value.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "shared_ir/import/fx_json.h"
#include "tests/declarations/kernel_comparison.h"
#include "tests/differential/run_size.h"
#include "tests/differential/schema_call.h"
#include "tests/differential/shrink.h"

namespace assay::test {
namespace {

using Outcome = Comparison::Outcome;

constexpr uint64_t kDrawsPerOperator = 40;  // until one is taken

Comparison compare(const DrawnCall& call, const OperatorTable& operators) {
  try {
    return compare_with_kernel(call, operators, kDifferentialTolerance);
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
           Tally& tally) {
  const std::string& op = call.kernel.op;
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
      return compare(smaller, operators).outcome == Outcome::kDiffers;
    };
    const DrawnCall smallest = shrink(call, differs);
    ADD_FAILURE() << op << ": " << compare(smallest, operators).why << '\n' << text_of(smallest);
  }
}

void print_never_varied(const Tally& tally) {
  for (const auto& [op, attributes] : tally.attributes)
    for (const auto& [name, texts] : attributes)
      if (texts.size() == 1)
        std::cout << "never varied: " << op << ": " << name << " = " << *texts.begin() << '\n';
}

void print(const Tally& tally, const std::vector<std::string>& names) {
  size_t refused = 0;
  for (const auto& [op, count] : tally.refused) {
    refused += count;
    std::cout << "refused " << count << " of " << tally.compared.at(op) << ": " << op << ": "
              << tally.first_refusal.at(op) << '\n';
  }
  for (const std::string& name : names) {
    if (tally.compared.contains(name)) continue;
    std::cout << (has_drawable_schema(name) ? "never taken: " : "not drawn: ") << name << '\n';
  }
  std::cout << tally.agreed << " agreed, " << refused << " refused, " << tally.disagreed
            << " disagreed, " << tally.rejected << " rejected by PyTorch\n";
}

TEST(Differential, CallsMeanWhatTheKernelsCompute) {
  const OperatorTable operators = OperatorTable::builtin();
  const std::vector<std::string> names = operators.names();
  std::vector<std::string> drawable;
  for (const std::string& name : names)
    if (has_drawable_schema(name)) drawable.push_back(name);
  ASSERT_FALSE(drawable.empty());
  const uint64_t count = number("ASSAY_DIFFERENTIAL", 500);
  const uint64_t first = number("ASSAY_SEED", 0);
  Tally tally;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string& op = drawable[i % drawable.size()];
    for (uint64_t draw = 0; draw < kDrawsPerOperator; ++draw) {
      const DrawnCall call = draw_from_schema(op, ((first + i) * kDrawsPerOperator) + draw);
      const Comparison found = compare(call, operators);
      if (found.outcome == Outcome::kRejected) {
        ++tally.rejected;
        continue;
      }
      judge(call, found, operators, tally);
      break;
    }
  }
  print(tally, names);
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
