#include "tests/hlo/lowered.h"

#include <algorithm>

#include "shared_ir/import/hlo/hlo.h"
#include "shared_ir/operator_table/operator_table.h"

namespace assay::test {

LoweredHlo::LoweredHlo(const std::string& text, int64_t ranks) {
  static const OperatorTable operators = OperatorTable::builtin();
  const HloModule module = HloModule::parse(text, "m.hlo.txt");
  for (int64_t rank = 0; rank < ranks; ++rank)
    graphs.push_back(module.graph(static_cast<Rank>(rank), ranks, groups));
  for (size_t rank = 0; rank < graphs.size(); ++rank)
    programs.push_back(lower(graphs[rank], groups, static_cast<Rank>(rank), operators));
}

const std::string& LoweredHlo::input(size_t i) const {
  return graphs[0].tensors[static_cast<size_t>(graphs[0].inputs[i])].name;
}

bool LoweredHlo::assumes(const std::string& words) const {
  return std::ranges::any_of(programs[0].notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

std::string LoweredHlo::opaque_part() const {
  for (size_t rank = 0; rank < programs.size(); ++rank)
    for (const CoreOp& op : programs[rank].ops)
      if (op.prim == Prim::kOpaque && !op.fn.starts_with("literal") &&
          !op.fn.starts_with("constant"))
        return graphs[rank].nodes[static_cast<size_t>(op.origin)].op;
  return {};
}

std::vector<std::vector<ReferenceTensor>> LoweredHlo::run(
    const std::vector<HloValues::Run>& of_ranks) const {
  return evaluate(programs, {[&](Rank rank, const CoreOp& op) -> ReferenceTensor {
                               const auto at = static_cast<size_t>(rank);
                               const Tensor& tensor =
                                   graphs[at].tensors[static_cast<size_t>(op.tensor)];
                               return {op.shape, of_ranks[at].inputs.at(tensor.name)};
                             },
                             {}});
}

CoreId LoweredHlo::result(size_t rank) const {
  return programs[rank].value_of[static_cast<size_t>(graphs[rank].outputs.at(0))];
}

}  // namespace assay::test
