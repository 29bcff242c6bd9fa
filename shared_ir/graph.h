// A single-assignment tensor program of one rank, as captured: operators by name, tensors with
// dtype and shape. Importers and the LibTorch capture produce it; lowering (lower.h) turns it into
// core operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/dtype.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

using TensorId = int32_t;  // index into Graph::tensors
using NodeId = int32_t;    // index into Graph::nodes
inline constexpr int32_t kNone = -1;

using Shape = std::vector<Int>;

struct Tensor {
  std::string name;  // unique in the graph; what relations, reports and certificates use
  DType dtype = DType::kFloat32;
  Shape shape;              // elements per dimension; empty = scalar
  NodeId producer = kNone;  // kNone: an input of the graph
  int32_t output = 0;       // which output of the producer
  // Elements of memory from one index to the next, per dimension, as the capture saw the tensor
  // when it was made; nothing where that is not known.
  std::optional<std::vector<Int>> strides = {};
};

struct Arg;
using ArgList = std::vector<Arg>;

struct NoArg {};  // None, or an optional argument that is not given
struct TensorArg {
  TensorId id;
};

// One argument of an operator. Devices and layouts are dropped at import (NoArg), memory
// formats are texts ("torch.contiguous_format").
struct Arg {
  std::variant<NoArg, TensorArg, Int, double, bool, std::string, DType, ArgList> value;

  bool is_none() const { return std::holds_alternative<NoArg>(value); }
};

// One call of an operator. Tuple results are flattened: getitem nodes of a capture become outputs
// of their producer. An operator that writes into its operands does so where the program called it
// (memory/). Where it was made functional (`functional`, or Graph::functional) it writes nothing:
// outputs are its own returns first, then the new value of each mutated argument, in the order of
// the schema; auto_functionalized (`functional`) counts the None that a void operator returns: its
// output 0 is kNone, and the mutated arguments start at output 1.
struct Node {
  std::string op;         // "aten.mm.default", "_C.rms_norm.default", "c10d.all_reduce", ...
  std::vector<Arg> args;  // positional
  std::vector<std::pair<std::string, Arg>> kwargs;
  std::vector<TensorId> outputs;  // kNone where the program never uses that output
  SourcePlace source;             // the user's line that called it, if known
  std::string module;             // path of the module that called it, if known
  bool backward = false;  // runs in the backward pass; source and module are the forward operator's
  bool functional = false;  // auto_functionalized
  // A collective that goes on until the program waits for it, where a capture saw when: a number
  // that those have in common which are waited for together. kNone: a node of the graph waits
  // (wait_tensor), or the program goes on when it is done.
  int32_t work = kNone;
  // What the program has waited for, by these numbers, before it comes to this node. What no node
  // names is waited for at the end.
  std::vector<int32_t> awaits = {};
};

// The operator that a constant of a capture becomes: args[0] is its value, a number or nested lists
// of numbers.
inline constexpr std::string_view kConstantOp = "assay.constant";

struct Graph {
  std::string name;  // for messages: the file, or "sequential", "rank 0"
  // No node writes into memory: the language has none (HLO), or the capture made it so.
  bool functional = false;
  // A view of elements that another tensor shows is a node like others, as which they are depends
  // on values (RecordingOptions::copies_views).
  bool copies_views = false;
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;  // in execution order; operands come before their users
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  // Inputs that are constants of the program whose data were not read.
  std::vector<TensorId> unread_constants;
  // What the importer took to hold of the program, in the words of the report's list.
  std::vector<std::string> assumptions;
  // Several names of one tensor (output names, replaced getitems): alias -> tensor.
  std::unordered_map<std::string, TensorId> by_name;  // every tensor name and alias

  // kNone when there is no such tensor.
  TensorId find(const std::string& tensor_name) const;
};

inline bool was_made_functional(const Graph& graph, const Node& node) {
  return graph.functional || node.functional;
}

// Letters, digits, `_ . - :`, at least one: what a clean expression can name.
bool is_tensor_name(std::string_view name);

// Whether sizes are not negative and their product is at most 2^60.
bool element_count_fits(const Shape& shape);

// Number of elements of a shape that has passed validate().
Int element_count(const Shape& shape);

// Appends the tensors of an argument, lists flattened, in order: a tensor that is given twice is
// there twice.
void collect_tensors(const Arg& arg, std::vector<TensorId>& found);

// Those of all arguments of a node.
std::vector<TensorId> tensor_arguments(const Node& node);

// The tensors that a node reads: its tensor arguments, each once.
std::vector<TensorId> operands_of(const Node& node);

// "[2, 3]".
std::string to_string(const Shape& shape);

// Checks the invariants above (names legal and unique, operands defined before use, ids in range,
// at most 2^60 elements a tensor). Throws UserError that names the graph, the node and what is
// wrong.
void validate(const Graph& graph);

}  // namespace assay
