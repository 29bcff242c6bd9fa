// What happens to gradients between the backward pass and the next step: buckets, accumulation,
// norms, optimizers.
#include "tests/support/prove.h"

namespace assay::test {
namespace {

constexpr int kTokensOfAStep = 8, kIn = 6, kOut = 4;

/// x^T dy: the gradient of a weight [kIn, kOut] from `tokens` tokens.
TensorRef weight_gradient(GraphBuilder& g, const std::string& name, TensorRef x, TensorRef dy) {
  const int64_t tokens = g.shape(x)[0];
  const TensorRef t = g.call(name + "_t", "aten.t.default", {x}, {kIn, tokens});
  return g.call(name, "aten.mm.default", {t, dy}, {kIn, kOut});
}

TensorRef bias_gradient(GraphBuilder& g, const std::string& name, TensorRef dy) {
  return g.call(name, "aten.sum.dim_IntList", {dy, {0}}, {kOut});
}

TensorRef rows_from(GraphBuilder& g, const std::string& name, TensorRef x, int start, int count) {
  return g.call(name, "aten.slice.Tensor", {x, 0, start, start + count}, {count, g.shape(x)[1]});
}

/// Weight and bias gradients of a batch over two ranks, reduced in one flat buffer; the bias is
/// read `early` elements too early.
Case bucket(int early) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const TensorRef dy = s.input("dy", {kTokensOfAStep, kOut});
  s.output(weight_gradient(s, "dw", s.input("x", {kTokensOfAStep, kIn}), dy));
  s.output(bias_gradient(s, "db", dy));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef own = g.input("dy", {kTokensOfAStep / 2, kOut});
    const TensorRef dw = weight_gradient(g, "dw_own", g.input("x", {kTokensOfAStep / 2, kIn}), own);
    const TensorRef db = bias_gradient(g, "db_own", own);
    const int size = kIn * kOut;
    const TensorRef flat =
        all_reduce(g, "sum",
                   g.call("flat", "aten.cat.default",
                          {{g.call("dw_flat", "aten.view.default", {dw, {size}}, {size}), db}},
                          {size + kOut}));
    const TensorRef first = g.call("first", "aten.slice.Tensor", {flat, 0, 0, size}, {size});
    g.output(g.call("dw", "aten.view.default", {first, {kIn, kOut}}, {kIn, kOut}));
    g.output(
        g.call("db", "aten.slice.Tensor", {flat, 0, size - early, size + kOut - early}, {kOut}));
  }
  c.shard("x", 0);
  c.shard("dy", 0);
  c.expect("dw", {"dw@0", "dw@1"});
  c.expect("db", {"db@0", "db@1"});
  return c.build();
}

TEST(Training, AFlatBucketOfGradientsIsCutWhereTheyMeet) {
  EXPECT_TRUE(proves(bucket(0)));
  EXPECT_FALSE(proves(bucket(1)));
}

/// The gradient of kTokensOfAStep tokens on each of two ranks, which take theirs in two halves;
/// `second` is where the second one starts, `scale` what the sum is multiplied by.
Case accumulated(int second, double scale) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  s.output(weight_gradient(s, "dw", s.input("x", {2 * kTokensOfAStep, kIn}),
                           s.input("dy", {2 * kTokensOfAStep, kOut})));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef x = g.input("x", {kTokensOfAStep, kIn}),
                    dy = g.input("dy", {kTokensOfAStep, kOut});
    std::vector<TensorRef> halves;
    for (int start : {0, second}) {
      const std::string name = "half" + std::to_string(halves.size());
      halves.push_back(weight_gradient(g, name,
                                       rows_from(g, name + "_x", x, start, kTokensOfAStep / 2),
                                       rows_from(g, name + "_dy", dy, start, kTokensOfAStep / 2)));
    }
    const TensorRef sum =
        g.call("accumulated", "aten.add.Tensor", {halves[0], halves[1]}, {kIn, kOut});
    g.output(g.call("dw", "aten.mul.Scalar", {all_reduce(g, "sum", sum), scale}, {kIn, kOut}));
  }
  c.shard("x", 0);
  c.shard("dy", 0);
  c.expect("dw", {"dw@0", "dw@1"});
  return c.build();
}

TEST(Training, MicroBatchesAddUpToTheBatch) {
  EXPECT_TRUE(proves(accumulated(kTokensOfAStep / 2, 1)));
  EXPECT_FALSE(proves(accumulated(0, 1))) << "the first one twice";
  EXPECT_FALSE(proves(accumulated(kTokensOfAStep / 2 - 1, 1))) << "one token twice";
  EXPECT_FALSE(proves(accumulated(kTokensOfAStep / 2, 0.5))) << "averaged";
}

struct AdamW {
  double beta2 = 0.999;
  double rate = 3e-4 / (1 - 0.9 * 0.9 * 0.9);  // no short fraction
  bool reduced = true;
};

/// Decoupled weight decay, moments, and the update, as torch::optim::AdamW writes them.
void adamw_step(GraphBuilder& g, TensorRef gradient, const AdamW& how) {
  const Shape shape = g.shape(gradient);
  const TensorRef p = g.input("p", shape), m = g.input("m", shape), v = g.input("v", shape);
  const TensorRef decayed = g.call("decayed", "aten.mul.Scalar", {p, 1 - 3e-5}, shape);
  const TensorRef m_scaled = g.call("m_scaled", "aten.mul.Scalar", {m, 0.9}, shape);
  const TensorRef mean = g.call("m_new", "aten.add.Tensor", {m_scaled, gradient, 1 - 0.9}, shape);
  const TensorRef v_scaled = g.call("v_scaled", "aten.mul.Scalar", {v, how.beta2}, shape);
  const TensorRef square =
      g.call("v_new", "aten.addcmul.default", {v_scaled, gradient, gradient, 1 - how.beta2}, shape);
  const TensorRef root = g.call("root", "aten.sqrt.default", {square}, shape);
  const TensorRef corrected =
      g.call("corrected", "aten.div.Scalar", {root, 0.05473575610916817}, shape);
  const TensorRef deviation = g.call("deviation", "aten.add.Scalar", {corrected, 1e-8}, shape);
  g.output(mean);
  g.output(square);
  g.output(g.call("p_new", "aten.addcdiv.default", {decayed, mean, deviation, -how.rate}, shape));
}

/// The batch over two ranks; all else is whole.
Case adamw(const AdamW& how) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  adamw_step(s,
             weight_gradient(s, "dw", s.input("x", {kTokensOfAStep, kIn}),
                             s.input("dy", {kTokensOfAStep, kOut})),
             {});
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const TensorRef own = weight_gradient(g, "own", g.input("x", {kTokensOfAStep / 2, kIn}),
                                          g.input("dy", {kTokensOfAStep / 2, kOut}));
    adamw_step(g, how.reduced ? all_reduce(g, "dw", own) : own, how);
  }
  c.shard("x", 0);
  c.shard("dy", 0);
  for (const char* whole : {"p", "m", "v"}) c.replicate(whole);
  for (const std::string name : {"p_new", "m_new", "v_new"})
    c.expect(name, {name + "@0", name + "@1"});
  return c.build();
}

TEST(Training, AnAdamWStepOnTheWholeGradientIsTheStepOfTheWholeBatch) {
  EXPECT_TRUE(proves(adamw({})));
  EXPECT_FALSE(proves(adamw({.reduced = false})));
  EXPECT_FALSE(proves(adamw({.beta2 = 0.99})));
  EXPECT_FALSE(proves(adamw({.rate = 3e-4 / (1 - 0.9 * 0.9)})));
}

/// The sum of squares of a gradient whose rows are on two ranks, and of one that both hold; counted
/// on the ranks in `counted`.
Case squared_norm(std::vector<bool> counted, bool reduced) {
  CaseBuilder c(2);
  auto& s = c.sequential();
  const auto squares = [](GraphBuilder& g, const std::string& name, TensorRef x) {
    const TensorRef square = g.call(name + "_square", "aten.mul.Tensor", {x, x}, g.shape(x));
    return g.call(name, "aten.sum.default", {square}, {});
  };
  const auto total = [](GraphBuilder& g, const std::vector<TensorRef>& parts) {
    const auto count = static_cast<int64_t>(parts.size());
    const TensorRef stacked =
        g.call("stacked", "aten.stack.default",
               {Argument(std::vector<Argument>(parts.begin(), parts.end()))}, {count});
    return g.call("total", "aten.sum.default", {stacked}, {});
  };
  const auto root = [](GraphBuilder& g, TensorRef x) {
    g.output(g.call("norm", "aten.sqrt.default", {x}, {}));
  };
  root(s, total(s, {squares(s, "w2", s.input("w", {kIn, kOut})),
                    squares(s, "b2", s.input("b", {kOut}))}));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    std::vector<TensorRef> parts = {squares(g, "w2", g.input("w", {kIn / 2, kOut}))};
    const TensorRef b = g.input("b", {kOut});
    if (counted[static_cast<size_t>(r)]) parts.push_back(squares(g, "b2", b));
    const TensorRef own = total(g, parts);
    root(g, reduced ? all_reduce(g, "all", own) : own);
  }
  c.shard("w", 0);
  c.replicate("b");
  c.expect("norm", {"norm@0", "norm@1"});
  return c.build();
}

TEST(Training, TheNormOfAllGradientsCountsEachElementOnce) {
  EXPECT_TRUE(proves(squared_norm({true, false}, true)));
  EXPECT_TRUE(proves(squared_norm({false, true}, true)));
  EXPECT_FALSE(proves(squared_norm({true, true}, true)));
  EXPECT_FALSE(proves(squared_norm({false, false}, true)));
  EXPECT_FALSE(proves(squared_norm({true, true}, false)));
}

/// x + y + z in that order; the ranks hold parts of all three, and add them up as `ranks` says.
template <typename Ranks>
Case three_products(const Ranks& ranks) {
  const Shape shape = {kIn, kOut};
  CaseBuilder c(2);
  auto& s = c.sequential();
  const auto product = [](GraphBuilder& g, const std::string& name, int64_t tokens) {
    return weight_gradient(g, name, g.input("x_" + name, {tokens, kIn}),
                           g.input("d_" + name, {tokens, kOut}));
  };
  const TensorRef a = product(s, "a", kTokensOfAStep), b = product(s, "b", kTokensOfAStep);
  const TensorRef ab = s.call("ab", "aten.add.Tensor", {a, b}, shape);
  s.output(s.call("abc", "aten.add.Tensor", {ab, product(s, "c", kTokensOfAStep)}, shape));
  for (int r = 0; r < 2; ++r) {
    auto& g = c.rank(r);
    const int64_t tokens = kTokensOfAStep / 2;
    std::vector<TensorRef> parts;
    for (const char* name : {"a", "b", "c"}) parts.push_back(product(g, name, tokens));
    g.output("abc", ranks(g, parts));
  }
  for (const char* name : {"x_a", "d_a", "x_b", "d_b", "x_c", "d_c"}) c.shard(name, 0);
  c.expect("abc", {"abc@0", "abc@1"});
  return c.build();
}

TensorRef plus(GraphBuilder& g, const std::string& name, TensorRef x, TensorRef y) {
  return g.call(name, "aten.add.Tensor", {x, y}, g.shape(x));
}

using Parts = std::vector<TensorRef>;

TEST(Training, ASumIsTheSameInOtherBrackets) {
  EXPECT_TRUE(proves(three_products([](GraphBuilder& g, const Parts& p) {
    return all_reduce(g, "all", plus(g, "p", p[0], plus(g, "q", p[1], p[2])));
  }))) << "reduced at once";
  EXPECT_TRUE(proves(three_products([](GraphBuilder& g, const Parts& p) {
    const TensorRef last = all_reduce(g, "bc", plus(g, "q", p[1], p[2]));
    return plus(g, "p", all_reduce(g, "a_all", p[0]), last);
  }))) << "a + (b + c)";
  EXPECT_FALSE(proves(three_products([](GraphBuilder& g, const Parts& p) {
    const TensorRef last = all_reduce(g, "bc", plus(g, "q", p[1], p[1]));
    return plus(g, "p", all_reduce(g, "a_all", p[0]), last);
  }))) << "a + (b + b)";
  EXPECT_FALSE(proves(three_products([](GraphBuilder& g, const Parts& p) {
    const TensorRef last = all_reduce(g, "bc", plus(g, "q", p[1], p[2]));
    return plus(g, "r", plus(g, "p", all_reduce(g, "a_all", p[0]), last), last);
  }))) << "a + (b + c) + (b + c)";
}

}  // namespace
}  // namespace assay::test
