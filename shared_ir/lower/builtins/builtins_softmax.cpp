// Softmax and its relatives by their exponentials, so that they are sums over parts of a dimension.
// Exponents are shifted by the maximum, as kernels have them, so that none overflows.
#include <limits>

#include <fmt/format.h>

#include "shared_ir/lower/builtins/builtins.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::lowering {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// The shift where all are minus infinity: a number, so that they weigh nothing. (An infinite
// exponent makes nan of a softmax.)
std::string lowest_or_more() { return fmt::format("clamp({},none)", -kLargest); }
std::string any_number() { return fmt::format("clamp({},{})", -kLargest, kLargest); }

// exp(x - shift) and its sum over argument 1, the dimensions (none or an empty list: all).
class Exponentials {
 public:
  Exponentials(Call& call, const std::string& shift)
      : builder_(call.builder()), x_(call.tensor(0)), shape_(builder_.shape(x_)), kept_(shape_) {
    if (!is_floating(builder_.dtype(x_))) call.fail("the exponentials of integers");
    const auto dims = call.dims_or_all(1, static_cast<Int>(shape_.size()));
    for (const Int dim : dims) kept_[dim] = 1;
    shift_ = map(shift, reduced(Prim::kReduceMax, x_, dims));
    weights_ = map("exp", builder_.linear({x_, repeated(shift_)}, {Rational(1), Rational(-1)}));
    total_ = reduced(Prim::kReduceSum, weights_, dims);
  }

  CoreId softmax() { return builder_.mul(weights_, repeated(map("reciprocal", total_))); }

  CoreId log_softmax() {
    return builder_.linear({x_, repeated(shift_), repeated(map("log", total_))},
                           {Rational(1), Rational(-1), Rational(-1)});
  }

  // The reduced dimensions have size 1.
  CoreId log_sum_exp() {
    return builder_.linear({shift_, map("log", total_)}, {Rational(1), Rational(1)});
  }

 private:
  CoreId map(const std::string& fn, CoreId x) {
    return builder_.map(fn, {x}, builder_.dtype(x), 0);
  }
  CoreId repeated(CoreId x) { return builder_.expand(x, shape_); }
  CoreId reduced(Prim prim, CoreId x, const std::vector<Int>& dims) {
    return builder_.reshape(builder_.reduce(prim, x, dims), kept_);
  }

  Builder& builder_;
  const CoreId x_;
  const Shape shape_;
  Shape kept_;
  CoreId shift_, weights_, total_;
};

Value softmax(Call& call) { return tensor_value(Exponentials(call, lowest_or_more()).softmax()); }

Value log_softmax(Call& call) {
  return tensor_value(Exponentials(call, lowest_or_more()).log_softmax());
}

Value log_sum_exp(Call& call) {
  const CoreId result = Exponentials(call, any_number()).log_sum_exp();
  if (call.flag(2)) return tensor_value(result);
  Builder& builder = call.builder();
  const auto rank = builder.rank(result);
  Shape shape = builder.shape(result);
  const auto dims = call.dims_or_all(1, rank);
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) shape.erase(shape.begin() + *dim);
  return tensor_value(builder.reshape(result, shape));
}

constexpr Builtin kSoftmaxBuiltins[] = {
    {"softmax", 2, 2, softmax, Effect::kRounds, "softmax(x, dims): exp(x) / its sum"},
    {"log_softmax", 2, 2, log_softmax, Effect::kRounds,
     "log_softmax(x, dims): x less the log of the sum of exp(x)"},
    {"log_sum_exp", 3, 3, log_sum_exp, Effect::kRounds,
     "log_sum_exp(x, dims, keepdim): the log of the sum of exp(x)"},
};

}  // namespace

std::span<const Builtin> softmax_builtins() { return kSoftmaxBuiltins; }

}  // namespace assay::lowering
