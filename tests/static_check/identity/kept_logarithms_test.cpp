// Logarithms that flags keep: means over the pairs of one label, as contrastive losses have them.
#include <gtest/gtest.h>

#include "tests/static_check/formula_case.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kRows = 6;
const Shape kSquare = {kRows, kRows}, kColumn = {kRows, 1}, kRow = {kRows};

/// log softmax over the others of a row, less the greatest beforehand or not.
TensorRef log_softmax_of_others(GraphBuilder& g, TensorRef x, TensorRef others, bool shifted) {
  const std::vector<Argument> last{1};
  TensorRef from = x;
  if (shifted) {
    const TensorRef most = g.call("most", "aten.amax.default", {x, last, true}, kColumn);
    from = g.call("from", "aten.sub.Tensor", {x, most}, kSquare);
  }
  const TensorRef exp = g.call("exp", "aten.exp.default", {from}, kSquare);
  const TensorRef kept = g.call("kept", "aten.mul.Tensor", {exp, others}, kSquare);
  const TensorRef sum = g.call("sum", "aten.sum.dim_IntList", {kept, last, true}, kColumn);
  const TensorRef log = g.call("log", "aten.log.default", {sum}, kColumn);
  return g.call("ls", "aten.sub.Tensor", {from, log}, kSquare);
}

/// The mean of each row over the others with its label, of which there may be none.
Formula mean_over_pairs(bool shifted, bool of_others) {
  return [=](GraphBuilder& g, TensorRef x, TensorRef labels) {
    const std::vector<Argument> last{1};
    const TensorRef places = g.call("places", "aten.arange.default", {kRows}, kRow, DType::kInt64);
    const TensorRef rows =
        g.call("rows", "aten.unsqueeze.default", {places, 1}, kColumn, DType::kInt64);
    const TensorRef others =
        g.call("others", "aten.ne.Tensor", {places, rows}, kSquare, DType::kBool);
    const TensorRef ls = log_softmax_of_others(g, x, others, shifted);
    const TensorRef column =
        g.call("column", "aten.unsqueeze.default", {labels, 1}, kColumn, DType::kInt64);
    const TensorRef same =
        g.call("same", "aten.eq.Tensor", {labels, column}, kSquare, DType::kBool);
    const TensorRef pairs =
        g.call("pairs", "aten.logical_and.default", {same, others}, kSquare, DType::kBool);
    const TensorRef of_pairs = g.call("of_pairs", "aten.mul.Tensor", {ls, pairs}, kSquare);
    const TensorRef total = g.call("total", "aten.sum.dim_IntList", {of_pairs, last}, kRow);
    const TensorRef count = g.call("count", "aten.sum.dim_IntList",
                                   {of_others ? pairs : same, last}, kRow, DType::kInt64);
    const TensorRef least = g.call("least", "aten.clamp.default", {count, 1}, kRow, DType::kInt64);
    return g.call("mean", "aten.div.Tensor", {total, least}, kRow);
  };
}

TEST(KeptLogarithms, OfARowAreReadByTheirFactors) {
  const auto both = [](const Formula& a, const Formula& b) {
    return formulas(a, b, {"x", kSquare}, {"labels", kRow, DType::kInt64});
  };
  EXPECT_TRUE(proves(both(mean_over_pairs(true, true), mean_over_pairs(false, true))));
  EXPECT_FALSE(proves(both(mean_over_pairs(true, true), mean_over_pairs(false, false))));
}

}  // namespace
}  // namespace assay::test
