// The meaning of each core operator of one program, as a condition on the claims of its operands
// and its output.
#pragma once

#include <vector>

#include "shared_ir/symbolic/integer.h"
#include "static_check/checker/element_at.h"

namespace assay::checker {

// One operator under check.
struct Step {
  const Facts& facts;
  const CoreProgram& program;
  const std::vector<Value>& claims;  // per operator of the program
  CoreId id;
  Int& probes;  // counts the regions compared

  const CoreOp& op() const { return program.ops[static_cast<size_t>(id)]; }
  const Value& claim() const { return claims[static_cast<size_t>(id)]; }
  CoreId operand_id(size_t i) const { return op().operands[i]; }
  const CoreOp& operand_op(size_t i) const {
    return program.ops[static_cast<size_t>(operand_id(i))];
  }
  const Value& operand(size_t i) const { return claims[static_cast<size_t>(operand_id(i))]; }
};

// Each throws Rejection unless the claim follows from the operands' claims.
void check_movement(const Step& step);  // kPermute, kReshape, kExpand, kSlice, kCat
void check_pointwise(
    const Step& step);                  // kConst, kIota, kLinear, kMul, kMap, kKeep, kCast, kOneHot
void check_function(const Step& step);  // kBlock, kOpaque; kMap and kKeep where check_pointwise
                                        // finds no simpler reason
void check_reduction(const Step& step);  // kReduceSum, kReduceMax, kReduceMin

// The claim of the step equals expected(region, coords) on every element. Throws Rejection with the
// first difference.
using ExpectedElement = std::function<Sum(const Region& region, const std::vector<Affine>& coords)>;
void check_everywhere(const Step& step, const ExpectedElement& expected);

// Throws Rejection: "elements [0, 4, ...]: WHAT is A, not B".
[[noreturn]] void reject_difference(const std::vector<Affine>& coords, const Sum& claimed,
                                    const Sum& expected);

}  // namespace assay::checker
