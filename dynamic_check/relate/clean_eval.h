// Clean expressions on real tensors, both ways: rebuild a whole from its parts, and hand a whole's
// elements out to the parts.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>

#include "dynamic_check/relate/rank_tensor_name.h"
#include "shared_ir/clean_expr.h"

namespace assay {

// The value of the expression. `leaf` returns the tensor of a leaf or throws. The result has the
// leaves' dtype. Throws UserError when the leaves' shapes do not fit the expression.
at::Tensor evaluate(const CleanExpr& expr,
                    const std::function<at::Tensor(const RankTensorName&)>& leaf);

// Collects the parts of distributed tensors while whole tensors are handed out to them.
class Parts {
 public:
  explicit Parts(uint64_t seed) : seed_(seed) {}

  // Makes `expr` evaluate to `whole`: every element of `whole` goes to the leaf element that the
  // expression takes it from. Under a sum, every operand but the last gets random values (keyed by
  // the seed, and smaller than the whole) and the last the rest. Throws UserError, at `place`, when
  // a leaf element would get two different values, or when the shape of `whole` is not the
  // expression's. `shape_of` gives the shapes of leaves.
  void hand_out(const CleanExpr& expr, const at::Tensor& whole,
                const std::function<Shape(const RankTensorName&)>& shape_of,
                const SourcePlace& place);

  // The parts. Elements that no expression mentions (padding, say) are random, keyed by the seed.
  std::map<RankTensorName, at::Tensor> take();

 private:
  struct Part {
    at::Tensor value;
    at::Tensor known;  // bool
    SourcePlace place;
  };

  // Hands `value` out where `known` is true.
  void push(const CleanExpr& expr, const at::Tensor& value, const at::Tensor& known,
            const std::function<Shape(const RankTensorName&)>& shape_of, const SourcePlace& place);

  uint64_t seed_;
  int64_t splits_ = 0;  // sums split so far; keys their random values
  std::map<RankTensorName, Part> parts_;
};

}  // namespace assay
