#include "static_check/checker/joint.h"

#include <array>

namespace assay::checker {
namespace {

std::string_view name_of(Prim prim) {
  constexpr std::array<std::string_view, 22> kNames = {
      "input", "const", "iota",    "uninit", "random",     "permute", "reshape", "expand",
      "slice", "cat",   "linear",  "mul",    "map",        "keep",    "cast",    "sum",
      "max",   "min",   "one_hot", "block",  "collective", "opaque"};
  return kNames[static_cast<size_t>(prim)];
}

TensorId find_tensor(const Graph& graph, const std::string& name) {
  const TensorId tensor = graph.find(name);
  if (tensor == kNone) throw Rejection{"no tensor \"" + name + "\" in " + graph.name};
  return tensor;
}

bool is_unknown(const Atom& atom) {
  return atom.hidden.empty() &&
         (atom.kind == Atom::Kind::kUninit || atom.kind == Atom::Kind::kRandom ||
          (atom.kind == Atom::Kind::kInput && atom.tensor == kNone));
}

}  // namespace

const Value& Joint::value(Rank rank, const std::string& tensor) const {
  const TensorId id = find_tensor(graph(rank), tensor);
  return values(rank)[static_cast<size_t>(program(rank).value_of[static_cast<size_t>(id)])];
}

LeafShape Joint::shapes(bool sequential_leaves) const {
  return [this, sequential_leaves](const std::string& name, Rank rank) {
    if (sequential_leaves) rank = kNone;
    if (rank != kNone && (rank < 0 || static_cast<size_t>(rank) >= ranks.size()))
      throw Rejection{"no rank " + std::to_string(rank)};
    return graph(rank).tensors[static_cast<size_t>(find_tensor(graph(rank), name))].shape;
  };
}

LeafElement Joint::elements(bool sequential_leaves) const {
  return [this, sequential_leaves](const CleanExpr& leaf, const Region& region,
                                   const std::vector<Affine>& coords) {
    return as_sum(
        element_at(region, value(sequential_leaves ? kNone : leaf.rank, leaf.name), coords));
  };
}

std::string describe(const Joint& joint, const OpRef& ref) {
  const CoreOp& op = joint.program(ref.rank).ops[static_cast<size_t>(ref.op)];
  const Graph& graph = joint.graph(ref.rank);
  std::string text = ref.rank == kNone ? "sequential" : "rank " + std::to_string(ref.rank);
  text += ", core operator " + std::to_string(ref.op) + " (" + std::string(name_of(op.prim));
  if (!op.fn.empty()) text += " " + op.fn;
  text += ")";
  if (op.prim == Prim::kInput && op.tensor != kNone)
    text += " of " + graph.tensors[static_cast<size_t>(op.tensor)].name;
  if (op.origin != kNone) {
    const Node& node = graph.nodes[static_cast<size_t>(op.origin)];
    text += " of " + node.op;
    for (const TensorId output : node.outputs)
      if (output != kNone) {
        text += " " + graph.tensors[static_cast<size_t>(output)].name;
        break;
      }
    if (node.source.known()) text += " at " + to_string(node.source);
  }
  return text;
}

bool claims_unknown(Joint& joint, const OpRef& ref) {
  const CoreOp& op = joint.program(ref.rank).ops[static_cast<size_t>(ref.op)];
  const Value& claim = joint.values(ref.rank)[static_cast<size_t>(ref.op)];
  AtomId unknown = kNone;
  try {
    for_each_region(region_of(op.shape), 0, [&](const Region& region) {
      const Element element = element_at(region, claim, region.coords);
      if (element.integer || element.sum.size() != 1) throw Rejection{};
      const Product& product = element.sum[0];
      const Factor& factor = product.factors[0];
      const Atom& atom = joint.facts.atom(factor.atom);
      if (!product.coef.is_one() || !product.boxes.empty() || !product.guards.empty() ||
          !is_unknown(atom) || is_floating(atom.dtype) != is_floating(op.dtype) ||
          is_bool(atom.dtype) != is_bool(op.dtype) ||
          factor.index != row_major(op.shape, region.coords) ||
          (unknown != kNone && unknown != factor.atom))
        throw Rejection{};
      unknown = factor.atom;
    });
  } catch (const Rejection&) {
    return false;
  }
  return unknown == kNone || joint.owners.emplace(unknown, ref).first->second == ref;
}

}  // namespace assay::checker
