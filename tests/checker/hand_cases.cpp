#include "tests/checker/hand_cases.h"

#include "tests/checker/hand_proof.h"

namespace assay::test {
namespace {

using Tag = InstanceLabel::Tag;

InstanceLabel label(Tag tag, int64_t size, Strides strides, int64_t out_stride,
                    LabelId hidden = kNone, int32_t spec_label = kNone) {
  return {tag, size, std::move(strides), out_stride, hidden, spec_label};
}

AtomId input_atom(Universe& universe, TensorId tensor, int64_t size,
                  DType dtype = DType::kFloat32) {
  Atom atom;
  atom.size = size;
  atom.dtype = dtype;
  atom.tensor = tensor;
  universe.atoms.push_back(atom);
  return static_cast<AtomId>(universe.atoms.size()) - 1;
}

AtomId instance_atom(Universe& universe, Instance instance, int64_t size,
                     std::vector<LabelId> hidden = {}) {
  Atom atom;
  atom.kind = Atom::Kind::kInstance;
  atom.size = size;
  atom.hidden = std::move(hidden);
  atom.instance = static_cast<int32_t>(universe.instances.size());
  instance.output = static_cast<AtomId>(universe.atoms.size());
  universe.atoms.push_back(atom);
  universe.instances.push_back(std::move(instance));
  return instance.output;
}

/// y = a[i, k] * b[k, j] summed over k, as core operators.
CoreId contraction(HandProgram& program, CoreId a, CoreId b, const Shape& ikj, Term a_term,
                   Term b_term, Term product, Term sum) {
  const int64_t i = ikj[0], k = ikj[1], j = ikj[2];
  const auto shaped = [](Term term, InlineVector<Modes, 4> dims) {
    term.layout.dims = std::move(dims);
    return term;
  };
  const auto a_dims = a_term.layout.dims, b_dims = b_term.layout.dims;
  a = program.op(Prim::kReshape, {a},
                 claim({i, k, 1}, {shaped(a_term, {a_dims[0], a_dims[1], {}})}));
  a = program.op(Prim::kExpand, {a},
                 claim(ikj, {shaped(a_term, {a_dims[0], a_dims[1], {{j, 0}}})}));
  b = program.op(Prim::kReshape, {b},
                 claim({1, k, j}, {shaped(b_term, {{}, b_dims[0], b_dims[1]})}));
  b = program.op(Prim::kExpand, {b},
                 claim(ikj, {shaped(b_term, {{{i, 0}}, b_dims[0], b_dims[1]})}));
  const CoreId m = program.op(Prim::kMul, {a, b}, claim(ikj, {std::move(product)}));
  return program.op(Prim::kReduceSum, {m}, claim({i, j}, {std::move(sum)}), {1});
}

Replay matmul_atoms() {
  Replay replay;
  Universe& universe = replay.certificate.universe;
  input_atom(universe, 0, 24);
  input_atom(universe, 1, 48);
  Instance product;
  product.kind = Instance::Kind::kMul;
  product.operands = {{0, 0}, {1, 0}};
  product.labels = {label(Tag::kParallel, 4, {6, 0}, 48), label(Tag::kParallel, 6, {1, 8}, 8),
                    label(Tag::kParallel, 8, {0, 1}, 1)};
  instance_atom(universe, product, 192);
  Instance sum;
  sum.kind = Instance::Kind::kSum;
  sum.operands = {{2, 0}};
  sum.labels = {label(Tag::kParallel, 4, {48}, 8), label(Tag::kReduced, 6, {8}, 0, 0),
                label(Tag::kParallel, 8, {1}, 1)};
  universe.labels = {{6, false, 1}};
  instance_atom(universe, sum, 32, {0});

  HandProgram program(replay.refinement.sequential, replay.sequential,
                      replay.certificate.sequential);
  const CoreId x = program.input("x", DType::kFloat32, claim({4, 6}, {view(0, {4, 6}, {6, 1})}));
  const CoreId w = program.input("w", DType::kFloat32, claim({6, 8}, {view(1, {6, 8}, {8, 1})}));
  const CoreId y =
      contraction(program, x, w, {4, 6, 8}, view(0, {4, 6}, {6, 1}), view(1, {6, 8}, {8, 1}),
                  view(2, {4, 6, 8}, {48, 8, 1}), view(3, {4, 8}, {8, 1}));
  program.output("y", y);
  replay.refinement.name = "matmul";
  replay.refinement.outputs = {"y"};
  replay.refinement.ranks.resize(2);
  replay.ranks.resize(2);
  replay.certificate.ranks.resize(2);
  return replay;
}

HandProgram rank_program(Replay& replay, size_t rank) {
  return {replay.refinement.ranks[rank], replay.ranks[rank], replay.certificate.ranks[rank]};
}

}  // namespace

Replay row_parallel() {
  Replay replay = matmul_atoms();
  for (size_t rank = 0; rank < 2; ++rank) {
    const auto k = static_cast<int64_t>(rank) * 3;
    HandProgram program = rank_program(replay, rank);
    const Term x = view(0, {4, 3}, {6, 1}, k), w = view(1, {3, 8}, {8, 1}, 8 * k);
    const CoreId x_in = program.input("x", DType::kFloat32, claim({4, 3}, {x}));
    const CoreId w_in = program.input("w", DType::kFloat32, claim({3, 8}, {w}));
    const CoreId partial =
        contraction(program, x_in, w_in, {4, 3, 8}, x, w, view(2, {4, 3, 8}, {48, 8, 1}, 8 * k),
                    part(view(3, {4, 8}, {8, 1}), 0, 6, {k, k + 3}));
    program.output("partial", partial);
    program.output("y",
                   program.all_reduce(partial, {0, 1}, claim({4, 8}, {view(3, {4, 8}, {8, 1})})));
  }
  replay.refinement.inputs = {{"x", {parse("concat(x@0, x@1; dim=1)")}, {}},
                              {"w", {parse("concat(w@0, w@1; dim=0)")}, {}}};
  replay.certificate.relations = {
      {"y", {parse("y@0"), parse("y@1"), parse("sum(partial@0, partial@1)")}, true}};
  return replay;
}

Replay column_parallel() {
  Replay replay = matmul_atoms();
  for (size_t rank = 0; rank < 2; ++rank) {
    const auto j = static_cast<int64_t>(rank) * 4;
    HandProgram program = rank_program(replay, rank);
    const Term x = view(0, {4, 6}, {6, 1}), w = view(1, {6, 4}, {8, 1}, j);
    const CoreId x_in = program.input("x", DType::kFloat32, claim({4, 6}, {x}));
    const CoreId w_in = program.input("w", DType::kFloat32, claim({6, 4}, {w}));
    program.output("y", contraction(program, x_in, w_in, {4, 6, 4}, x, w,
                                    view(2, {4, 6, 4}, {48, 8, 1}, j), view(3, {4, 4}, {8, 1}, j)));
  }
  replay.refinement.inputs = {{"x", {parse("x@0"), parse("x@1")}, {}},
                              {"w", {parse("concat(w@0, w@1; dim=1)")}, {}}};
  replay.certificate.relations = {{"y", {parse("concat(y@0, y@1; dim=1)")}, true}};
  return replay;
}

Replay vocab_parallel() {
  Replay replay;
  Universe& universe = replay.certificate.universe;
  input_atom(universe, 0, 5, DType::kInt64);
  input_atom(universe, 1, 24);
  Atom one;
  one.kind = Atom::Kind::kOne;
  universe.atoms.push_back(one);
  Atom one_hot;
  one_hot.kind = Atom::Kind::kOneHot;
  one_hot.ids = 0;
  one_hot.size = 40;
  universe.atoms.push_back(one_hot);
  Instance product;
  product.kind = Instance::Kind::kMul;
  product.operands = {{3, 0}, {1, 0}};
  product.labels = {label(Tag::kParallel, 5, {1, 0}, 24), label(Tag::kParallel, 8, {5, 3}, 3),
                    label(Tag::kParallel, 3, {0, 1}, 1)};
  instance_atom(universe, product, 120);
  Instance sum;
  sum.kind = Instance::Kind::kSum;
  sum.operands = {{4, 0}};
  sum.labels = {label(Tag::kParallel, 5, {24}, 3), label(Tag::kReduced, 8, {3}, 0, 0),
                label(Tag::kParallel, 3, {1}, 1)};
  universe.labels = {{8, false, 1}};
  instance_atom(universe, sum, 15, {0});

  const auto one_hot_op = [](CoreId ids) {
    CoreOp op;
    op.prim = Prim::kOneHot;
    op.operands = {ids};
    return op;
  };
  {
    HandProgram program(replay.refinement.sequential, replay.sequential,
                        replay.certificate.sequential);
    const CoreId ids = program.input("ids", DType::kInt64, claim({5}, {view(0, {5}, {1})}));
    const CoreId table =
        program.input("table", DType::kFloat32, claim({8, 3}, {view(1, {8, 3}, {3, 1})}));
    const CoreId hot = program.op(one_hot_op(ids), claim({5, 8}, {view(3, {5, 8}, {1, 5})}));
    program.output("y", contraction(program, hot, table, {5, 8, 3}, view(3, {5, 8}, {1, 5}),
                                    view(1, {8, 3}, {3, 1}), view(4, {5, 8, 3}, {24, 3, 1}),
                                    view(5, {5, 3}, {3, 1})));
  }
  replay.refinement.ranks.resize(2);
  replay.ranks.resize(2);
  replay.certificate.ranks.resize(2);
  const Layout element{0, {{{5, 1}}}};
  for (size_t rank = 0; rank < 2; ++rank) {
    const int64_t first = static_cast<int64_t>(rank) * 4, end = first + 4;
    HandProgram program = rank_program(replay, rank);
    const auto pieces = [&](std::vector<PiecewiseAffine::Piece> of) {
      Value value = claim({5}, {});
      value.tiles[0].integer.push_back({0, element, std::move(of)});
      return value;
    };
    const auto op = [&](Prim prim, std::string fn, DType dtype, std::vector<CoreId> operands,
                        Value value) {
      CoreOp made;
      made.prim = prim;
      made.fn = std::move(fn);
      made.dtype = dtype;
      made.operands = std::move(operands);
      if (prim == Prim::kLinear) made.coefs = {1, -1};
      return program.op(std::move(made), std::move(value));
    };
    const auto constant = [&](int64_t number) {
      CoreOp made;
      made.prim = Prim::kConst;
      made.dtype = DType::kInt64;
      made.constant = number;
      Term term = view(2, {5}, {0});
      term.coef = number;
      return program.op(std::move(made),
                        claim({5}, number == 0 ? std::vector<Term>{} : std::vector<Term>{term}));
    };
    const CoreId ids = program.input("ids", DType::kInt64, claim({5}, {view(0, {5}, {1})}));
    const CoreId table = program.input("table", DType::kFloat32,
                                       claim({4, 3}, {view(1, {4, 3}, {3, 1}, 3 * first)}));
    const CoreId from = constant(first), to = constant(end);
    const CoreId above = op(Prim::kMap, "ge", DType::kBool, {ids, from},
                            pieces({{{INT64_MIN, first}, 0, 0}, {{first, INT64_MAX}, 0, 1}}));
    const CoreId below = op(Prim::kMap, "lt", DType::kBool, {ids, to},
                            pieces({{{INT64_MIN, end}, 0, 1}, {{end, INT64_MAX}, 0, 0}}));
    const CoreId mask =
        op(Prim::kMap, "and", DType::kBool, {above, below},
           pieces({{{INT64_MIN, first}, 0, 0}, {{first, end}, 0, 1}, {{end, INT64_MAX}, 0, 0}}));
    const CoreId local = op(Prim::kLinear, "", DType::kInt64, {ids, from},
                            pieces({{{INT64_MIN, INT64_MAX}, 1, -first}}));
    const CoreId safe = op(
        Prim::kKeep, "", DType::kInt64, {mask, local},
        pieces({{{INT64_MIN, first}, 0, 0}, {{first, end}, 1, -first}, {{end, INT64_MAX}, 0, 0}}));

    // Row 0 of the shard is also read by the masked ids.
    const auto outside = [&](Term term) {
      Restriction guard;
      guard.kind = Restriction::Kind::kGuard;
      guard.atom = 0;
      guard.where = element;
      for (size_t d = 1; d < term.layout.dims.size(); ++d)
        guard.where.dims.push_back(
            term.layout.dims[d].empty() ? Modes{} : Modes{{term.layout.dims[d][0].size, 0}});
      guard.intervals = {{INT64_MIN, first}, {end, INT64_MAX}};
      term.restrictions.push_back(std::move(guard));
      return term;
    };
    const auto two_tiles = [](Value value, Cuts cuts, Tile low, Tile high) {
      value.cuts[1] = std::move(cuts);
      value.tiles = {std::move(low), std::move(high)};
      return value;
    };
    const auto tile = [](std::vector<Term> terms) { return Tile{std::move(terms), {}}; };
    const CoreId hot = program.op(
        one_hot_op(safe),
        two_tiles(claim({5, 4}, {}), {0, 1, 4},
                  tile({view(3, {5, 1}, {1, 5}, 5 * first), outside(view(2, {5, 1}, {0, 0}))}),
                  tile({view(3, {5, 3}, {1, 5}, 5 * (first + 1))})));
    const auto hot_dims = [&](Shape shape, std::vector<int64_t> strides) {
      Shape low = shape, high = shape;
      low[1] = 1;
      high[1] = 3;
      return two_tiles(claim(shape, {}), {0, 1, 4},
                       tile({view(3, low, strides, 5 * first), outside(view(2, low, {0, 0, 0}))}),
                       tile({view(3, high, strides, 5 * (first + 1))}));
    };
    CoreId a = program.op(Prim::kReshape, {hot}, hot_dims({5, 4, 1}, {1, 5, 0}));
    a = program.op(Prim::kExpand, {a}, hot_dims({5, 4, 3}, {1, 5, 0}));
    CoreId b = program.op(Prim::kReshape, {table},
                          claim({1, 4, 3}, {view(1, {1, 4, 3}, {0, 3, 1}, 3 * first)}));
    b = program.op(Prim::kExpand, {b},
                   claim({5, 4, 3}, {view(1, {5, 4, 3}, {0, 3, 1}, 3 * first)}));
    const CoreId m = program.op(Prim::kMul, {a, b},
                                two_tiles(claim({5, 4, 3}, {}), {0, 1, 4},
                                          tile({view(4, {5, 1, 3}, {24, 3, 1}, 3 * first),
                                                outside(view(1, {5, 1, 3}, {0, 3, 1}, 3 * first))}),
                                          tile({view(4, {5, 3, 3}, {24, 3, 1}, 3 * (first + 1))})));
    const Term shard = part(view(5, {5, 3}, {3, 1}), 0, 8, {first, end});
    const CoreId rows =
        program.op(Prim::kReduceSum, {m},
                   claim({5, 3}, {shard, outside(view(1, {5, 3}, {0, 1}, 3 * first))}), {1});
    Value wide_mask = claim({5, 3}, {});
    wide_mask.tiles[0].integer.push_back(
        {0,
         {0, {{{5, 1}}, {{3, 0}}}},
         {{{INT64_MIN, first}, 0, 0}, {{first, end}, 0, 1}, {{end, INT64_MAX}, 0, 0}}});
    Value tall_mask = pieces(wide_mask.tiles[0].integer[0].pieces);
    tall_mask.shape = {5, 1};
    tall_mask.cuts = {{0, 5}, {0, 1}};
    tall_mask.tiles[0].integer[0].layout = {0, {{{5, 1}}, {}}};
    const CoreId tall = program.op(Prim::kReshape, {mask}, tall_mask);
    const CoreId wide = program.op(Prim::kExpand, {tall}, wide_mask);
    const CoreId kept = program.op(Prim::kKeep, {wide, rows}, claim({5, 3}, {shard}));
    program.output("y", program.all_reduce(kept, {0, 1}, claim({5, 3}, {view(5, {5, 3}, {3, 1})})));
  }
  replay.refinement.name = "embedding";
  replay.refinement.outputs = {"y"};
  replay.refinement.inputs = {{"ids", {parse("ids@0"), parse("ids@1")}, {}},
                              {"table", {parse("concat(table@0, table@1; dim=0)")}, {}}};
  replay.certificate.relations = {{"y", {parse("y@0"), parse("y@1")}, true}};
  return replay;
}

Replay row_softmax() {
  Replay replay;
  Universe& universe = replay.certificate.universe;
  input_atom(universe, 0, 24);
  Instance softmax;
  softmax.kind = Instance::Kind::kBlock;
  softmax.fn = "safe_softmax";
  softmax.operands = {{0, 0}};
  softmax.labels = {label(Tag::kParallel, 4, {6}, 6), label(Tag::kWhole, 6, {1}, 1, kNone, 0)};
  instance_atom(universe, softmax, 24);
  const auto apply = [](HandProgram& program, CoreProgram& core, int64_t rows, int64_t first) {
    const CoreId x = program.input("x", DType::kFloat32,
                                   claim({rows, 6}, {view(0, {rows, 6}, {6, 1}, 6 * first)}));
    core.specs = {{{{{1, false}, {0, true}}}, {{1, false}, {0, true}}}};
    CoreOp op;
    op.prim = Prim::kBlock;
    op.fn = "safe_softmax";
    op.operands = {x};
    op.spec = 0;
    program.output(
        "y", program.op(std::move(op), claim({rows, 6}, {view(1, {rows, 6}, {6, 1}, 6 * first)})));
  };
  HandProgram sequential(replay.refinement.sequential, replay.sequential,
                         replay.certificate.sequential);
  apply(sequential, replay.sequential, 4, 0);
  replay.refinement.ranks.resize(2);
  replay.ranks.resize(2);
  replay.certificate.ranks.resize(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    HandProgram program = rank_program(replay, rank);
    apply(program, replay.ranks[rank], 2, 2 * static_cast<int64_t>(rank));
  }
  replay.refinement.name = "softmax";
  replay.refinement.outputs = {"y"};
  replay.refinement.inputs = {{"x", {parse("concat(x@0, x@1; dim=0)")}, {}}};
  replay.certificate.relations = {{"y", {parse("concat(y@0, y@1; dim=0)")}, true}};
  return replay;
}

}  // namespace assay::test
