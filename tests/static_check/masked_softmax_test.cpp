// A softmax of which a mask hides elements is defined where of each row one element is seen, by a
// comparison of positions: then no report lists that it is. Else it is listed, or refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "shared_ir/base/error.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kPositions = 4;

struct HidingMask {
  std::string name;
  // [queries, keys], true where the key is hidden.
  std::function<TensorRef(GraphBuilder&)> hidden;
};

TensorRef positions(GraphBuilder& g, const std::string& name, Shape shape) {
  const TensorRef numbers =
      g.call(name + "s", "aten.arange.default", {kPositions}, {kPositions}, DType::kInt64);
  return g.call(name, "aten.view.default", {numbers, std::vector<Argument>{shape[0], shape[1]}},
                shape, DType::kInt64);
}

/// Keys are hidden whose positions compare so with those of their queries.
HidingMask compared(const std::string& name, const std::string& op) {
  return {name, [op](GraphBuilder& g) {
            const TensorRef query = positions(g, "query", {kPositions, 1});
            const TensorRef key = positions(g, "key", {1, kPositions});
            return g.call("hidden", op, {key, query}, {kPositions, kPositions}, DType::kBool);
          }};
}

HidingMask all_keys_but(int64_t seen) {
  return {"AllKeysBut" + std::to_string(seen), [seen](GraphBuilder& g) {
            const TensorRef key = positions(g, "key", {1, kPositions});
            const TensorRef other =
                g.call("other", "aten.ne.Scalar", {key, seen}, {1, kPositions}, DType::kBool);
            return g.call("hidden", "aten.expand.default",
                          {other, std::vector<Argument>{kPositions, kPositions}},
                          {kPositions, kPositions}, DType::kBool);
          }};
}

HidingMask of_inputs() {
  return {"OfInputs", [](GraphBuilder& g) {
            return g.input("hidden", {kPositions, kPositions}, DType::kBool);
          }};
}

/// How the mask is applied.
enum class Way { kFill, kAdd, kAddToNegative };

TensorRef softmax(GraphBuilder& g, TensorRef x, const HidingMask& mask, Way way) {
  const Shape shape = {kPositions, kPositions};
  const TensorRef hidden = mask.hidden(g);
  TensorRef masked;
  if (way == Way::kFill) {
    masked = g.call("masked", "aten.masked_fill.Scalar", {x, hidden, -INFINITY}, shape);
  } else {
    const TensorRef zeros = g.call("zeros", "aten.zeros_like.default", {x}, shape);
    const TensorRef bias =
        g.call("bias", "aten.masked_fill.Scalar", {zeros, hidden, -INFINITY}, shape);
    if (way == Way::kAddToNegative) x = g.call("negative", "aten.neg.default", {x}, shape);
    masked = g.call("masked", "aten.add.Tensor", {x, bias}, shape);
  }
  return g.call("weights", "aten._softmax.default", {masked, -1, false}, shape);
}

/// Whether a proof in which a rank multiplies the softmax by 0 assumes that it is defined; also
/// where the case is refused because it never is.
bool is_assumed(const HidingMask& mask, Way way) {
  CaseBuilder c(1);
  const auto x_of = [](GraphBuilder& g) { return g.input("x", {kPositions, kPositions}); };
  GraphBuilder &s = c.sequential(), &r = c.rank(0);
  const TensorRef x = x_of(s);
  softmax(s, x, mask, way);
  s.output(s.call("y", "aten.clone.default", {x}, {kPositions, kPositions}));
  const TensorRef own = x_of(r);
  const TensorRef zero =
      r.call("zero", "aten.mul.Tensor", {softmax(r, own, mask, way), 0}, {kPositions, kPositions});
  r.output(r.call("y", "aten.add.Tensor", {own, zero}, {kPositions, kPositions}));
  for (const TensorId input : s.graph().inputs)
    c.replicate(s.graph().tensors[static_cast<size_t>(input)].name);
  try {
    const StaticReport report = static_check(c.build(), OperatorTable::builtin()).report;
    EXPECT_EQ(report.verdict, Verdict::kProved);
    return std::ranges::any_of(report.assumptions, [](const std::string& assumption) {
      return assumption.starts_with("domains: every argument of aten._softmax.default");
    });
  } catch (const UserError&) {
    return true;
  }
}

using Given = std::tuple<HidingMask, Way>;
std::string name_of(const testing::TestParamInfo<Given>& info) {
  constexpr const char* kNames[] = {"Filled", "Added", "AddedToNegative"};
  return std::get<0>(info.param).name + kNames[static_cast<int>(std::get<1>(info.param))];
}

class DefinedSoftmax : public testing::TestWithParam<Given> {};
class UnknownSoftmax : public testing::TestWithParam<Given> {};

TEST_P(DefinedSoftmax, NeedsNoAssumption) {
  EXPECT_FALSE(is_assumed(std::get<0>(GetParam()), std::get<1>(GetParam())));
}
TEST_P(UnknownSoftmax, NeedsOne) {
  EXPECT_TRUE(is_assumed(std::get<0>(GetParam()), std::get<1>(GetParam())));
}

const auto kAllWays = testing::Values(Way::kFill, Way::kAdd, Way::kAddToNegative);

INSTANTIATE_TEST_SUITE_P(Masks, DefinedSoftmax,
                         testing::Combine(testing::Values(compared("LaterKeys", "aten.gt.Tensor"),
                                                          compared("EarlierKeys", "aten.lt.Tensor"),
                                                          compared("AllButTheOwn",
                                                                   "aten.ne.Tensor")),
                                          kAllWays),
                         name_of);
// Of the second of four keys it could be known, and is not.
INSTANTIATE_TEST_SUITE_P(
    Masks, UnknownSoftmax,
    testing::Combine(testing::Values(compared("LaterKeysAndTheOwn", "aten.ge.Tensor"),
                                     compared("EarlierKeysAndTheOwn", "aten.le.Tensor"),
                                     all_keys_but(1), all_keys_but(kPositions), of_inputs()),
                     kAllWays),
    name_of);

}  // namespace
}  // namespace assay::test
