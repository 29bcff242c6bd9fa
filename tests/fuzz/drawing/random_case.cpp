#include "tests/fuzz/drawing/random_case.h"

#include <set>

#include "tests/fuzz/drawing/operator_drawing.h"

namespace assay::test {
namespace {

// All ranks in one group, or two groups beside each other, or interleaved, each holding all.
std::vector<std::vector<Rank>> groups(uint64_t kind) {
  switch (kind % 8) {
    case 0:
      return {{0}};
    case 1:
      return {{0, 1, 2}};
    case 2:
      return {{0, 1, 2, 3}};
    case 3:
      return {{0, 1}, {2, 3}};
    case 4:
      return {{0, 2}, {1, 3}};
    case 5:
      return {{1, 0}};
    default:
      return {{0, 1}};
  }
}

}  // namespace

RandomCase random_case(uint64_t seed, size_t nodes) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15ull + 1);
  PlacedProgram program(groups(random()));
  OperatorDrawing drawing(program, random());
  for (size_t attempt = 0; attempt < 8 * nodes + 8 && program.nodes() < nodes; ++attempt)
    drawing.add_any();
  const std::vector<Placed>& tensors = drawing.tensors();
  std::set<TensorId> chosen;
  const bool expected = drawing.below(2) == 0;
  for (int64_t count = 1 + drawing.below(4); count > 0 && !tensors.empty(); --count) {
    const auto size = std::ssize(tensors);
    const int64_t back = std::min(drawing.below(size), drawing.below(size));
    const Placed& x = tensors[static_cast<size_t>(size - 1 - std::min(back, drawing.below(size)))];
    if (chosen.insert(x.on[0].id).second) program.output(x, expected);
  }
  return {program.build(), program.inputs()};
}

}  // namespace assay::test
