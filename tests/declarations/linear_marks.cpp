#include "tests/declarations/linear_marks.h"

#include <algorithm>
#include <cmath>

#include "shared_ir/reference/operation.h"

namespace assay::test {
namespace {

// a x + b y, element by element.
ReferenceTensor combined(double a, const ReferenceTensor& x, double b, const ReferenceTensor& y) {
  ReferenceTensor result = x;
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = a * x.values[i] + b * y.values[i];
  return result;
}

bool close(const ReferenceTensor& a, const ReferenceTensor& b) {
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double scale = std::max({1.0, std::abs(a.values[i]), std::abs(b.values[i])});
    if (std::abs(a.values[i] - b.values[i]) > 1e-9 * scale) return false;
  }
  return true;
}

bool is_linear(const CoreProgram& program, const CoreOp& op,
               std::vector<const ReferenceTensor*> operands, size_t i) {
  const ReferenceTensor& x = *operands[i];
  ReferenceTensor y = x;
  for (size_t k = 0; k < y.values.size(); ++k) y.values[k] = std::sin(static_cast<double>(k) + 1);
  const auto at = [&](const ReferenceTensor& operand) {
    operands[i] = &operand;
    return reference::run_operation(program, op, operands);
  };
  return close(at(combined(2, x, 3, y)), combined(2, at(x), 3, at(y)));
}

}  // namespace

std::string false_linear_mark(const CoreProgram& program,
                              const std::vector<ReferenceTensor>& values) {
  for (const CoreOp& op : program.ops) {
    std::vector<const ReferenceTensor*> operands;
    for (const CoreId operand : op.operands)
      operands.push_back(&values[static_cast<size_t>(operand)]);
    for (size_t i = 0; i < operands.size(); ++i)
      if ((op.linear >> i & 1) != 0 && !is_linear(program, op, operands, i))
        return op.fn + " is not linear in operand " + std::to_string(i);
  }
  return {};
}

}  // namespace assay::test
