#include "dynamic_check/witness/id_bounds.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace assay {
namespace {

class IdBounds {
 public:
  IdBounds(const CoreProgram& program, TensorId input)
      : program_(program), ids_(program.ops.size(), false) {
    for (size_t id = 0; id < program.ops.size(); ++id) {
      const CoreOp& op = program.ops[id];
      ids_[id] = op.prim == Prim::kInput ? op.tensor == input : moves_ids(op);
      see(op);
    }
  }

  IdBound bound() const {
    if (tables_.empty())
      return {largest_constant_, std::nullopt,
              std::pair(smallest_constant_ - 1, largest_constant_ + 1)};
    return {*std::ranges::min_element(tables_), beside_};
  }

 private:
  const CoreOp& operand(const CoreOp& op, size_t i) const {
    return program_.ops[static_cast<size_t>(op.operands[i])];
  }

  bool is_id(const CoreOp& op, size_t i) const { return ids_[static_cast<size_t>(op.operands[i])]; }

  bool moves_ids(const CoreOp& op) const {
    switch (op.prim) {
      case Prim::kPermute:
      case Prim::kReshape:
      case Prim::kExpand:
      case Prim::kSlice:
      case Prim::kCast:
        return is_id(op, 0);
      default:
        return false;
    }
  }

  void see(const CoreOp& op) {
    if (op.prim == Prim::kOneHot && is_id(op, 0))
      see_table(op.shape.back(), op.ints.empty() ? std::nullopt : std::optional(op.ints[0]));
    if (op.prim == Prim::kBlock) see_block(op);
    if (op.prim == Prim::kMap && (op.fn == "ge" || op.fn == "gt" || op.fn == "le" || op.fn == "lt"))
      for (const size_t i : {0, 1})
        if (is_id(op, i))
          if (const auto constant = constant_of(operand(op, 1 - i))) {
            largest_constant_ = std::max(largest_constant_, *constant);
            smallest_constant_ = std::min(smallest_constant_, *constant);
          }
  }

  void see_table(int64_t rows, std::optional<int64_t> beside) {
    if (tables_.empty()) beside_ = beside;
    if (beside != beside_) beside_.reset();
    tables_.push_back(rows);
  }

  // Integers among what a block reads choose a row of its table: of the operand with a dimension
  // that neither they nor the result have.
  void see_block(const CoreOp& op) {
    const BlockSpec& spec = program_.specs[static_cast<size_t>(op.spec)];
    const auto has = [](const std::vector<BlockSpec::Dim>& dims, int32_t label) {
      return std::ranges::any_of(dims, [&](const auto& dim) { return dim.label == label; });
    };
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!is_id(op, i)) continue;
      for (size_t table = 0; table < op.operands.size(); ++table)
        for (size_t d = 0; d < spec.operands[table].size(); ++d) {
          const int32_t label = spec.operands[table][d].label;
          if (has(spec.operands[i], label) || has(spec.output, label)) continue;
          see_table(operand(op, table).shape[d], std::nullopt);
          return;
        }
    }
  }

  static bool repeats(Prim prim) {
    return prim == Prim::kExpand || prim == Prim::kReshape || prim == Prim::kCast;
  }

  std::optional<int64_t> constant_of(const CoreOp& op) const {
    if (repeats(op.prim)) return constant_of(operand(op, 0));
    if (op.prim != Prim::kConst || !op.fn.empty() || !op.constant.is_integer()) return std::nullopt;
    return op.constant.numerator();
  }

  const CoreProgram& program_;
  std::vector<bool> ids_;  // by operator
  std::vector<int64_t> tables_;
  std::optional<int64_t> beside_;
  int64_t smallest_constant_ = 0, largest_constant_ = 1;
};

}  // namespace

IdBound id_bound(const CoreProgram& program, TensorId input) {
  return IdBounds(program, input).bound();
}

}  // namespace assay
