// Core programs: the few primitive operators that every captured operator is lowered to by its
// declaration. The lifter, the certificate checker and the reference evaluator speak core operators
// alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/rational.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

using CoreId = int32_t;  // index into CoreProgram::ops; every core operator has exactly one output

enum class Prim : uint8_t {
  // -- sources --
  kInput,   // a graph input (or a node whose value the capture lost): `tensor` says which
  kConst,   // every element is `constant` (or -inf/+inf/nan by `fn`)
  kIota,    // int64 [n]: 0, 1, ..., n-1
  kUninit,  // memory never written
  kRandom,  // a draw of fn (the distribution with its attributes); occurrence counts the calls of
            // that fn in this program. Its operand, where it has one: the tensor of its own shape
            // for each of whose elements it draws
  // -- movement: out[c] = operand[map(c)] --
  kPermute,  // ints: dims; out dim i is operand dim ints[i]
  kReshape,  // row-major; shape of the op
  kExpand,   // same number of dims; a dim of size 1 is repeated to the op's shape
  kSlice,    // ints: dim, start, step (>= 1); the op's shape says how many
  kCat,      // ints: dim; operands in order
  // -- element-wise; all operands have the op's shape --
  kLinear,  // sum of coefs[i] * operand[i]; integers too
  kMul,     // operand[0] * operand[1]; integers too
  kMap,   // fn of the operands, element by element ("gelu(none)", "ge", "and", "not", "reciprocal",
          // ...)
  kKeep,  // operand[0] (bool) ? operand[1] : 0, exact even where operand[1] is infinite
  kCast,  // operand as the op's dtype; float to float is the identity on values
  // -- reductions; ints: sorted dims, dropped from the shape --
  kReduceSum,
  kReduceMax,
  kReduceMin,
  // -- the rest --
  kOneHot,  // int [d...] -> [d..., n]: 1 where index == last coordinate, else 0. ints: what an
            // index
            // may be beside 0 ... n - 1
  kBlock,   // fn on blocks, see BlockSpec ("cumsum", "layer_norm.xhat(1e-05)", "attention(...)")
  kCollective,  // see Collective
  kOpaque,  // undeclared: a function of all its operands as wholes; fn = name and attributes and
            // output number
};

// What moves elements of one operand.
constexpr bool is_movement(Prim prim) {
  return prim == Prim::kPermute || prim == Prim::kReshape || prim == Prim::kExpand ||
         prim == Prim::kSlice;
}

// How a block function reads its operands: labels that map in parallel, labels that must be whole.
// For fixed parallel coordinates, the output over its whole dims is a function of the operands over
// theirs.
struct BlockSpec {
  struct Dim {
    int32_t label;  // equal labels are equal coordinates; sizes agree
    bool whole;
    bool operator==(const Dim&) const = default;
  };
  std::vector<std::vector<Dim>> operands;  // per operand, per dimension
  std::vector<Dim> output;
};

struct Collective {
  enum class Kind : uint8_t {
    kAllReduce,
    kReduce,  // an all-reduce whose result the source alone may use
    kAllGather,
    kGather,  // an all-gather whose result the source alone may use
    kReduceScatter,
    kBroadcast,
    kScatter,
    kAllToAll,
    kBarrier,  // everybody keeps what it has
    // Point to point. A sender goes on at once and keeps what it has; between two ranks of a group,
    // messages arrive in the order in which they are sent.
    kSend,
    kReceive,
  };
  enum class Reduce : uint8_t { kSum, kAvg, kMax, kMin, kProduct };

  Kind kind = Kind::kAllReduce;
  Reduce reduce = Reduce::kSum;
  std::string group;        // id, for messages
  std::vector<Rank> ranks;  // members in group order; contains the program's own rank
  // kBroadcast, kScatter: the rank whose value everybody gets (a piece of); kReduce, kGather: the
  // rank that gets the result; kSend, kReceive: the sender
  Rank source = 0;
  Rank destination = 0;  // kSend, kReceive: the receiver
  Int tag = 0;           // kSend, kReceive: must be the same at both
  // The operand of kReceive, and of kScatter at everybody but the source, is the memory that is
  // written. kAllGather and kGather concatenate, kReduceScatter and kScatter split dim 0.
  // kAllToAll: rows of dim 0 sent to / received from each member.
  std::vector<Int> send_splits, receive_splits;
  // The first operator that the program does not come to before the collective is done; kNone: the
  // next one, of a send none. Members of a group start its collectives in one order, and each in
  // theirs.
  CoreId awaited_before = kNone;
};

struct CoreOp {
  Prim prim = Prim::kInput;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<CoreId> operands;
  std::vector<Int> ints;
  std::vector<Rational> coefs;  // kLinear
  Rational constant;            // kConst
  std::string fn;               // with its attributes, canonical: equal text = equal function
  uint32_t linear = 0;   // kMap, kBlock: bit i set = linear in operand i, the others held fixed
  int32_t spec = kNone;  // kBlock: index into CoreProgram::specs
  int32_t collective = kNone;  // kCollective: index into CoreProgram::collectives
  int32_t occurrence = 0;      // kRandom
  TensorId tensor = kNone;     // kInput
  NodeId origin = kNone;       // the captured node that this came from; kNone for graph inputs
};

// A captured node that writes at indices which are taken to name no place twice.
struct SingleWrite {
  NodeId node = kNone;
  std::vector<CoreId> indices;  // a coordinate of the places each, all of one shape
  Shape rows;                   // how many places there are along it
};

// Integers that lie between these whatever the inputs are, as the function that made them says:
// clamp(x, 0, 4), x % 4, a count of flags that is an index.
struct FewValues {
  static constexpr PlainInt kMost = 64;  // numbers

  CoreId op = kNone;
  PlainInt low = 0, high = 0;
};

struct CoreProgram {
  std::vector<CoreOp> ops;  // operands come before users
  std::vector<BlockSpec> specs;
  std::vector<Collective> collectives;
  std::vector<CoreId> value_of;  // per Graph tensor
  std::vector<bool> may_wrap;    // per Graph tensor: integers that may leave the dtype's range, so
                                 // that core operators give them modulo 2^bits alone
  std::vector<std::string>
      notes;  // assumptions that lowering made: rounded constants, baked host values, casts, ...
  std::vector<SingleWrite> single_writes;
  std::vector<CoreId> unwrapped;      // integers that are taken not to wrap around
  std::vector<FewValues> few_values;  // by operator
  std::vector<std::string> opaque;    // names of operators that have no declaration
};

}  // namespace assay
