#include "tests/shared_ir/recorded_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "shared_ir/import/fx_json/fx_json.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {
namespace {

using Json = nlohmann::json;

std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& number : list) values.push_back(number.get<double>());
  return values;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], 1e-4 * (1 + std::abs(wanted[i]))) << "element " << i;
}

void expect_values(const std::string& text, const Json& runs, const OperatorTable& operators) {
  const Graph graph = parse_fx_json(text, "recorded.json");
  const CoreProgram program = lower(graph, {}, 0, operators);
  EXPECT_TRUE(program.opaque.empty());
  for (const Json& run : runs) {
    const auto input = [&](Rank, const CoreOp& op) -> ReferenceTensor {
      const auto found = std::ranges::find(graph.inputs, op.tensor);
      const auto i = static_cast<size_t>(found - graph.inputs.begin());
      return {op.shape, numbers(run["inputs"].at(i))};
    };
    const std::vector<ReferenceTensor> values = evaluate({program}, {input, {}}).at(0);
    ASSERT_EQ(graph.outputs.size(), run["outputs"].size());
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      const CoreId id = program.value_of[static_cast<size_t>(graph.outputs[i])];
      expect_near(values[static_cast<size_t>(id)].values, numbers(run["outputs"][i]));
    }
  }
}

}  // namespace

int expect_recorded_values(const std::string& file) {
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  EXPECT_NE(root, nullptr);
  if (root == nullptr) return 0;
  std::ifstream stream(std::string(root) + "/" + file);
  const OperatorTable operators = OperatorTable::builtin();
  int programs = 0;
  for (std::string line; std::getline(stream, line); ++programs) {
    const Json recorded = Json::parse(line);
    SCOPED_TRACE(recorded["name"].get<std::string>());
    const Json graphs = recorded.value("graphs", Json::array({recorded.value("graph", "")}));
    for (const Json& text : graphs)
      expect_values(text.get<std::string>(), recorded["runs"], operators);
  }
  return programs;
}

}  // namespace assay::test
