#include "shared_ir/reference/reference.h"

#include <algorithm>

#include "shared_ir/reference/clean_run.h"
#include "shared_ir/reference/joint_run.h"
#include "shared_ir/reference/operation.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

// Double precision.
class Doubles {
 public:
  using Number = double;

  explicit Doubles(const ReferenceSources& sources = {}) : sources_(sources) {}

  ReferenceTensor value(Rank rank, const CoreProgram& program, const CoreOp& op,
                        const std::vector<const ReferenceTensor*>& operands) const {
    if (op.prim == Prim::kInput) return sources_.input(rank, op);
    if (op.prim == Prim::kRandom)
      return sources_.random ? sources_.random(rank, op) : reference::default_sample(op);
    return reference::run_operation(program, op, operands);
  }

  static double add(double a, double b) { return a + b; }
  static double multiply(double a, double b) { return a * b; }
  static double maximum(double a, double b, DType) { return std::max(a, b); }
  static double minimum(double a, double b, DType) { return std::min(a, b); }
  static double zero() { return 0; }
  static double scaled(double a, Int numerator, Int denominator) {
    return a * static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  static double share(double a, Int parts) { return a / static_cast<double>(parts); }

 private:
  const ReferenceSources sources_;
};

}  // namespace

std::vector<std::vector<ReferenceTensor>> evaluate(const std::vector<CoreProgram>& programs,
                                                   const ReferenceSources& sources) {
  Doubles doubles(sources);
  return reference::JointRun(programs, doubles).run();
}

ReferenceTensor evaluate(const CleanExpr& expr,
                         const std::function<ReferenceTensor(const std::string&, Rank)>& leaf) {
  Doubles doubles;
  return reference::evaluate(doubles, expr, leaf);
}

}  // namespace assay
