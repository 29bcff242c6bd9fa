#include "tests/shared_ir/hlo/hlo_program.h"

#include <stdexcept>

#include "shared_ir/import/hlo/hlo.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {

std::string hlo_text(const std::string& instructions, const std::string& header) {
  std::string text = "HloModule m" + header + "\n";
  for (const std::string name : {"add", "maximum", "minimum"}) {
    text += "\n%" + name + " (a: f32[], b: f32[]) -> f32[] {\n" +
            "  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n" + "  ROOT %r = f32[] " + name +
            "(%a, %b)\n}\n";
  }
  return text + "\nENTRY %main {\n" + instructions + "}\n";
}

Graph hlo_graph(const std::string& instructions) {
  Groups groups;
  return HloModule::parse(hlo_text(instructions), "m.hlo.txt").graph(0, 1, groups);
}

std::string hlo_error(const std::string& text, int64_t ranks) {
  try {
    Groups groups;
    HloModule::parse(text, "m.hlo.txt").graph(0, ranks, groups);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::vector<std::vector<double>>> hlo_run(const std::string& text, int64_t ranks,
                                                      const HloInputs& inputs) {
  const OperatorTable operators = OperatorTable::builtin();
  const HloModule module = HloModule::parse(text, "m.hlo.txt");
  Groups groups;
  std::vector<Graph> graphs;
  for (int64_t rank = 0; rank < ranks; ++rank)
    graphs.push_back(module.graph(static_cast<Rank>(rank), ranks, groups));
  std::vector<CoreProgram> programs;
  for (int64_t rank = 0; rank < ranks; ++rank)
    programs.push_back(
        lower(graphs[static_cast<size_t>(rank)], groups, static_cast<Rank>(rank), operators));
  const auto values =
      evaluate(programs, {[&](Rank rank, const CoreOp& op) -> ReferenceTensor {
                            const Graph& graph = graphs[static_cast<size_t>(rank)];
                            const Tensor& tensor = graph.tensors[static_cast<size_t>(op.tensor)];
                            auto found = inputs.find(tensor.name + "@" + std::to_string(rank));
                            if (found == inputs.end()) found = inputs.find(tensor.name);
                            if (found == inputs.end())
                              throw std::invalid_argument("no value for " + tensor.name);
                            return {op.shape, found->second};
                          },
                          {}});
  std::vector<std::vector<std::vector<double>>> outputs(graphs.size());
  for (size_t rank = 0; rank < graphs.size(); ++rank)
    for (const TensorId id : graphs[rank].outputs) {
      const CoreId core = programs[rank].value_of[static_cast<size_t>(id)];
      outputs[rank].push_back(values[rank][static_cast<size_t>(core)].values);
    }
  return outputs;
}

std::vector<double> hlo_value(const std::string& instructions, const HloInputs& inputs) {
  return hlo_run(hlo_text(instructions), 1, inputs).at(0).at(0);
}

}  // namespace assay::test
