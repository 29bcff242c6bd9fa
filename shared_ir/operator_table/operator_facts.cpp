#include "shared_ir/operator_table/operator_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "shared_ir/lower/build/labels.h"
#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/lower/declare/node_arguments.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

using lowering::Effect;
using lowering::Expr;
using Kind = Expr::Kind;

// Functions whose results are elements, or whole numbers of their type.
bool is_exact_function(std::string_view name) {
  static const std::set<std::string_view> kExact{
      "abs",   "ceil",           "clamp",   "cummax", "cummin",  "flip",
      "floor", "masked_scatter", "maximum", "median", "minimum", "neg",
      "relu",  "round",          "sign",    "sort",   "topk",    "trunc"};
  return kExact.contains(name.substr(0, name.find('(')));
}

std::string_view text_of(const Expr& expr) {
  return expr.kind == Kind::kText ? std::string_view(expr.pieces.front()) : std::string_view();
}

class Reading {
 public:
  explicit Reading(const OperatorDeclaration& declaration) : declaration_(declaration) {
    facts_.communicates = declaration.communicates;
    facts_.kernel_error = declaration.kernel_error;
  }

  OperatorFacts facts() {
    for (const auto* expressions : {&declaration_.returns, &declaration_.writes})
      for (const Expr& expr : *expressions) see(expr);
    facts_.by_parts = facts_.by_parts && !facts_.rounds;
    facts_.rounds |= reduces_;
    if (!declaration_.returns.empty()) facts_.product = product(declaration_.returns.front());
    return std::move(facts_);
  }

 private:
  // Through lets, casts and branches that give the same.
  const Expr& behind(const Expr& expr) const {
    if (expr.kind == Kind::kLet) return behind(declaration_.lets[static_cast<size_t>(expr.index)]);
    const bool passes = expr.kind == Kind::kCall &&
                        (expr.builtin->effect == Effect::kCasts || expr.builtin->name == "linear");
    return passes ? behind(expr.children.front()) : expr;
  }

  std::optional<size_t> parameter(const Expr& expr) const {
    const Expr& of = behind(expr);
    if (of.kind == Kind::kWhen) {  // a cast where a type is given
      const auto a = parameter(of.children[1]), b = parameter(of.children[2]);
      return a == b ? a : std::nullopt;
    }
    return of.kind == Kind::kParameter ? std::optional(static_cast<size_t>(of.index))
                                       : std::nullopt;
  }

  void see(const Expr& expr) {
    if (expr.kind == Kind::kLet && lets_.insert(expr.index).second)
      see(declaration_.lets[static_cast<size_t>(expr.index)]);
    if (expr.kind == Kind::kCall) see_call(expr);
    for (const Expr& child : expr.children) see(child);
  }

  // Positions, masks of them, and numbers: nothing of a tensor is computed with.
  bool is_of_attributes(const Expr& expr) const {
    switch (expr.kind) {
      case Kind::kLet:
        return is_of_attributes(declaration_.lets[static_cast<size_t>(expr.index)]);
      case Kind::kParameter: {
        const auto& parameter = declaration_.parameters[static_cast<size_t>(expr.index)];
        return !parameter.required && !parameter.fallback.is_none();
      }
      case Kind::kCall:
        if (expr.builtin->effect == Effect::kMakes) return true;
        [[fallthrough]];
      default:
        return std::ranges::all_of(expr.children,
                                   [&](const Expr& child) { return is_of_attributes(child); });
    }
  }

  void see_call(const Expr& call) {
    switch (call.builtin->effect) {
      case Effect::kMakes:
        facts_.random |= call.builtin->name.starts_with("random");
        break;
      case Effect::kParts:
      case Effect::kExchanges:
        facts_.by_parts = true;
        break;
      case Effect::kReduces:
        facts_.by_parts = true;
        reduces_ = true;
        break;
      case Effect::kCasts:
        facts_.casts = true;
        break;
      case Effect::kMaps:
        facts_.rounds |= !is_exact_function(text_of(call.children.front()));
        break;
      case Effect::kScales:
        facts_.rounds |= !is_sign(call.children[1]);
        break;
      case Effect::kRounds:
        facts_.rounds |= !is_of_attributes(call);
        break;
      case Effect::kSums:
        facts_.rounds = true;
        if (const auto of = parameter(call.children.front());
            of && call.builtin->name != "scatter_add")
          facts_.sums.push_back({*of, {}, {}});
        break;
      case Effect::kContracts:
        facts_.rounds = true;
        see_contraction(call);
        break;
      case Effect::kMoves:
      case Effect::kSelects:
      case Effect::kLooksUp:
        break;
    }
  }

  static bool is_sign(const Expr& number) {
    const auto* integer = number.literal.get_if<Int>();
    return number.kind == Kind::kLiteral && integer && (*integer == 1 || *integer == -1);
  }

  void see_contraction(const Expr& call) {
    if (call.builtin->name == "matmul") {
      if (const auto of = parameter(call.children[0])) facts_.sums.push_back({*of, {-1}, {}});
    } else if (call.builtin->name == "dot_general") {
      const auto of = parameter(call.children[0]), dims = parameter(call.children[2]);
      if (of && dims) facts_.sums.push_back({*of, {}, dims});
    } else if (call.builtin->name == "einsum") {
      lowering::LabelSpec spec;
      const auto of = parameter(call.children[1]);
      if (!of || !lowering::parse_label_spec(text_of(call.children[0]), spec)) return;
      SumFacts sum{*of, {}, {}};
      const auto& labels = spec.operands.front();
      for (size_t i = 0; i < labels.size(); ++i)
        if (std::ranges::none_of(spec.output,
                                 [&](const auto& dim) { return dim.label == labels[i].label; }))
          sum.dims.push_back(static_cast<Int>(i) - static_cast<Int>(labels.size()));
      if (!sum.dims.empty()) facts_.sums.push_back(std::move(sum));
    }
  }

  // The one product of matrices that the result is, scaled and added to, or nothing.
  std::optional<ProductFacts> product(const Expr& expr) const {
    const Expr& of = behind(expr);
    if (of.kind == Kind::kWhen) {
      const auto a = product(of.children[1]), b = product(of.children[2]);
      if (!a || !b || a->first != b->first || a->second != b->second) return std::nullopt;
      return a->added ? a : b;
    }
    if (of.kind != Kind::kCall) return std::nullopt;
    const std::string_view name = of.builtin->name;
    if (name == "einsum") return matrices(of);
    if (name == "scale") return multiplied(product(of.children[0]), of.children[1]);
    if (name != "add" || of.children.size() != 2) return std::nullopt;
    auto result = product(of.children[1]);
    const Expr* added = &of.children[0];
    if (!result) {
      result = product(of.children[0]);
      added = &of.children[1];
    }
    if (!result || result->added) return std::nullopt;
    const Expr& term = behind(*added);
    const bool scaled = term.kind == Kind::kCall && term.builtin->name == "scale";
    result->added = parameter(scaled ? term.children[0] : term);
    if (!result->added) return std::nullopt;
    return scaled ? multiplied(result, term.children[1]) : result;
  }

  std::optional<ProductFacts> multiplied(std::optional<ProductFacts> result,
                                         const Expr& number) const {
    const auto by = parameter(number);
    if (!result || !by) return std::nullopt;
    result->multiplied.push_back(*by);
    return result;
  }

  // "[b] i k, [b] k j -> [b] i j" of parameters.
  std::optional<ProductFacts> matrices(const Expr& call) const {
    lowering::LabelSpec spec;
    if (call.children.size() != 3 || !lowering::parse_label_spec(text_of(call.children[0]), spec) ||
        spec.operands.size() != 2)
      return std::nullopt;
    const auto first = parameter(call.children[1]), second = parameter(call.children[2]);
    const auto &a = spec.operands[0], &b = spec.operands[1], &c = spec.output;
    const size_t dims = c.size();
    if (!first || !second || dims < 2 || a.size() != dims || b.size() != dims) return std::nullopt;
    bool fits = a[dims - 1].label == b[dims - 2].label && a[dims - 2].label == c[dims - 2].label &&
                b[dims - 1].label == c[dims - 1].label;
    for (size_t i = 0; i + 2 < dims; ++i)
      fits = fits && a[i].label == c[i].label && b[i].label == c[i].label;
    if (!fits) return std::nullopt;
    return ProductFacts{*first, *second, {}, {}, dims > 2};
  }

  const OperatorDeclaration& declaration_;
  OperatorFacts facts_;
  std::set<int32_t> lets_;  // seen
  bool reduces_ = false;
};

bool is_one(const Arg& arg) {
  if (const auto* integer = std::get_if<Int>(&arg.value)) return *integer == 1;
  if (const auto* real = std::get_if<double>(&arg.value)) return *real == 1;
  return false;
}

// The tensor that the node gives for the parameter.
std::optional<TensorId> operand_of(const OperatorDeclaration& declaration, const Node& node,
                                   size_t parameter) {
  const auto arg = lowering::argument_of(declaration, node, parameter);
  const auto* tensor = arg ? std::get_if<TensorArg>(&arg->value) : nullptr;
  return tensor ? std::optional(tensor->id) : std::nullopt;
}

Int terms(const OperatorDeclaration& declaration, const SumFacts& sum, const Graph& graph,
          const Node& node) {
  const auto operand = operand_of(declaration, node, sum.parameter);
  if (!operand || node.outputs.empty() || node.outputs[0] == kNone) return 1;
  const Shape& shape = graph.tensors[static_cast<size_t>(*operand)].shape;
  std::vector<Int> dims = sum.dims;
  if (sum.dims_given) {
    const auto given = lowering::argument_of(declaration, node, *sum.dims_given);
    const auto* list = given ? std::get_if<ArgList>(&given->value) : nullptr;
    for (size_t i = 0; list && i < list->size(); ++i)
      if (const auto* dim = std::get_if<Int>(&(*list)[i].value)) dims.push_back(*dim);
    if (dims.empty()) return 1;
  } else if (dims.empty()) {
    const Shape& result = graph.tensors[static_cast<size_t>(node.outputs[0])].shape;
    return element_count(shape) / std::max<Int>(element_count(result), 1);
  }
  Int count = 1;
  for (const Int dim : dims) {
    const auto rank = static_cast<Int>(shape.size());
    if (dim < -rank || dim >= rank) return 1;
    count *= shape[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
  }
  return count;
}

const OperatorTable& shipped() {
  static const OperatorTable table = OperatorTable::builtin();
  return table;
}

}  // namespace

OperatorFacts facts_of(const OperatorDeclaration& declaration) {
  return Reading(declaration).facts();
}

const OperatorDeclaration* shipped_declaration(const Node& node) { return shipped().find(node.op); }

const OperatorFacts* facts_of(const Node& node) {
  static std::mutex mutex;
  static std::map<const OperatorDeclaration*, OperatorFacts> kept;
  const OperatorDeclaration* declaration = shipped_declaration(node);
  if (declaration == nullptr) return nullptr;
  const std::lock_guard lock(mutex);
  const auto found = kept.find(declaration);
  if (found != kept.end()) return &found->second;
  return &kept.emplace(declaration, facts_of(*declaration)).first->second;
}

bool is_exact(const Graph& graph, const Node& node) {
  const OperatorFacts* facts = facts_of(node);
  if (facts == nullptr || facts->rounds || facts->random) return false;
  if (!facts->casts) return true;
  const auto epsilon = [&](TensorId id) {
    const DType dtype = graph.tensors[static_cast<size_t>(id)].dtype;
    return is_floating(dtype) ? machine_epsilon(dtype) : 0;
  };
  double finest = 0;
  for (const TensorId id : operands_of(node)) finest = std::max(finest, epsilon(id));
  return std::ranges::all_of(node.outputs, [&](TensorId id) {
    return id == kNone || epsilon(id) == 0 || (finest > 0 && epsilon(id) <= finest);
  });
}

std::optional<ProductOperands> product_of(const Node& node) {
  const OperatorFacts* facts = facts_of(node);
  if (facts == nullptr || !facts->product) return std::nullopt;
  const OperatorDeclaration& declaration = *shipped_declaration(node);
  const std::vector<TensorId> operands = tensor_arguments(node);
  const auto place = [&](size_t parameter) -> std::optional<size_t> {
    // Parameters before it that are tensors come before it.
    const auto id = operand_of(declaration, node, parameter);
    if (!id) return std::nullopt;
    size_t before = 0;
    for (size_t i = 0; i < parameter; ++i) before += operand_of(declaration, node, i) ? 1 : 0;
    return before < operands.size() && operands[before] == *id ? std::optional(before)
                                                               : std::nullopt;
  };
  const auto first = place(facts->product->first), second = place(facts->product->second);
  if (!first || !second || *second != *first + 1) return std::nullopt;
  ProductOperands result{*first, {}, false, facts->product->batched};
  if (facts->product->added) result.added = place(*facts->product->added);
  for (const size_t number : facts->product->multiplied) {
    const auto given = lowering::argument_of(declaration, node, number);
    result.scaled = result.scaled || !given || !is_one(*given);
  }
  return result;
}

Int contraction_length(const Graph& graph, const Node& node) {
  const OperatorFacts* facts = facts_of(node);
  Int longest = 1;
  for (size_t i = 0; facts && i < facts->sums.size(); ++i)
    longest = std::max(longest, terms(*shipped_declaration(node), facts->sums[i], graph, node));
  return longest;
}

}  // namespace assay
