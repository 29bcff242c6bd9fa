// Functions of blocks, of elements and of whole values, by the labels of their declarations.
#include <algorithm>
#include <array>
#include <map>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/operators.h"

namespace assay {

namespace {

// Where a label of the declaration stands.
struct LabelPlaces {
  bool whole = false;
  std::vector<std::pair<size_t, size_t>> operands;  // (operand, dimension)
  int32_t out_dim = kNone;
  Int size = 1;
};

std::map<int32_t, LabelPlaces> places_of(const BlockSpec& spec, std::span<const Value> operands,
                                         const Shape& shape) {
  std::map<int32_t, LabelPlaces> places;
  for (size_t i = 0; i < spec.operands.size(); ++i) {
    for (size_t d = 0; d < spec.operands[i].size(); ++d) {
      LabelPlaces& place = places[spec.operands[i][d].label];
      place.whole |= spec.operands[i][d].whole;
      place.operands.emplace_back(i, d);
      place.size = operands[i].shape[d];
    }
  }
  for (size_t d = 0; d < spec.output.size(); ++d) {
    LabelPlaces& place = places[spec.output[d].label];
    place.whole |= spec.output[d].whole || place.operands.empty();
    place.out_dim = static_cast<int32_t>(d);
    place.size = shape[d];
  }
  return places;
}

bool same_cuts(const LabelPlaces& place, std::span<const Value> operands) {
  const auto cuts = [&](const std::pair<size_t, size_t>& at) -> const Cuts& {
    return operands[at.first].cuts[at.second];
  };
  return std::all_of(place.operands.begin(), place.operands.end(),
                     [&](const auto& at) { return cuts(at) == cuts(place.operands.front()); });
}

// One grid for all operands: every parallel label is cut at the same positions wherever it stands.
void align_labels(const std::map<int32_t, LabelPlaces>& places, std::vector<Value>& operands) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [label, place] : places) {
      if (place.whole || same_cuts(place, operands)) continue;
      Cuts positions;
      for (const auto& [i, d] : place.operands) {
        positions.insert(positions.end(), operands[i].cuts[d].begin(), operands[i].cuts[d].end());
      }
      for (const auto& [i, d] : place.operands) {
        Grid wanted(operands[i].shape.size());
        wanted[d] = positions;
        const size_t before = operands[i].cuts[d].size();
        operands[i] = cut(operands[i], wanted);
        changed |= operands[i].cuts[d].size() != before;
      }
    }
  }
}

struct BlockCall {
  const std::string& fn;
  uint32_t linear;
  const BlockSpec& spec;
  const std::map<int32_t, LabelPlaces>& places;
  DType dtype;
};

// Labels of one block: whole labels in the declaration's order, each with the digits that its
// operands share.
void add_block_labels(Request& request, const BlockCall& call, std::span<const Term> terms) {
  request.out_dims = call.spec.output.size();
  for (const auto& [id, place] : call.places) {
    std::vector<const Modes*> modes;
    for (const auto& [i, d] : place.operands) modes.push_back(&terms[i].layout.dims[d]);
    auto digits = common_digits(modes);
    if (!digits) throw NotLifted{"the digits of two operands do not nest"};
    if (modes.empty() && place.size > 1) digits = {{{place.size, 0}}};
    const size_t count = digits->empty() ? 0 : digits->front().size();
    for (size_t m = 0; m < count; ++m) {
      RequestLabel label;
      label.tag = place.whole ? InstanceLabel::Tag::kWhole : InstanceLabel::Tag::kParallel;
      label.size = (*digits)[0][m].size;
      label.strides = Strides(terms.size(), 0);
      for (size_t k = 0; k < place.operands.size(); ++k)
        label.strides[place.operands[k].first] += (*digits)[k][m].stride;
      label.spec_label = place.whole ? id : kNone;
      label.out_dim = place.out_dim;
      request.labels.push_back(std::move(label));
    }
  }
}

// Moves a guard from an operand's dimensions to the output's; nullopt when it varies along a whole
// dimension.
std::optional<Layout> guard_on_output(const BlockCall& call, size_t operand, const Layout& where) {
  Layout result;
  result.offset = where.offset;
  result.dims.resize(call.spec.output.size());
  for (size_t d = 0; d < where.dims.size(); ++d) {
    const LabelPlaces& place = call.places.at(call.spec.operands[operand][d].label);
    const bool varies = std::any_of(where.dims[d].begin(), where.dims[d].end(),
                                    [](const Mode& m) { return m.stride != 0; });
    if (varies && (place.whole || place.out_dim == kNone)) return std::nullopt;
    if (place.out_dim != kNone) result.dims[static_cast<size_t>(place.out_dim)] = where.dims[d];
  }
  for (size_t d = 0; d < result.dims.size(); ++d) {
    const LabelPlaces& place = call.places.at(call.spec.output[d].label);
    if (result.dims[d].empty() && place.size > 1) result.dims[d] = {{place.size, 0}};
  }
  return result;
}

Term call_block(Lifting& lifting, const BlockCall& call, std::span<const Term> terms) {
  Request request;
  request.kind = std::any_of(call.places.begin(), call.places.end(),
                             [](const auto& p) { return p.second.whole; })
                     ? Instance::Kind::kBlock
                     : Instance::Kind::kMap;
  request.fn = call.fn;
  request.linear = call.linear;
  request.dtype = call.dtype;
  for (const Term& term : terms) request.operands.push_back({term.atom, term.layout.offset});
  add_block_labels(request, call, terms);
  const Lifted lifted = lifting.lift(request);
  return view_of(lifted.atom, lifted.layout);
}

// True when the restrictions of a term can pass through the function that is linear in it.
bool passes(const Lifting& lifting, const BlockCall& call, size_t operand, const Term& term,
            std::span<const Term> all) {
  for (const Restriction& r : term.restrictions) {
    if (r.kind == Restriction::Kind::kMax) return false;
    if (r.kind == Restriction::Kind::kGuard) {
      if (!guard_on_output(call, operand, r.where)) return false;
      continue;
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (i != operand && lifting.hides(all[i].atom, r.label)) return false;
    }
  }
  return true;
}

Tile call_on_tiles(Lifting& lifting, const BlockCall& call, std::span<const Tile> tiles,
                   std::span<const Shape> sizes) {
  // The operand whose sum is kept: the first linear one that is no plain view.
  size_t spread = tiles.size();
  for (size_t i = 0; i < tiles.size() && spread == tiles.size(); ++i) {
    const bool plain = tiles[i].terms.size() == 1 && is_plain(tiles[i].terms[0]);
    if ((call.linear >> i & 1) != 0 && tiles[i].integer.empty() && !plain) spread = i;
  }
  std::vector<Term> terms(tiles.size());
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (i != spread) terms[i] = materialize(lifting, tiles[i], sizes[i], call.dtype);
  }
  Tile result;
  if (spread == tiles.size()) {
    result.terms.push_back(call_block(lifting, call, terms));
    return result;
  }
  for (const Term& part : tiles[spread].terms) {
    Term view = part;
    if (passes(lifting, call, spread, part, terms)) {
      view.coef = 1;
      view.restrictions.clear();
    } else {
      Tile single;
      single.terms.push_back(part);
      view = materialize(lifting, single, sizes[spread], call.dtype);
    }
    const bool named = view.atom != part.atom || !(view.layout == part.layout);
    terms[spread] = view;
    Term made = call_block(lifting, call, terms);
    if (!named) {
      made.coef = part.coef;
      made.restrictions = part.restrictions;
      for (Restriction& r : made.restrictions) {
        if (r.kind == Restriction::Kind::kGuard) r.where = *guard_on_output(call, spread, r.where);
      }
    }
    if (normalize(made.restrictions) && absorb_guards(lifting, made))
      result.terms.push_back(std::move(made));
  }
  combine(result.terms);
  return result;
}

}  // namespace

Value apply_block(Lifting& lifting, const std::string& fn, uint32_t linear, const BlockSpec& spec,
                  std::vector<Value> operands, const Shape& shape, DType dtype) {
  const auto places = places_of(spec, operands, shape);
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t d = 0; d < spec.operands[i].size(); ++d) {
      if (places.at(spec.operands[i][d].label).whole) {
        operands[i] = join_dim(lifting, operands[i], static_cast<Int>(d), dtype);
      }
    }
  }
  align_labels(places, operands);
  Value result;
  result.shape = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const LabelPlaces& place = places.at(spec.output[d].label);
    if (place.whole || place.operands.empty()) {
      result.cuts.push_back({0, shape[d]});
    } else {
      const auto& [i, dim] = place.operands.front();
      result.cuts.push_back(operands[i].cuts[dim]);
    }
  }
  const size_t count = tile_count(result);
  for (size_t t = 0; t < count; ++t) {
    size_t rest = t;
    std::map<int32_t, size_t> cell;
    for (size_t d = shape.size(); d-- > 0;) {
      cell[spec.output[d].label] = rest % (result.cuts[d].size() - 1);
      rest /= result.cuts[d].size() - 1;
    }
    std::vector<Tile> tiles;
    std::vector<Shape> sizes;
    auto here = places;
    for (size_t i = 0; i < operands.size(); ++i) {
      size_t index = 0;
      for (size_t d = 0; d < operands[i].shape.size(); ++d) {
        const auto found = cell.find(spec.operands[i][d].label);
        index =
            index * (operands[i].cuts[d].size() - 1) + (found == cell.end() ? 0 : found->second);
      }
      tiles.push_back(operands[i].tiles[index]);
      sizes.push_back(tile_size(operands[i], index));
      for (size_t d = 0; d < sizes.back().size(); ++d)
        here[spec.operands[i][d].label].size = sizes.back()[d];
    }
    const BlockCall tile_call{fn, linear, spec, here, dtype};
    result.tiles.push_back(call_on_tiles(lifting, tile_call, tiles, sizes));
  }
  merge_tiles(result);
  return result;
}

Value apply_map(Lifting& lifting, const std::string& fn, uint32_t linear,
                std::vector<Value> operands, const Shape& shape, DType dtype) {
  BlockSpec spec;
  for (size_t d = 0; d < shape.size(); ++d) spec.output.push_back({static_cast<int32_t>(d), false});
  spec.operands.assign(operands.size(), spec.output);
  return apply_block(lifting, fn, linear, spec, std::move(operands), shape, dtype);
}

Value apply_opaque(Lifting& lifting, const std::string& fn, std::vector<Value> operands,
                   const Shape& shape, DType dtype) {
  Request request;
  request.kind = Instance::Kind::kOpaque;
  request.fn = fn;
  request.dtype = dtype;
  request.out_dims = shape.size();
  int32_t next_label = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t d = 0; d < operands[i].shape.size(); ++d) {
      operands[i] = join_dim(lifting, operands[i], static_cast<Int>(d), dtype);
    }
    const Term term = materialize(lifting, operands[i].tiles.at(0), operands[i].shape, dtype);
    request.operands.push_back({term.atom, term.layout.offset});
    for (const auto& modes : term.layout.dims) {
      for (const Mode& mode : modes) {
        RequestLabel label;
        label.tag = InstanceLabel::Tag::kWhole;
        label.size = mode.size;
        label.strides = Strides(operands.size(), 0);
        label.strides[i] = mode.stride;
        label.spec_label = next_label;
        request.labels.push_back(std::move(label));
      }
      ++next_label;
    }
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    const int32_t spec_label = next_label++;
    if (shape[d] == 1) continue;
    RequestLabel label;
    label.tag = InstanceLabel::Tag::kWhole;
    label.size = shape[d];
    label.strides = Strides(operands.size(), 0);
    label.spec_label = spec_label;
    label.out_dim = static_cast<int32_t>(d);
    request.labels.push_back(std::move(label));
  }
  const Lifted lifted = lifting.lift(request);
  return single_term(shape, view_of(lifted.atom, lifted.layout));
}

}  // namespace assay
