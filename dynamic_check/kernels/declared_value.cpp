#include "dynamic_check/kernels/declared_value.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "dynamic_check/numbers/numbers.h"
#include "shared_ir/reference/element_functions.h"
#include "shared_ir/reference/operation.h"

namespace assay {
namespace {

ReferenceTensor reference_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  const double* first = flat.const_data_ptr<double>();
  return {flat.sizes().vec(), {first, first + flat.numel()}};
}

at::Tensor tensor_of(const ReferenceTensor& value) {
  return at::tensor(value.values, at::kDouble).reshape(value.shape);
}

int64_t elements_of(const CoreOp& op) { return element_count(op.shape); }

// Elements that a block function reads of each operand at once, of the largest.
int64_t block_length(const CoreProgram& program, const CoreOp& op) {
  const BlockSpec& spec = program.specs[static_cast<size_t>(op.spec)];
  int64_t longest = 1;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const Shape& shape = program.ops[static_cast<size_t>(op.operands[k])].shape;
    int64_t length = 1;
    for (size_t i = 0; i < shape.size(); ++i)
      if (spec.operands[k][i].whole) length *= shape[i];
    longest = std::max(longest, length);
  }
  return longest;
}

class Evaluation {
 public:
  Evaluation(const CoreProgram& program, const std::vector<CoreId>& wanted,
             const std::function<at::Tensor(TensorId)>& input, const InnerRounding& rounding)
      : program_(program), input_(input), rounding_(rounding), values_(program.ops.size()) {
    find_factors(wanted);
  }

  std::vector<at::Tensor> run(const std::vector<CoreId>& wanted) {
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      const auto id = static_cast<CoreId>(i);
      if (!factors_.contains(id)) values_[i] = rounded(id, value_of(id));
    }
    std::vector<at::Tensor> result;
    for (const CoreId id : wanted) result.push_back(values_[static_cast<size_t>(id)]);
    return result;
  }

 private:
  const CoreOp& op(CoreId id) const { return program_.ops[static_cast<size_t>(id)]; }

  // Products that only sums read, and repetitions that only such products read, have no value of
  // their own.
  void find_factors(const std::vector<CoreId>& wanted) {
    std::vector<bool> used_otherwise(program_.ops.size(), false);
    for (const CoreId id : wanted) used_otherwise[static_cast<size_t>(id)] = true;
    for (size_t i = program_.ops.size(); i-- > 0;) {
      const CoreOp& user = program_.ops[i];
      const auto own = static_cast<CoreId>(i);
      const bool is_factor =
          !used_otherwise[i] && (user.prim == Prim::kMul || user.prim == Prim::kExpand);
      if (is_factor) factors_.insert(own);
      for (const CoreId operand : user.operands) {
        const Prim prim = op(operand).prim;
        const bool in_sum = user.prim == Prim::kReduceSum || (is_factor && user.prim == Prim::kMul);
        if (!in_sum || (prim != Prim::kMul && prim != Prim::kExpand))
          used_otherwise[static_cast<size_t>(operand)] = true;
      }
    }
  }

  at::Tensor value_of(CoreId id) {
    const CoreOp& own = op(id);
    if (own.prim == Prim::kInput) return input_(own.tensor).to(at::kCPU, at::kDouble);
    if (own.prim == Prim::kReduceSum) return sum(id);
    std::vector<ReferenceTensor> operands;
    for (size_t k = 0; k < own.operands.size(); ++k) {
      at::Tensor operand = values_[static_cast<size_t>(own.operands[k])];
      if (own.prim == Prim::kBlock && is_floating(op(own.operands[k]).dtype))
        operand = noisy(
            operand, rounding_.sums * std::sqrt(static_cast<double>(block_length(program_, own))),
            fmt::format("operand {} of {}", k, id));
      operands.push_back(reference_of(operand));
    }
    std::vector<const ReferenceTensor*> pointers;
    for (const ReferenceTensor& operand : operands) pointers.push_back(&operand);
    return tensor_of(reference::run_operation(program_, own, pointers));
  }

  // What is multiplied in each term of a sum, with size 1 where it is repeated.
  void add_factors(CoreId id, std::vector<at::Tensor>& found) const {
    const CoreOp& own = op(id);
    if (!factors_.contains(id)) {
      found.push_back(values_[static_cast<size_t>(id)]);
    } else if (own.prim == Prim::kExpand) {
      found.push_back(values_[static_cast<size_t>(own.operands[0])]);
    } else {
      for (const CoreId operand : own.operands) add_factors(operand, found);
    }
  }

  at::Tensor sum(CoreId id) {
    const CoreOp& own = op(id);
    const CoreId terms = own.operands[0];
    const Shape& domain = op(terms).shape;
    std::vector<at::Tensor> found;
    add_factors(terms, found);
    std::string dims, kept, equation;
    for (size_t i = 0; i < domain.size(); ++i) {
      const auto dim = static_cast<int64_t>(i);
      const char label = static_cast<char>('a' + i);
      dims += label;
      if (!std::ranges::binary_search(own.ints, dim)) kept += label;
      // Nobody sees the dimension: then one has it repeated.
      if (std::ranges::none_of(found,
                               [&](const at::Tensor& x) { return x.size(dim) == domain[i]; })) {
        Shape repeated = found[0].sizes().vec();
        repeated[i] = domain[i];
        found[0] = found[0].expand(repeated);
      }
    }
    for (size_t k = 0; k < found.size(); ++k) equation += (k ? "," : "") + dims;
    equation += "->" + kept;
    const at::Tensor result = at::einsum(equation, found);
    if (rounding_.sums == 0 || result.numel() == 0) return result;
    std::vector<at::Tensor> squares;
    for (const at::Tensor& factor : found) squares.push_back(factor.square());
    const double count =
        static_cast<double>(elements_of(op(terms))) / static_cast<double>(elements_of(own));
    const at::Tensor partial_sums =
        (at::einsum(equation, squares) / 6 + result.square() / 3).mul(count).sqrt();
    return result + partial_sums * errors(result, fmt::format("sum {}", id)) * rounding_.sums;
  }

  at::Tensor rounded(CoreId id, const at::Tensor& value) const {
    const CoreOp& own = op(id);
    const bool rounds = own.prim == Prim::kLinear || own.prim == Prim::kMul ||
                        own.prim == Prim::kMap || own.prim == Prim::kBlock ||
                        own.prim == Prim::kReduceSum;
    if (!rounds || !is_floating(own.dtype)) return value;
    return noisy(value, rounding_.elements, fmt::format("result {}", id));
  }

  at::Tensor noisy(const at::Tensor& value, double relative, const std::string& name) const {
    return relative == 0 ? value : value * (errors(value, name) * relative + 1);
  }

  // Uniform in (-1, 1).
  at::Tensor errors(const at::Tensor& like, const std::string& name) const {
    return symmetric_tensor({rounding_.seed, rounding_.sample + " " + name}, like.sizes().vec());
  }

  const CoreProgram& program_;
  const std::function<at::Tensor(TensorId)>& input_;
  const InnerRounding& rounding_;
  std::set<CoreId> factors_;
  std::vector<at::Tensor> values_;
};

}  // namespace

bool has_value(const CoreProgram& program) {
  return std::ranges::all_of(program.ops, [](const CoreOp& op) {
    const std::string_view name = reference::parse_function_name(op.fn).name;
    switch (op.prim) {
      case Prim::kRandom:
      case Prim::kCollective:
        return false;
      case Prim::kMap:
        return reference::find_map(name) != nullptr;
      case Prim::kBlock:
        return reference::find_block(name) != nullptr;
      case Prim::kOpaque:
        return name == "constant" || name == "literal";
      default:
        return true;
    }
  });
}

std::vector<at::Tensor> evaluate_declared(const CoreProgram& program,
                                          const std::vector<CoreId>& wanted,
                                          const std::function<at::Tensor(TensorId)>& input,
                                          const InnerRounding& rounding) {
  return Evaluation(program, wanted, input, rounding).run(wanted);
}

int64_t longest_sum(const CoreProgram& program) {
  int64_t longest = 1;
  for (const CoreOp& op : program.ops) {
    if (op.prim == Prim::kBlock) longest = std::max(longest, block_length(program, op));
    if (op.prim != Prim::kReduceSum) continue;
    const int64_t terms = elements_of(program.ops[static_cast<size_t>(op.operands[0])]);
    longest = std::max(longest, terms / std::max<int64_t>(elements_of(op), 1));
  }
  return longest;
}

}  // namespace assay
