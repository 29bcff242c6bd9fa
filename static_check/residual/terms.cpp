#include "static_check/residual/terms.h"

#include <algorithm>
#include <tuple>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

constexpr size_t kMostLeaves = 80;

struct TooLarge {};

// Products of the sizes of the inner labels, for each label of the output: 1, ..., size.
std::vector<Int> inner_sizes(const Instance& instance, Int size) {
  std::vector<Int> result{1, size};
  for (const InstanceLabel& label : instance.labels)
    if (label.out_stride != 0 && label.size > 1) result.push_back(label.out_stride);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

class Terms {
 public:
  Terms(const Lifting& lifting, AtomId left, AtomId right) : lifting_(lifting) {
    const std::set<AtomId> a = cone_of(lifting, left), b = cone_of(lifting, right);
    finite_ = is_finite(a) && is_finite(b);
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                          std::inserter(common_, common_.end()));
  }

  bool run(AtomId left, AtomId right) {
    const Int size = lifting_.atom(left).size;
    const bool numbers =
        is_floating(lifting_.atom(left).dtype) && is_floating(lifting_.atom(right).dtype);
    if (!finite_ || !numbers || lifting_.atom(right).size != size) return false;
    std::vector<Int> inner = inner_sizes(lifting_.instance_of(left), size);
    const std::vector<Int> other = inner_sizes(lifting_.instance_of(right), size);
    inner.insert(inner.end(), other.begin(), other.end());
    std::sort(inner.begin(), inner.end());
    inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
    Strides whole;
    for (size_t i = inner.size() - 1; i-- > 0;) {
      if (inner[i + 1] % inner[i] != 0) return false;
      whole.push_back(inner[i]);
      add_dim(inner[i + 1] / inner[i]);
    }
    proof_.left = leaf(left, 0, whole);
    proof_.right = leaf(right, 0, whole);
    for (size_t next = 0; next < pending_.size(); ++next) open(pending_[next]);
    for (LemmaProof::Leaf& one : proof_.leaves) one.strides.resize(proof_.dims.size(), 0);
    return true;
  }

  LemmaProof take() { return std::move(proof_); }

 private:
  using Strides = std::vector<Int>;  // by dimension; missing ones are 0

  // Lemmas are about real numbers.
  bool is_finite(const std::set<AtomId>& cone) const {
    return std::none_of(cone.begin(), cone.end(), [&](AtomId atom) {
      const Atom::Kind kind = lifting_.atom(atom).kind;
      return kind == Atom::Kind::kInfinity || kind == Atom::Kind::kNan ||
             kind == Atom::Kind::kUninit;
    });
  }

  struct Pending {
    int32_t leaf;
    int depth;  // common atoms are opened this often on one way
  };

  size_t add_dim(Int size) {
    proof_.dims.push_back({"i" + std::to_string(proof_.dims.size()), size});
    return proof_.dims.size() - 1;
  }

  int32_t leaf(AtomId atom, Int offset, Strides strides, int depth = 2) {
    while (!strides.empty() && strides.back() == 0) strides.pop_back();
    const auto [known, added] = leaves_.emplace(std::tuple{atom, offset, strides},
                                                static_cast<int32_t>(proof_.leaves.size()));
    if (!added) return known->second;
    if (proof_.leaves.size() == kMostLeaves) throw TooLarge{};
    proof_.leaves.push_back({atom, offset, std::move(strides)});
    if (lifting_.atom(atom).kind == Atom::Kind::kInstance && depth > 0)
      pending_.push_back({known->second, depth});
    return known->second;
  }

  Formula variable(AtomId atom, Int offset, const Strides& strides, int depth) {
    if (atom == lifting_.one()) return make_number(1);
    return make_variable(leaf_name(leaf(atom, offset, strides, depth)));
  }

  // The operand that an instance reads for this leaf; nullopt when a dimension is no single digit
  // of the operand.
  struct Read {
    Int offset;
    Strides strides;
  };
  std::optional<Read> read(const LemmaProof::Leaf& of, size_t operand) const {
    Layout layout;
    layout.offset = of.offset;
    for (size_t d = 0; d < proof_.dims.size(); ++d) {
      const Int stride = d < of.strides.size() ? of.strides[d] : 0;
      layout.dims.push_back({{proof_.dims[d].size, stride}});
    }
    const auto traced = lifting_.trace(of.atom, layout, operand);
    if (!traced) return std::nullopt;
    Read result{traced->offset, Strides(proof_.dims.size(), 0)};
    for (size_t d = 0; d < proof_.dims.size(); ++d) {
      const Modes& modes = traced->dims[d];
      if (modes.size() > 1) return std::nullopt;
      if (modes.size() == 1) result.strides[d] = modes[0].stride;
    }
    return result;
  }

  void define(int32_t leaf, Formula formula) {
    proof_.definitions.push_back({leaf, std::move(formula)});
  }

  void open(const Pending& pending) {
    const LemmaProof::Leaf of = proof_.leaves[static_cast<size_t>(pending.leaf)];
    const Instance& made = lifting_.instance_of(of.atom);
    const int depth = pending.depth - (common_.contains(of.atom) ? 1 : 0);
    switch (made.kind) {
      case Instance::Kind::kMul:
      case Instance::Kind::kMap:
        return open_call(pending.leaf, of, made, depth);
      case Instance::Kind::kCombine:
        return open_combination(pending.leaf, of, made, depth);
      case Instance::Kind::kSum:
      case Instance::Kind::kMax:
        return open_reduction(pending.leaf, of, made, depth);
      default:
        return;
    }
  }

  void open_call(int32_t number, const LemmaProof::Leaf& of, const Instance& made, int depth) {
    const FormulaFunction* function = find_function(made.fn);
    const bool known = made.kind == Instance::Kind::kMul ||
                       (function != nullptr && !function->reduces && !function->of_masks &&
                        function->operands == made.operands.size());
    if (!known) return;
    std::vector<Formula> operands;
    for (size_t i = 0; i < made.operands.size(); ++i) {
      const auto operand = read(of, i);
      if (!operand) return;
      operands.push_back(variable(made.operands[i].atom, operand->offset, operand->strides, depth));
    }
    define(number,
           make_call(made.kind == Instance::Kind::kMul ? "mul" : made.fn, std::move(operands)));
  }

  void open_combination(int32_t number, const LemmaProof::Leaf& of, const Instance& made,
                        int depth) {
    std::vector<Formula> summands;
    for (const Instance::CombineTerm& term : made.terms) {
      if (!term.restrictions.empty()) return;
      const auto i = static_cast<size_t>(term.operand);
      const auto operand = read(of, i);
      if (!operand) return;
      Formula summand = variable(made.operands[i].atom, operand->offset, operand->strides, depth);
      if (!term.coef.is_one())
        summand = summand.kind == Formula::Kind::kNumber
                      ? make_number(term.coef)
                      : make_call("mul", {make_number(term.coef), std::move(summand)});
      summands.push_back(std::move(summand));
    }
    if (summands.empty()) return;
    Formula sum = std::move(summands[0]);
    for (size_t i = 1; i < summands.size(); ++i)
      sum = make_call("add", {std::move(sum), std::move(summands[i])});
    define(number, std::move(sum));
  }

  // The one reduced label with more than one value.
  static const InstanceLabel* reduced_label(const Instance& made) {
    const InstanceLabel* found = nullptr;
    for (const InstanceLabel& label : made.labels) {
      if (label.tag != InstanceLabel::Tag::kReduced || label.size == 1) continue;
      if (found != nullptr) return nullptr;
      found = &label;
    }
    return found;
  }

  // A reduction runs over a dimension that its result does not see: one that is there already, so
  // that equal reductions are equal terms, or else one of its own.
  void open_reduction(int32_t number, const LemmaProof::Leaf& of, const Instance& made, int depth) {
    const InstanceLabel* reduced = reduced_label(made);
    auto operand = read(of, 0);
    if (reduced == nullptr || !operand) return;
    size_t dim = 0;
    for (; dim < proof_.dims.size(); ++dim)
      if (proof_.dims[dim].size == reduced->size && operand->strides[dim] == 0 &&
          (dim >= of.strides.size() || of.strides[dim] == 0))
        break;
    if (dim == proof_.dims.size()) add_dim(reduced->size);
    operand->strides.resize(proof_.dims.size(), 0);
    operand->strides[dim] = reduced->strides[0];
    define(number,
           make_call(made.kind == Instance::Kind::kSum ? "sum" : "max",
                     {variable(made.operands[0].atom, operand->offset, operand->strides, depth)},
                     proof_.dims[dim].name));
  }

  const Lifting& lifting_;
  std::set<AtomId> common_;
  bool finite_ = false;
  std::map<std::tuple<AtomId, Int, Strides>, int32_t> leaves_;
  std::vector<Pending> pending_;
  LemmaProof proof_;
};

}  // namespace

std::set<AtomId> cone_of(const Lifting& lifting, AtomId atom) {
  std::set<AtomId> seen{atom};
  std::vector<AtomId> pending{atom};
  while (!pending.empty()) {
    const AtomId at = pending.back();
    pending.pop_back();
    if (lifting.atom(at).kind != Atom::Kind::kInstance) continue;
    for (const Instance::Operand& operand : lifting.instance_of(at).operands)
      if (seen.insert(operand.atom).second) pending.push_back(operand.atom);
  }
  return seen;
}

std::optional<LemmaProof> terms_of(const Lifting& lifting, AtomId left, AtomId right) {
  Terms terms(lifting, left, right);
  try {
    if (!terms.run(left, right)) return std::nullopt;
  } catch (const TooLarge&) {
    return std::nullopt;
  }
  return terms.take();
}

}  // namespace assay
