// What PyTorch's own kernels give is not called wrong, whatever the operator, the precision and the
// draw; one element of it that is, is.
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/localize/operator_check.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/numbers/rounding.h"
#include "shared_ir/capture/torch/scalar_type.h"
#include "tests/support/graph_builder.h"

namespace assay {
namespace {

struct Call {
  const char* op;
  std::vector<Shape> operands;
  std::vector<test::Argument> numbers;  // after the operands
  Shape result;
  bool decides = false;  // gives booleans
};

const Shape kTable{16, 32}, kScores{4, 2, 8, 8};
constexpr int64_t kLast = -1;

test::Argument dims(int64_t dim) { return std::vector<test::Argument>{dim}; }

const std::vector<Call>& calls() {
  static const std::vector<Call> all = {
      {"aten._softmax.default", {kScores}, {kLast, false}, kScores},
      {"aten._log_softmax.default", {kTable}, {kLast, false}, kTable},
      {"aten.exp.default", {kTable}, {}, kTable},
      {"aten.gelu.default", {kTable}, {}, kTable},
      {"aten.gelu_backward.default", {kTable, kTable}, {}, kTable},
      {"aten.silu.default", {kTable}, {}, kTable},
      {"aten.sigmoid.default", {kTable}, {}, kTable},
      {"aten.tanh.default", {kTable}, {}, kTable},
      {"aten.mul.Tensor", {kTable, kTable}, {}, kTable},
      {"aten.div.Tensor", {kTable, kTable}, {}, kTable},
      {"aten.sub.Tensor", {kTable, kTable}, {}, kTable},
      {"aten.pow.Tensor_Scalar", {kTable}, {2}, kTable},
      {"aten.mean.dim", {kTable}, {dims(kLast), true}, {16, 1}},
      {"aten.sum.dim_IntList", {kTable}, {dims(0), false}, {32}},
      {"aten.sum.default", {kTable}, {}, {}},
      {"aten.logsumexp.default", {kTable}, {dims(kLast)}, {16}},
      {"aten.linalg_vector_norm.default", {kTable}, {}, {}},
      {"aten.mm.default", {{16, 32}, {32, 8}}, {}, {16, 8}},
      {"aten.bmm.default", {{4, 8, 4}, {4, 4, 8}}, {}, {4, 8, 8}},
      {"aten.ge.Scalar", {kTable}, {1.0 / 3}, kTable, true},
      {"aten.lt.Scalar", {kTable}, {0.1}, kTable, true},
  };
  return all;
}

// One call in one precision.
class RightOperator {
 public:
  RightOperator(const Call& call, DType dtype) : call_(call) {
    std::vector<test::Argument> arguments;
    for (size_t i = 0; i < call.operands.size(); ++i)
      arguments.push_back(graph_.input("x" + std::to_string(i), call.operands[i], dtype));
    arguments.insert(arguments.end(), call.numbers.begin(), call.numbers.end());
    result_ =
        graph_.call("y", call.op, arguments, call.result, call.decides ? DType::kBool : dtype).id;
  }

  // Operands of some size, every third time four times that, and what the operator gives.
  std::vector<at::Tensor> run(uint64_t seed) const {
    std::vector<at::Tensor> recorded;
    for (TensorId id = 0; id < result_; ++id) {
      const Tensor& tensor = graph_.graph().tensors[static_cast<size_t>(id)];
      const at::Tensor drawn =
          normal_tensor({seed, tensor.name}, tensor.shape) * (seed % 3 == 1 ? 4 : 1);
      recorded.push_back(drawn.to(to_scalar_type(tensor.dtype)));
    }
    if (call_.result == kScores)  // of attention that sees no later tokens
      recorded[0].masked_fill_(at::ones({8, 8}).triu(1).to(at::kBool), -1e4);
    recorded.push_back(
        run_operator(graph_.graph(), graph_.graph().nodes[0], in(recorded), Arithmetic::kAsRecorded)
            .at(0));
    return recorded;
  }

  std::optional<OperatorFault> check(const std::vector<at::Tensor>& recorded, uint64_t seed) const {
    return check_operator(graph_.graph(), 0, 0, in(recorded), {.seed = seed}).fault;
  }

  at::Tensor& result(std::vector<at::Tensor>& recorded) const {
    return recorded[static_cast<size_t>(result_)];
  }

 private:
  static TensorLookup in(const std::vector<at::Tensor>& recorded) {
    return [&recorded](TensorId id) { return recorded[static_cast<size_t>(id)]; };
  }

  const Call& call_;
  test::GraphBuilder graph_{"one operator"};
  TensorId result_ = kNone;
};

void for_each_operator(const std::function<void(const Call&, const RightOperator&)>& body) {
  for (const Call& call : calls()) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16}) {
      SCOPED_TRACE(std::string(call.op) + " in " + std::string(to_string(dtype)));
      body(call, RightOperator(call, dtype));
    }
  }
}

TEST(RightOperators, AreNotCalledWrong) {
  for_each_operator([](const Call&, const RightOperator& right) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const auto fault = right.check(right.run(seed), seed);
      ASSERT_FALSE(fault) << "seed " << seed << ": " << fault->detail << ", " << fault->error
                          << " of " << fault->allowed;
    }
  });
}

TEST(RightOperators, AreCalledWrongWhereOneElementIs) {
  for_each_operator([](const Call& call, const RightOperator& right) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
      std::vector<at::Tensor> recorded = right.run(seed);
      const at::Tensor y = right.result(recorded).flatten();
      const int64_t at = static_cast<int64_t>(seed) % y.numel();
      if (call.decides) {
        y[at].logical_not_();
      } else {
        const at::Tensor infinite = y.isfinite().logical_not();
        y[at].add_(y.masked_fill(infinite, 0).abs().max() + 1);
        y[at].masked_fill_(infinite[at], 0);
      }
      EXPECT_TRUE(right.check(recorded, seed)) << "seed " << seed;
    }
  });
}

// By less than what is beyond doubt after a few samples: more of them do not allow it.
TEST(RightOperators, AreCalledWrongWhereOneElementIsByAFewRoundings) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16}) {
    const Call call{"aten.mul.Tensor", {kTable, kTable}, {}, kTable};
    const RightOperator right(call, dtype);
    for (uint64_t seed = 0; seed < 30; ++seed) {
      std::vector<at::Tensor> recorded = right.run(seed);
      const at::Tensor y = right.result(recorded).flatten();
      y[y.abs().argmax()].mul_(1 + 40 * unit_roundoff(dtype));
      const auto fault = right.check(recorded, seed);
      ASSERT_TRUE(fault) << to_string(dtype) << ", seed " << seed;
      EXPECT_LT(fault->error, 8 * fault->allowed);
    }
  }
}

TEST(RightOperators, AreCalledWrongWhereTheyAreInfiniteAndNeedNotBe) {
  for_each_operator([](const Call& call, const RightOperator& right) {
    if (call.decides) return;
    std::vector<at::Tensor> recorded = right.run(0);
    right.result(recorded).flatten()[0].fill_(INFINITY);
    const auto fault = right.check(recorded, 0);
    ASSERT_TRUE(fault);
    EXPECT_THAT(fault->detail, testing::HasSubstr("infinity"));
  });
}

}  // namespace
}  // namespace assay
