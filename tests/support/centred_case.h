// Tokens centred by their mean, where each rank takes the mean of its own tokens.
#pragma once

#include <string>

#include "tests/support/prove.h"

namespace assay::test {

/// What the ranks do otherwise than to centre by their own mean.
enum class Centring {
  kOwnMean,
  kWholeMean,      // the mean over all ranks: no approximation
  kMeanOfDoubled,  // rank 1 takes the mean of twice its tokens
  kMeanAdded,      // the mean is added where it is to be subtracted
};

/// One program of `tokens` rows: h = x w, m = mean of its rows, y = h - m.
inline void centred(GraphBuilder& graph, int64_t tokens, Centring how, int ranks = 1) {
  const Shape rows{tokens, 6}, row{1, 6};
  const TensorRef x = graph.input("x", {tokens, 4}), w = graph.input("w", {4, 6});
  graph.at("model.py", 3);
  const TensorRef h = graph.call("h", "aten.mm.default", {x, w}, rows);
  TensorRef averaged = h;
  if (how == Centring::kMeanOfDoubled)
    averaged = graph.call("doubled", "aten.mul.Scalar", {h, 2}, rows);
  graph.at("model.py", 4);
  const bool whole = how == Centring::kWholeMean;
  TensorRef m = graph.call(whole ? "own" : "m", "aten.mean.dim", {averaged, {0}, true}, row);
  if (whole) {
    m = all_reduce(graph, "sum", m);
    m = graph.call("m", "aten.div.Scalar", {m, ranks}, row);
  }
  graph.at("model.py", 5);
  const char* op = how == Centring::kMeanAdded ? "aten.add.Tensor" : "aten.sub.Tensor";
  graph.output(graph.call("y", op, {h, m}, rows));
}

inline CaseBuilder centred_case(Centring on_rank_1, Centring on_rank_0 = Centring::kOwnMean) {
  CaseBuilder builder(2);
  centred(builder.sequential(), 8, Centring::kOwnMean);
  centred(builder.rank(0), 4, on_rank_0, 2);
  centred(builder.rank(1), 4, on_rank_1, 2);
  builder.shard("x", 0);
  builder.replicate("w");
  builder.expect("y", {"concat(y@0, y@1; dim=0)"});
  return builder;
}

inline const char* const kOwnMeans = "each rank centres by the mean of its own tokens";

inline Case centred_by_accepted_means(Centring on_rank_1, Centring on_rank_0 = Centring::kOwnMean) {
  CaseBuilder builder = centred_case(on_rank_1, on_rank_0);
  builder.approximate("m", {"m@0", "m@1"}, kOwnMeans);
  return builder.build();
}

}  // namespace assay::test
