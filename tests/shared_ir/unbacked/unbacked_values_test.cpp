// Programs with sizes that depend on values against PyTorch: record.py captured and ran those of
// values.jsonl.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "shared_ir/import/fx_json/fx_json.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"

namespace assay {
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

TEST(UnbackedValues, PaddedProgramsMeanWhatPyTorchMakesOfThem) {
  const char* root = std::getenv("ASSAY_SOURCE_DIR");
  ASSERT_NE(root, nullptr);
  std::ifstream file(std::string(root) + "/tests/shared_ir/unbacked/values.jsonl");
  const OperatorTable operators = OperatorTable::builtin();
  int programs = 0;
  for (std::string line; std::getline(file, line); ++programs) {
    const Json recorded = Json::parse(line);
    SCOPED_TRACE(recorded["name"].get<std::string>());
    const Graph graph = parse_fx_json(recorded["graph"].get<std::string>(), "recorded.json");
    const CoreProgram program = lower(graph, {}, 0, operators);
    EXPECT_TRUE(program.opaque.empty());
    for (const Json& run : recorded["runs"]) {
      const auto input = [&](Rank, const CoreOp& op) -> ReferenceTensor {
        for (size_t i = 0; i < graph.inputs.size(); ++i)
          if (graph.inputs[i] == op.tensor) return {op.shape, numbers(run["inputs"][i])};
        throw InternalError("no input");
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
  EXPECT_GE(programs, 16);
}

}  // namespace
}  // namespace assay
