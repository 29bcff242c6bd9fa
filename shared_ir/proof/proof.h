// What a proof says: every tensor of both sides as views, parts and sums of atoms of one universe.
// The lifter writes it, the checker re-derives it. A certificate is this data: an annotation of the
// programs, like types; each tensor's claim is checked against its operands' claims and the core
// operator between them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "shared_ir/base/inline_vector.h"
#include "shared_ir/clean_expr.h"
#include "shared_ir/core.h"
#include "shared_ir/proof/lemma_proof.h"
#include "shared_ir/rational.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

using AtomId = int32_t;
using LabelId = int32_t;

// One digit of an index: `size` steps of `stride` elements. stride 0 = broadcast.
struct Mode {
  Int size;
  Int stride;
  bool operator==(const Mode&) const = default;
};
using Modes = InlineVector<Mode, 1>;  // outer to inner

// Where each element of a (tile of a) tensor lies in its atom's row-major index space: a
// hierarchical layout in the manner of CuTe's algebra. Coordinate x of a dimension with modes
// m0..mk (outer to inner) has digits (x / prod(inner sizes)) % size; address = offset + sum of
// digit * stride. Canonical: coalesced per dimension (no size 1, no (a, b*t)(b, t) neighbours); a
// dimension of size 1 has no modes; the product of a dimension's mode sizes is its extent.
struct Layout {
  Int offset = 0;
  InlineVector<Modes, 4> dims;
  bool operator==(const Layout&) const = default;
};

// Half-open.
struct Interval {
  Int lo;
  Int hi;
  auto operator<=>(const Interval&) const = default;
};

// A restriction of a term.
// kBox:   the digit (value / stride) % radix of a hidden (summed) label lies in `intervals`: a part
// of the sum. kMax:   the same for a label hidden under a maximum (or minimum); boxes may overlap.
// kGuard: the term counts only where the integer atom's element at `where` (a layout over the
// term's own tile dims)
//         lies in `intervals`; elsewhere it is 0.
// Intervals are sorted, disjoint, not adjacent, and never the full domain.
struct Restriction {
  enum class Kind : uint8_t { kBox, kMax, kGuard };
  Kind kind = Kind::kBox;
  LabelId label = 0;  // kBox, kMax
  Int stride = 1;     // kBox, kMax
  Int radix = 1;      // kBox, kMax
  AtomId atom = 0;    // kGuard
  Layout where;       // kGuard
  std::vector<Interval> intervals;
  bool operator==(const Restriction&) const = default;
};

// coef * (view of atom), restricted. Element c of the tile is
//   coef * [all guards hold at c] * sum over the atom's hidden labels within the boxes, at index
//   layout(c).
struct Term {
  Rational coef = 1;
  AtomId atom = 0;
  Layout layout;
  std::vector<Restriction>
      restrictions;  // sorted: boxes and maxima by (label, stride), then guards
  bool operator==(const Term&) const = default;
};

// An integer (or bool, as 0/1) function of one integer atom: where x = atom[layout(c)] lies in [lo,
// hi): a * x + b. Pieces are sorted, adjacent, and cover all of int64; neighbours with the same a,
// b are merged.
struct PiecewiseAffine {
  struct Piece {
    Interval x;
    Int a;
    Int b;
    bool operator==(const Piece&) const = default;
  };
  AtomId atom = 0;
  Layout layout;
  std::vector<Piece> pieces;
  bool operator==(const PiecewiseAffine&) const = default;
};

// A tile is the sum of its terms (none: zero), or one piecewise affine integer map.
struct Tile {
  std::vector<Term> terms;
  std::vector<PiecewiseAffine> integer;  // empty or one
  bool operator==(const Tile&) const = default;
};

using Cuts = InlineVector<Int, 2>;  // of a dimension
using Grid = InlineVector<Cuts, 4>;

// A tensor's value: piecewise over a tile grid. cuts[d] = {0, ..., shape[d]}; tiles in row-major
// order of the grid. A layout inside a tile is over the tile's own coordinates (starting at 0).
struct Value {
  Shape shape;
  Grid cuts;
  std::vector<Tile> tiles;
  bool operator==(const Value&) const = default;
};

using Strides = InlineVector<Int, 2>;  // per operand

// One label of an instance: a coordinate that its operands share.
struct InstanceLabel {
  enum class Tag : uint8_t { kParallel, kReduced, kWhole };
  Tag tag = Tag::kParallel;
  Int size = 1;
  Strides strides;         // in the operand atom's index space; 0 = the operand does not see it
  Int out_stride = 0;      // in the output atom's index space; kReduced, and kWhole of a kCat: 0
  LabelId hidden = kNone;  // kReduced: the label that the output atom hides
  int32_t spec_label =
      kNone;  // kWhole: the label of a block's declaration, or the piece of a kCat, it belongs to
};

// What an atom is. Instances are operators on atoms; a larger label range than any one program uses
// is fine, as long as every address stays inside the operand atoms.
struct Instance {
  enum class Kind : uint8_t {
    kMul,  // out[l] = A[l] * B[l], all labels parallel; hidden labels of the operands unite
    kSum,  // out[parallel] = sum over the reduced labels of A
    kMax,  // the same with maximum
    kMin,
    kMap,      // out[l] = fn(A[l], B[l], ...)
    kBlock,    // out[parallel, whole] = fn(operands over their whole labels)[whole]
    kCombine,  // a name: out[l] = sum of the `terms` (operand i is terms[i].atom)
    kCat,      // out[parallel, w] = operand p at w - (sizes of earlier pieces), w in piece p;
               // piece p's kWhole labels are the digits of that difference, w is innermost in out
    kOpaque,   // fn of whole values
    kDraw,     // out[l] = what fn draws for the element A[l]; each element has a draw of its own.
               // fn ends in "#n": the draw for an element that was drawn for n times before
  };
  struct Operand {
    AtomId atom = 0;
    Int offset = 0;  // address of label coordinate 0
  };
  // kCombine: coefficient and restrictions of each operand. A guard's `where` layout is empty here:
  // its atom is one of the operands, at index guard_operand.
  struct CombineTerm {
    Rational coef;
    int32_t operand = 0;
    std::vector<Restriction> restrictions;
    std::vector<int32_t> guard_operands;  // parallel to the kGuard entries of restrictions
    bool operator==(const CombineTerm&) const = default;
  };

  Kind kind = Kind::kMul;
  std::string fn;       // kMap, kBlock, kOpaque, kDraw: the function with its attributes
  uint32_t linear = 0;  // operands in which it is linear
  std::vector<Operand> operands;
  std::vector<InstanceLabel> labels;  // outermost first: the output atom is row-major over parallel
                                      // and whole labels (kCat: w), in this order
  std::vector<CombineTerm> terms;     // kCombine
  std::vector<Int> piece_sizes;       // kCat
  AtomId output = 0;
};

struct Atom {
  enum class Kind : uint8_t {
    kInput,     // a sequential input: `tensor`
    kOne,       // the scalar 1
    kInfinity,  // the scalar +inf (a coefficient of -1 makes -inf)
    kIota,      // 0, 1, ..., size - 1
    kOneHot,    // [class, element of `ids`]: 1 where atom `ids` at that element equals class
    kUninit,
    kRandom,    // fn, occurrence
    kInstance,  // output of an instance
    kNan,
  };
  Kind kind = Kind::kInput;
  Int size = 1;  // elements of the index space
  DType dtype =
      DType::kFloat32;          // of the tensor that first made it; integer atoms may be guarded on
  std::vector<LabelId> hidden;  // sorted: labels that are summed inside
  int32_t instance = kNone;     // kInstance
  TensorId tensor = kNone;      // kInput: in the sequential graph
  AtomId ids = kNone;           // kOneHot
  std::string fn;               // kRandom
  int32_t occurrence = 0;       // kRandom
};

struct HiddenLabel {
  Int size = 0;
  bool maximum = false;  // hidden under max/min: boxes may overlap
  int32_t instance =
      kNone;  // the kSum/kMax instance that hides it; kNone: a sum over ranks of a partial input
};

struct Universe {
  std::vector<Atom> atoms;
  std::vector<Instance> instances;
  std::vector<HiddenLabel> labels;
};

// A proof about a case. Claims are per core operator of each program, in the order of lower()'s
// result.
struct Certificate {
  Universe universe;
  std::vector<Value> sequential;          // per core op of the sequential program
  std::vector<std::vector<Value>> ranks;  // per rank, per core op
  struct Covered {
    std::string tensor;               // sequential
    std::vector<CleanExpr> replicas;  // each evaluates to the sequential tensor
    bool output = false;              // a checked output: leaves must be final outputs of the ranks
  };
  std::vector<Covered> relations;
  // What the user accepts instead of a proof: the case's approximations, in order. `operands` says
  // how what the ranks' operators read (ApproximatedOperands::ranks, in order) is made of what the
  // sequential operator reads (leaves at rank 0).
  struct Approximated {
    std::string tensor;
    std::vector<CleanExpr> replicas;
    std::vector<CleanExpr> operands;
  };
  std::vector<Approximated> approximations;
  // Equations, over the sequential tensors and over the ranks', that were not derived but tested by
  // evaluation at random places in finite fields. Those between tensors within the programs come
  // first, each of a tensor and a rank's, or ranks' put together along a dimension: once it holds,
  // the ranks' are taken for it, or both for any numbers of the signs that are known.
  struct Evaluated {
    enum class Use : uint8_t { kClaim, kTaken, kTakenAsAnyNumbers };
    CleanExpr sequential, replica;
    Use use = Use::kClaim;
  };
  std::vector<Evaluated> evaluated;
  // A claim that does not follow from what the operator's operands claim, but was tested by
  // evaluation: the ranks' tensors, each or put together along a dimension, are the sequential one,
  // and claim what it claims. Where that is evaluated, the ranks' tensors in `cuts` are what their
  // own claims say, a sequential tensor or a slice of one, and results of the sequential operators
  // in `any` are any numbers of the signs that are known.
  struct EvaluatedClaim {
    struct Cut {
      CleanExpr sequential, replica;
    };
    CleanExpr sequential;
    std::vector<CleanExpr> replicas;
    std::vector<Cut> cuts;
    std::vector<CoreId> any;
  };
  std::vector<EvaluatedClaim> evaluated_claims;
  std::vector<LemmaProof> lemmas;  // atoms that are equal, in the order in which they were shown
  std::vector<std::string> assumptions;
};

}  // namespace assay
