#include "shared_ir/lower/builtins/constant_values.h"

#include <algorithm>
#include <map>

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
      return &values_.emplace(id, reference::run_operation(program_, op, operands)).first->second;
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
