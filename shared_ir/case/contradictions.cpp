// Each leaf of an input relation claims that elements of a distributed tensor are elements of a
// sequential one. The claim is followed from the leaf up to the root of its expression; two claims
// on one distributed tensor must agree where they overlap.
#include "shared_ir/case/contradictions.h"

#include <algorithm>
#include <map>
#include <optional>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using Kind = CleanExpr::Kind;
using Coordinates = std::vector<Int>;

Int flat_index(const Coordinates& at, const Shape& shape) {
  Int index = 0;
  for (size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

Coordinates coordinates(Int index, const Shape& shape) {
  Coordinates at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = index % shape[d];
    index /= shape[d];
  }
  return at;
}

// One operator between a leaf and the root.
struct Step {
  Kind kind;
  size_t dim;
  Int shift;              // added to the coordinate of `dim`
  Int low, high;          // kSlice: coordinates that stay
  std::vector<Int> dims;  // kPermute
  Shape before, after;    // kReshape

  bool operator==(const Step&) const = default;
};

// Leaf elements, half-open per dimension.
struct Box {
  Coordinates low, high;

  bool meets(const Box& other) const {
    for (size_t d = 0; d < low.size(); ++d)
      if (std::max(low[d], other.low[d]) >= std::min(high[d], other.high[d])) return false;
    return true;
  }
  Shape extents() const {
    Shape shape;
    for (size_t d = 0; d < low.size(); ++d) shape.push_back(high[d] - low[d]);
    return shape;
  }
};

struct Claim {
  const Relation* relation;
  Shape shape;              // of the leaf
  std::vector<Step> steps;  // from the leaf up
  // The sums and scales on the way, numbered: claims of different roles never agree.
  std::vector<int32_t> role;
  bool reshaped = false;
  Box box;  // the leaf elements that it keeps

  // The other says nothing that this one does not say.
  bool repeats(const Claim& other) const {
    return relation == other.relation && role == other.role && steps == other.steps;
  }

  // Where the element lies in the sequential tensor; nullopt when a slice drops it.
  std::optional<Coordinates> follow(Coordinates at) const {
    for (const Step& step : steps) {
      if (step.kind == Kind::kPermute) {
        Coordinates moved;
        for (Int dim : step.dims) moved.push_back(at[static_cast<size_t>(dim)]);
        at = std::move(moved);
      } else if (step.kind == Kind::kReshape) {
        at = coordinates(flat_index(at, step.before), step.after);
      } else {
        if (step.kind == Kind::kSlice && (at[step.dim] < step.low || at[step.dim] >= step.high)) {
          return std::nullopt;
        }
        at[step.dim] += step.shift;
      }
    }
    return at;
  }
};

// The leaf elements that a claim keeps; what slices after a reshape drop is still among them.
Box box_of(const Claim& claim) {
  Box box{Coordinates(claim.shape.size(), 0), claim.shape};
  Coordinates offset(claim.shape.size(), 0);  // coordinate here = coordinate in the leaf + offset
  std::vector<size_t> leaf_dim(claim.shape.size());
  for (size_t d = 0; d < leaf_dim.size(); ++d) leaf_dim[d] = d;
  for (const Step& step : claim.steps) {
    if (step.kind == Kind::kReshape) break;
    if (step.kind == Kind::kPermute) {
      std::vector<size_t> moved;
      for (Int dim : step.dims) moved.push_back(leaf_dim[static_cast<size_t>(dim)]);
      leaf_dim = std::move(moved);
      continue;
    }
    const size_t d = leaf_dim[step.dim];
    if (step.kind == Kind::kSlice) {
      box.low[d] = std::max(box.low[d], step.low - offset[d]);
      box.high[d] = std::min(box.high[d], step.high - offset[d]);
    }
    offset[d] += step.shift;
  }
  return box;
}

class Finder {
 public:
  explicit Finder(const Case& refinement) : case_(refinement) {}

  void run() {
    for (const Relation& relation : case_.inputs) {
      for (const CleanExpr& replica : relation.replicas) {
        collect(replica, {.relation = &relation, .shape = {}, .steps = {}, .role = {}, .box = {}});
      }
    }
  }

 private:
  Shape leaf_shape(const std::string& name, Rank rank) const {
    const Graph& graph = case_.ranks[static_cast<size_t>(rank)];
    return graph.tensors[static_cast<size_t>(graph.find(name))].shape;
  }

  Shape shape_of(const CleanExpr& expr) const {
    return infer_shape(
        expr, [this](const std::string& name, Rank rank) { return leaf_shape(name, rank); }, {});
  }

  // `above` holds the steps from this expression up.
  void collect(const CleanExpr& expr, Claim above) {
    if (expr.kind == Kind::kTensor) {
      above.shape = leaf_shape(expr.name, expr.rank);
      add(expr, std::move(above));
      return;
    }
    if (expr.kind == Kind::kSum) add_role(role_of_sum(expr), above);
    if (expr.kind == Kind::kScale) {
      add_role("scaled " + decimal(expr.numerator) + "/" + decimal(expr.denominator), above);
    }
    Int start = 0;
    for (const CleanExpr& operand : expr.operands) {
      Claim claim = above;
      Step step{expr.kind, static_cast<size_t>(expr.dim), 0, 0, 0, {}, {}, {}};
      switch (expr.kind) {
        case Kind::kConcat:
          step.shift = start;
          start += shape_of(operand)[step.dim];
          break;
        case Kind::kSlice:
          step.low = expr.start;
          step.high = expr.end;
          step.shift = -expr.start;
          break;
        case Kind::kPad:
          step.shift = expr.start;
          break;
        case Kind::kPermute:
          step.dims = expr.dims;
          break;
        case Kind::kReshape:
          step.before = shape_of(operand);
          step.after = expr.dims;
          claim.reshaped = true;
          break;
        case Kind::kSum:
        case Kind::kScale:
        case Kind::kTensor:
          break;
      }
      if (expr.kind != Kind::kSum && expr.kind != Kind::kScale) {
        claim.steps.insert(claim.steps.begin(), std::move(step));
      }
      collect(operand, std::move(claim));
    }
  }

  void add_role(const std::string& role, Claim& claim) {
    if (role.empty()) return;
    const auto number = static_cast<int32_t>(roles_.size());
    claim.role.push_back(roles_.emplace(role, number).first->second);
  }

  // The same for every order of the operands; a sum of one is that one.
  static std::string role_of_sum(const CleanExpr& sum) {
    if (sum.operands.size() == 1) return "";
    std::vector<std::string> parts;
    for (const CleanExpr& operand : sum.operands) parts.push_back(to_string(operand));
    std::sort(parts.begin(), parts.end());
    std::string role = "part of a sum of ";
    for (const std::string& part : parts) role += part + ";";
    return role;
  }

  void add(const CleanExpr& leaf, Claim claim) {
    claim.box = box_of(claim);
    std::vector<Claim>& earlier = claims_[{leaf.name, leaf.rank}];
    for (const Claim& other : earlier) {
      if (!other.box.meets(claim.box)) continue;
      if (other.repeats(claim)) return;
      compare(leaf, other, claim);
    }
    earlier.push_back(std::move(claim));
  }

  // Of claims whose boxes meet.
  void compare(const CleanExpr& leaf, const Claim& a, const Claim& b) {
    Box both;
    for (size_t d = 0; d < a.shape.size(); ++d) {
      both.low.push_back(std::max(a.box.low[d], b.box.low[d]));
      both.high.push_back(std::min(a.box.high[d], b.box.high[d]));
    }
    a.reshaped || b.reshaped ? probe(leaf, a, b, both) : compare_boxes(leaf, a, b, both);
  }

  // Elements all over the box, its first among them.
  void probe(const CleanExpr& leaf, const Claim& a, const Claim& b, const Box& box) {
    constexpr Int kMost = 1 << 16, kLeast = 1 << 8;
    const Shape extents = box.extents();
    const Int elements = element_count(extents);
    const Int probes = std::clamp(probes_left_, kLeast, kMost);
    const Int stride = elements / probes + 1;
    probes_left_ -= elements / stride;
    for (Int index = 0; index < elements; index += stride) {
      Coordinates at = coordinates(index, extents);
      for (size_t d = 0; d < at.size(); ++d) at[d] += box.low[d];
      compare_at(leaf, a, b, at);
    }
  }

  // Both claims are shifts and permutations of coordinates, so they agree on a box when they agree
  // at a corner and one step away from it in each dimension.
  void compare_boxes(const CleanExpr& leaf, const Claim& a, const Claim& b, const Box& box) const {
    compare_at(leaf, a, b, box.low);
    for (size_t d = 0; d < box.low.size(); ++d) {
      if (box.low[d] + 1 == box.high[d]) continue;
      Coordinates next = box.low;
      ++next[d];
      compare_at(leaf, a, b, next);
    }
  }

  static void compare_at(const CleanExpr& leaf, const Claim& a, const Claim& b,
                         const Coordinates& at) {
    const auto first = a.follow(at), second = b.follow(at);
    if (!first || !second) return;
    const bool same_role = a.role == b.role;
    if (same_role && a.relation->tensor == b.relation->tensor && *first == *second) return;
    const std::string earlier =
        a.relation == b.relation
            ? "also "
            : (a.relation->place.known() ? "by " + to_string(a.relation->place) + " " : "also ");
    throw UserError(b.relation->place,
                    "contradictory relation: element " + to_string(at) + " of " + to_string(leaf) +
                        " is " + b.relation->tensor + to_string(*second) + " and " + earlier +
                        a.relation->tensor + to_string(*first) +
                        (same_role ? "" : ", once whole or scaled and once as part of a sum"),
                    "each element of a distributed input stands for one element of the "
                    "sequential program");
  }

  const Case& case_;
  std::map<std::pair<std::string, Rank>, std::vector<Claim>> claims_;
  std::map<std::string, int32_t> roles_;
  Int probes_left_ = 1 << 22;
};

}  // namespace

void check_contradictions(const Case& refinement) { Finder(refinement).run(); }

}  // namespace assay
