// Movement: the output's element is the operand's element at the mapped coordinates.
#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/operators.h"

namespace assay::checker {
namespace {

struct Source {
  size_t operand = 0;
  std::vector<Affine> coords;
};

Source source_of(const Step& step, const Region& region, const std::vector<Affine>& coords) {
  const CoreOp& op = step.op();
  const Shape& from = step.operand_op(0).shape;
  Source source{0, coords};
  switch (op.prim) {
    case Prim::kPermute:
      for (size_t d = 0; d < coords.size(); ++d)
        source.coords[static_cast<size_t>(op.ints[d])] = coords[d];
      break;
    case Prim::kReshape:
      source.coords = from_row_major(region, from, row_major(op.shape, coords));
      break;
    case Prim::kExpand:
      for (size_t d = 0; d < coords.size(); ++d)
        if (from[d] == 1) source.coords[d] = {};
      break;
    case Prim::kSlice: {
      Affine& coord = source.coords[static_cast<size_t>(op.ints[0])];
      coord = shifted(times(coord, op.ints[2]), op.ints[1]);
      break;
    }
    default: {  // kCat
      const auto dim = static_cast<size_t>(op.ints[0]);
      std::vector<Int> starts{0};
      std::vector<size_t> pieces;  // without the empty ones, which no coordinate reaches
      for (size_t i = 0; i < op.operands.size(); ++i) {
        const Int extent = step.operand_op(i).shape[dim];
        if (extent == 0) continue;
        starts.push_back(starts.back() + extent);
        pieces.push_back(i);
      }
      const size_t piece = locate(region, coords[dim], starts);
      source.operand = pieces[piece];
      source.coords[dim] = shifted(coords[dim], -starts[piece]);
      break;
    }
  }
  return source;
}

bool same_map(const Element& a, const Element& b) {
  return a.integer && b.integer && a.integer->of == b.integer->of &&
         a.integer->pieces == b.integer->pieces;
}

}  // namespace

void check_movement(const Step& step) {
  for_each_region(region_of(step.op().shape), 0, [&](const Region& region) {
    const Source source = source_of(step, region, region.coords);
    const Element moved = element_at(region, step.operand(source.operand), source.coords);
    const Element claimed = element_at(region, step.claim(), region.coords);
    if (!same_map(moved, claimed) && !equal(step.facts, region, as_sum(moved), as_sum(claimed)))
      reject_difference(region.coords, as_sum(claimed), as_sum(moved));
    ++step.probes;
  });
}

}  // namespace assay::checker
