#include "shared_ir/reference/assumed_indices.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"

namespace assay {

std::optional<double> index_outside_of_table(const CoreProgram& program, CoreId one_hot,
                                             const std::vector<ReferenceTensor>& values) {
  const CoreOp& op = program.ops[static_cast<size_t>(one_hot)];
  const auto rows = static_cast<double>(static_cast<PlainInt>(op.shape.back()));
  const std::vector<double>& indices = values[static_cast<size_t>(op.operands[0])].values;
  const auto outside = std::ranges::find_if(indices, [&](double index) {
    return !(0 <= index && index < rows) && std::ranges::none_of(op.ints, [&](const Int& beside) {
      return index == static_cast<double>(static_cast<PlainInt>(beside));
    });
  });
  return outside == indices.end() ? std::nullopt : std::optional(*outside);
}

bool stays_in_tables(const CoreProgram& program, const std::vector<ReferenceTensor>& values) {
  for (size_t id = 0; id < program.ops.size(); ++id)
    if (program.ops[id].prim == Prim::kOneHot &&
        index_outside_of_table(program, static_cast<CoreId>(id), values))
      return false;
  return true;
}

bool writes_a_place_twice(const SingleWrite& write, const std::vector<ReferenceTensor>& values) {
  std::vector<std::vector<double>> places(
      values[static_cast<size_t>(write.indices.at(0))].values.size());
  for (const CoreId index : write.indices)
    for (size_t i = 0; i < places.size(); ++i)
      places[i].push_back(values[static_cast<size_t>(index)].values[i]);
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) != places.end();
}

}  // namespace assay
