#include "static_check/lift/inputs/random_draws.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/lift/operators.h"

namespace assay {

Int Draws::number_of(const std::vector<Drawn>& earlier, AtomId atom, const Layout& layout) const {
  Int number = 0;
  for (const Drawn& drawn : earlier) {
    if (drawn.atom != atom || disjoint(drawn.layout, layout)) continue;
    if (!(drawn.layout == layout))
      throw NotLifted{"random draws for some elements of an earlier draw"};
    number = std::max(number, drawn.number + 1);
  }
  return number;
}

Value Draws::draw(Lifting& lifting, const std::string& fn, const Value& x, DType dtype) {
  Value result = x;
  std::vector<Drawn> made;
  for (size_t t = 0; t < x.tiles.size(); ++t) {
    const Shape size = tile_size(x, t);
    const Term of = materialize(lifting, x.tiles[t], size, dtype);
    if (!is_injective(of.layout))
      throw NotLifted{"random draws for a tensor that repeats elements"};
    const bool twice = std::any_of(made.begin(), made.end(), [&](const Drawn& other) {
      return other.atom == of.atom && !disjoint(other.layout, of.layout);
    });
    if (twice) throw NotLifted{"random draws for a tensor that repeats elements"};
    made.push_back({of.atom, of.layout, number_of(drawn_[fn], of.atom, of.layout)});
    Request request;
    request.kind = Instance::Kind::kDraw;
    request.fn = fn + "#" + decimal(made.back().number);
    request.operands = {{of.atom, of.layout.offset}};
    request.dtype = dtype;
    const Layout* layout = &of.layout;
    add_parallel_labels(request, {&layout, 1}, size);
    Lifted lifted = lifting.lift(request);
    if (lifting.atom(lifted.atom).dtype != dtype)
      throw NotLifted{"random draws of another dtype than the sequential program's"};
    Term term = view_of(lifted.atom, std::move(lifted.layout));
    result.tiles[t] = {};
    result.tiles[t].terms.push_back(std::move(term));
  }
  auto& drawn = drawn_[fn];
  drawn.insert(drawn.end(), made.begin(), made.end());
  merge_tiles(result);
  return result;
}

}  // namespace assay
