#include "shared_ir/lower/builtins/constant_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/operation.h"
#include "shared_ir/reference/reference.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

class Evaluation {
 public:
  explicit Evaluation(const CoreProgram& program) : program_(program) {}

  // nullptr where there is no value.
  const ReferenceTensor* of(CoreId id) {
    if (const auto known = values_.find(id); known != values_.end()) return &known->second;
    const CoreOp& op = program_.ops[static_cast<size_t>(id)];
    if (values_.size() == kMostOperators || !is_constant(op) || !reads_nothing(id)) return nullptr;
    std::vector<const ReferenceTensor*> operands;
    for (const CoreId operand : op.operands) {
      operands.push_back(of(operand));
      if (operands.back() == nullptr) return nullptr;
    }
    try {
      ReferenceTensor value = reference::run_operation(program_, op, operands);
      if (!is_decided(op, operands) || !are_held(op, value)) return nullptr;
      if (is_exact(op)) exact_.insert(id);
      return &values_.emplace(id, std::move(value)).first->second;
    } catch (const reference::NoNumbers&) {
      return nullptr;
    }
  }

 private:
  // Before anything is computed for what reads an input in the end.
  bool reads_nothing(CoreId id) {
    const auto [known, first] = read_.try_emplace(id, false);
    if (!first) return known->second;
    const CoreOp& op = program_.ops[static_cast<size_t>(id)];
    if (read_.size() > kMostOperators || !is_constant(op)) return false;
    const bool nothing =
        std::ranges::all_of(op.operands, [&](CoreId x) { return reads_nothing(x); });
    return read_[id] = nothing;
  }

  // Integers beyond these are rounded.
  static bool are_held(const CoreOp& op, const ReferenceTensor& value) {
    return is_floating(op.dtype) ||
           std::ranges::all_of(value.values, [](double x) { return std::fabs(x) < kMostInteger; });
  }

  // Whether its numbers are those of exact arithmetic: integers, and what is made of these without
  // rounding.
  bool is_exact(const CoreOp& op) const {
    if (!is_floating(op.dtype)) return true;
    const bool rounds = op.prim == Prim::kMap || op.prim == Prim::kBlock ||
                        op.prim == Prim::kOpaque || op.prim == Prim::kLinear ||
                        op.prim == Prim::kMul || op.prim == Prim::kReduceSum;
    if (op.operands.empty()) return op.prim == Prim::kConst || op.prim == Prim::kIota;
    return !rounds && std::ranges::all_of(op.operands,
                                          [&](CoreId operand) { return exact_.contains(operand); });
  }

  // Not where rounding decides: between two integers, or two numbers that are compared.
  bool is_decided(const CoreOp& op, const std::vector<const ReferenceTensor*>& operands) const {
    constexpr double kRounding = 1e-9;
    if (is_floating(op.dtype) && op.prim != Prim::kMap) return true;
    if (op.prim != Prim::kCast && op.prim != Prim::kMap && op.prim != Prim::kBlock) return true;
    const auto is_rounded = [&](CoreId operand) {
      return is_floating(program_.ops[static_cast<size_t>(operand)].dtype) &&
             !exact_.contains(operand);
    };
    if (std::ranges::none_of(op.operands, is_rounded)) return true;
    // Of floating functions those that jump.
    static const std::set<std::string_view> kJump{
        "ceil", "div_floor", "div_trunc", "floor", "fmod", "remainder", "round", "sign", "trunc"};
    if (is_floating(op.dtype) && !kJump.contains(reference::parse_function_name(op.fn).name))
      return true;
    if (op.operands.size() != 1 || op.prim == Prim::kBlock) {
      // A comparison: of numbers that differ by more.
      if (is_floating(op.dtype) || op.operands.size() != 2 || op.prim == Prim::kBlock) return false;
      const std::vector<double>&a = operands[0]->values, &b = operands[1]->values;
      for (size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (std::fabs(a[i] - b[i]) <= kRounding * std::max({1.0, std::fabs(a[i]), std::fabs(b[i])}))
          return false;
      return a.size() == b.size();
    }
    return std::ranges::all_of(operands[0]->values, [](double x) {
      const double half = std::nearbyint(2 * x) / 2;
      return std::fabs(x - half) > kRounding * std::max(1.0, std::fabs(x));
    });
  }

  static constexpr double kMostInteger = 9007199254740992.0;  // 2^53
  static constexpr size_t kMostOperators = 64;
  static constexpr PlainInt kMostElements = PlainInt{1} << 16;

  static bool is_constant(const CoreOp& op) {
    switch (op.prim) {
      case Prim::kConst:
      case Prim::kIota:
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
      case Prim::kCat:
      case Prim::kLinear:
      case Prim::kMul:
      case Prim::kCast:
      case Prim::kMap:
      case Prim::kKeep:
      case Prim::kOneHot:
      case Prim::kReduceSum:
      case Prim::kReduceMax:
      case Prim::kReduceMin:
      case Prim::kBlock:
        break;
      case Prim::kOpaque:  // a literal, or a number
        if (!op.operands.empty() || op.fn.find('@') != std::string::npos) return false;
        break;
      default:
        return false;
    }
    Int elements = 1;
    for (const Int size : op.shape) elements *= size;
    return is_number(elements) && !exceeds(elements, Int{kMostElements});
  }

  const CoreProgram& program_;
  std::map<CoreId, ReferenceTensor> values_;
  std::set<CoreId> exact_;
  std::map<CoreId, bool> read_;  // whether it reads nothing that is not constant
};

}  // namespace

std::optional<std::vector<double>> constant_values(const CoreProgram& program, CoreId id) {
  Evaluation evaluation(program);
  const ReferenceTensor* value = evaluation.of(id);
  return value ? std::optional(value->values) : std::nullopt;
}

std::optional<bool> name_a_place_twice(const CoreProgram& program, const std::vector<CoreId>& ids) {
  std::vector<std::vector<double>> places;
  for (const CoreId id : ids) {
    const auto values = constant_values(program, id);
    if (!values) return std::nullopt;
    places.resize(values->size());
    for (size_t i = 0; i < values->size(); ++i) places[i].push_back((*values)[i]);
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

bool are_places_of_an_order(const CoreProgram& program, CoreId id, size_t dim) {
  const CoreOp* op = &program.ops[static_cast<size_t>(id)];
  // Integers that a cast does not fit wrap, and may meet then.
  while (op->prim == Prim::kSlice || (op->prim == Prim::kCast && op->dtype == DType::kInt64))
    op = &program.ops[static_cast<size_t>(op->operands[0])];
  const bool order = op->fn.starts_with("argsort(") || op->fn.starts_with("topk_places(");
  return op->prim == Prim::kBlock && order &&
         program.specs[static_cast<size_t>(op->spec)].output.at(dim).whole;
}

}  // namespace assay::lowering
