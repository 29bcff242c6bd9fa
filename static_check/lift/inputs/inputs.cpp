#include "static_check/lift/inputs/inputs.h"

#include <algorithm>
#include <set>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/grid.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"

namespace assay {

namespace {

// A box of some expression's value, and what stands there.
struct Region {
  Shape start;
  Value value;  // over the box
};

// An atom of its own for the whole tensor; `id` where it is a sequential one.
Value new_input(Lifting& lifting, const Tensor& tensor, TensorId id) {
  Atom atom;
  atom.kind = Atom::Kind::kInput;
  atom.dtype = tensor.dtype;
  atom.tensor = id;
  atom.size = element_count(tensor.shape);
  if (atom.size == 0) return single_tile(tensor.shape, {});
  Term term;
  term.layout = row_major(tensor.shape);
  term.atom = lifting.fresh(std::move(atom));
  return single_term(tensor.shape, std::move(term));
}

class Inverter {
 public:
  Inverter(Lifting& lifting, const Case& refinement) : lifting_(lifting), case_(refinement) {
    parts_.resize(refinement.ranks.size());
  }

  // "expr, restricted to the region, has this value": pushed down to the leaves.
  void assign(const CleanExpr& expr, const Region& region, const SourcePlace& place) {
    switch (expr.kind) {
      case CleanExpr::Kind::kTensor:
        parts_[static_cast<size_t>(expr.rank)][expr.name].push_back(region);
        return;
      case CleanExpr::Kind::kConcat:
        return assign_concat(expr, region, place);
      case CleanExpr::Kind::kSlice: {
        Region inner = region;
        inner.start[static_cast<size_t>(expr.dim)] += expr.start;
        return assign(expr.operands[0], inner, place);
      }
      case CleanExpr::Kind::kSum:
        return assign_sum(expr, region, place);
      case CleanExpr::Kind::kPermute: {
        std::vector<Int> inverse(expr.dims.size());
        for (size_t i = 0; i < expr.dims.size(); ++i)
          inverse[static_cast<size_t>(expr.dims[i])] = static_cast<Int>(i);
        Region inner{Shape(region.start.size()), permute(region.value, inverse)};
        for (size_t i = 0; i < inverse.size(); ++i)
          inner.start[i] = region.start[static_cast<size_t>(inverse[i])];
        return assign(expr.operands[0], inner, place);
      }
      case CleanExpr::Kind::kReshape: {
        const Shape shape = shape_of(expr.operands[0], place);
        const bool whole = region.value.shape == expr.dims;
        auto value = whole ? reshape(region.value, shape) : std::nullopt;
        if (!value)
          throw UserError(place, "an input relation slices a reshape: " + to_string(expr),
                          "slice first, then reshape");
        return assign(expr.operands[0], {Shape(shape.size(), 0), std::move(*value)}, place);
      }
      case CleanExpr::Kind::kPad:
        return assign_pad(expr, region, place);
      case CleanExpr::Kind::kScale:
        return assign(
            expr.operands[0],
            {region.start, scale(region.value, Rational(expr.denominator, expr.numerator))}, place);
    }
  }

  std::vector<std::map<std::string, Value>> finish() {
    std::vector<std::map<std::string, Value>> result(parts_.size());
    for (size_t rank = 0; rank < parts_.size(); ++rank) {
      for (auto& [name, regions] : parts_[rank]) {
        const Graph& graph = case_.ranks[rank];
        const Tensor& tensor = graph.tensors[static_cast<size_t>(graph.find(name))];
        result[rank].emplace(name, assemble(tensor, regions));
      }
    }
    return result;
  }

  Value unknown(const Tensor& tensor) { return new_input(lifting_, tensor, kNone); }

 private:
  Shape shape_of(const CleanExpr& expr, const SourcePlace& place) const {
    return infer_shape(
        expr,
        [&](const std::string& name, Rank rank) {
          const Graph& graph = case_.ranks[static_cast<size_t>(rank)];
          return graph.tensors[static_cast<size_t>(graph.find(name))].shape;
        },
        place);
  }

  void assign_concat(const CleanExpr& expr, const Region& region, const SourcePlace& place) {
    const auto d = static_cast<size_t>(expr.dim);
    const Int begin = region.start[d], end = begin + region.value.shape[d];
    Int at = 0;
    for (const CleanExpr& operand : expr.operands) {
      const Int next = at + shape_of(operand, place)[d];
      const Int lo = std::max(begin, at), hi = std::min(end, next);
      if (lo < hi) {
        Region inner{region.start, slice(region.value, expr.dim, lo - begin, hi - lo)};
        inner.start[d] = lo - at;
        assign(operand, inner, place);
      }
      at = next;
    }
  }

  void assign_pad(const CleanExpr& expr, const Region& region, const SourcePlace& place) {
    const auto d = static_cast<size_t>(expr.dim);
    const Int begin = region.start[d], end = begin + region.value.shape[d];
    const Int inner_size = shape_of(expr.operands[0], place)[d];
    const Int lo = std::max(begin, expr.start), hi = std::min(end, expr.start + inner_size);
    if (lo != begin || hi != end)
      throw UserError(place,
                      "a pad in an input relation says that a part of the sequential input is 0: " +
                          to_string(expr),
                      "pad in the sequential program, or relate what is padded");
    Region inner{region.start, slice(region.value, expr.dim, lo - begin, hi - lo)};
    inner.start[d] = lo - expr.start;
    assign(expr.operands[0], inner, place);
  }

  // sequential = a@0 + a@1 + ...: a hidden label on the sequential input, one value of it per
  // summand.
  void assign_sum(const CleanExpr& expr, const Region& region, const SourcePlace& place) {
    const auto count = static_cast<Int>(expr.operands.size());
    if (count == 1) return assign(expr.operands[0], region, place);
    std::set<std::pair<std::string, Rank>> summands;
    for (const CleanExpr& operand : expr.operands)
      for (const auto& leaf : leaves_of(operand))
        if (!summands.insert(leaf).second)
          throw UserError(place,
                          leaf.first + "@" + std::to_string(leaf.second) +
                              " is in a sum of an input relation twice: " + to_string(expr),
                          "a multiple of a tensor is scale(...; by=...)");
    LabelId label = kNone;
    AtomId labelled = kNone;
    for (Int i = 0; i < count; ++i) {
      Region part = region;
      for (Tile& tile : part.value.tiles) {
        for (Term& term : tile.terms) {
          if (label == kNone) {
            labelled = term.atom;
            label = lifting_.hide(term.atom, count);
          }
          if (term.atom != labelled)
            throw UserError(place,
                            "a sum over several inputs cannot be inverted: " + to_string(expr));
          Restriction box;
          box.label = label;
          box.radix = count;
          box.intervals = {{i, i + 1}};
          term.restrictions.push_back(std::move(box));
          normalize(term.restrictions);
        }
      }
      assign(expr.operands[static_cast<size_t>(i)], part, place);
    }
  }

  // The tensors of an expression that is a summand, each once.
  static std::set<std::pair<std::string, Rank>> leaves_of(const CleanExpr& expr) {
    if (expr.kind == CleanExpr::Kind::kTensor) return {{expr.name, expr.rank}};
    std::set<std::pair<std::string, Rank>> leaves;
    for (const CleanExpr& operand : expr.operands) leaves.merge(leaves_of(operand));
    return leaves;
  }

  Value assemble(const Tensor& tensor, std::vector<Region>& regions) {
    if (regions.size() == 1 && regions[0].value.shape == tensor.shape)
      return std::move(regions[0].value);
    Value grid = unknown_grid(tensor, regions);
    std::vector<bool> filled(grid.tiles.size(), false);
    for (const Region& region : regions) fill(grid, region, filled);
    if (std::find(filled.begin(), filled.end(), false) != filled.end()) {
      const Value rest = cut(unknown(tensor), grid.cuts);
      for (size_t t = 0; t < filled.size(); ++t) {
        if (!filled[t]) grid.tiles[t] = rest.tiles[t];
      }
    }
    merge_tiles(grid);
    return grid;
  }

  // Puts the region's value into those of its tiles that have none.
  static void fill(Value& grid, const Region& region, std::vector<bool>& filled) {
    const size_t rank = grid.shape.size();
    std::vector<size_t> first(rank), last(rank), cells(rank);
    for (size_t d = 0; d < rank; ++d) {
      if (region.value.shape[d] == 0) return;
      first[d] = cells[d] = cell_of(grid.cuts[d], region.start[d]);
      last[d] = cell_of(grid.cuts[d], region.start[d] + region.value.shape[d] - 1);
    }
    for (bool more = true; more;) {
      const size_t t = tile_index(grid, cells);
      if (!filled[t]) {
        const TileBox box = tile_box(grid, t);
        Value piece = region.value;
        for (size_t d = 0; d < rank; ++d)
          piece = slice(piece, static_cast<Int>(d), box.start[d] - region.start[d], box.size[d]);
        ASSAY_CHECK(piece.tiles.size() == 1, "an input region is cut inside");
        grid.tiles[t] = std::move(piece.tiles[0]);
        filled[t] = true;
      }
      more = false;
      for (size_t d = rank; d-- > 0 && !more;) {
        more = cells[d] < last[d];
        cells[d] = more ? cells[d] + 1 : first[d];
      }
    }
  }

  // The common grid of all regions, tiles empty.
  static Value unknown_grid(const Tensor& tensor, const std::vector<Region>& regions) {
    Value grid = single_tile(tensor.shape, {});
    for (const Region& region : regions) {
      for (size_t d = 0; d < tensor.shape.size(); ++d) {
        for (Int position : region.value.cuts[d])
          grid.cuts[d].push_back(region.start[d] + position);
      }
    }
    for (auto& cuts : grid.cuts) {
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }
    grid.tiles.assign(tile_count(grid), {});
    return grid;
  }

  Lifting& lifting_;
  const Case& case_;
  std::vector<std::map<std::string, std::vector<Region>>> parts_;
};

}  // namespace

InputValues invert_input_relation(Lifting& lifting, const Case& refinement) {
  InputValues values;
  const Graph& graph = refinement.sequential;
  const auto add = [&](TensorId id) {
    const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    if (!values.sequential.contains(tensor.name))
      values.sequential.emplace(tensor.name, new_input(lifting, tensor, id));
  };
  for (TensorId id : graph.inputs) add(id);
  for (const Relation& relation : refinement.inputs) add(graph.find(relation.tensor));
  Inverter inverter(lifting, refinement);
  for (const Relation& relation : refinement.inputs) {
    const TensorId id = graph.find(relation.tensor);
    const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
    if (element_count(tensor.shape) == 0) continue;
    for (const CleanExpr& replica : relation.replicas) {
      try {
        inverter.assign(replica, {Shape(tensor.shape.size(), 0), values.sequential.at(tensor.name)},
                        relation.place);
      } catch (const RationalOverflow&) {
        throw UserError(relation.place, "its scales need more than 64 bits together",
                        "scale by smaller fractions");
      }
    }
  }
  values.ranks = inverter.finish();
  for (size_t rank = 0; rank < refinement.ranks.size(); ++rank) {
    const Graph& program = refinement.ranks[rank];
    for (TensorId id : program.inputs) {
      const Tensor& tensor = program.tensors[static_cast<size_t>(id)];
      if (!values.ranks[rank].contains(tensor.name))
        values.ranks[rank].emplace(tensor.name, inverter.unknown(tensor));
    }
  }
  return values;
}

}  // namespace assay
