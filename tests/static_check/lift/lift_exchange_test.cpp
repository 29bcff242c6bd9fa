// Messages between two ranks, and the collectives that have no functional form: what each member
// gets, and what it does not get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/prove.h"

namespace assay::test {
namespace {

TensorRef memory(GraphBuilder& graph, const std::string& name, const Shape& shape) {
  std::vector<Argument> sizes;
  for (const int64_t size : shape) sizes.emplace_back(size);
  return graph.call(name, "aten.empty.memory_format", {Argument(sizes)}, shape);
}

TensorRef relu(GraphBuilder& graph, const std::string& name, TensorRef x) {
  return graph.call(name, "aten.relu.default", {x}, graph.shape(x));
}

void send(GraphBuilder& graph, TensorRef x, int to) {
  graph.effect("c10d.send.default", {x, to, 0, "tp"});
}

TensorRef receive(GraphBuilder& graph, const std::string& name, const Shape& shape, int from) {
  return graph.call(name, "c10d.recv.default",
                    {memory(graph, name + ".memory", shape), from, 0, "tp"}, shape);
}

/// y = relu(x) as the only operator of the sequential program.
void sequential_relu(CaseBuilder& c, const Shape& shape) {
  GraphBuilder& s = c.sequential();
  s.output(relu(s, "y", s.input("x", shape)));
}

/// Rank 0 sends both halves of x, rank 1 computes on them. `exchanged`: rank 1 takes the first
/// message for the second half.
Case two_messages(bool exchanged) {
  CaseBuilder c(2);
  sequential_relu(c, {4, 3});
  GraphBuilder& first = c.rank(0);
  const TensorRef x = first.input("x", {4, 3});
  for (const int start : {0, 2}) {
    const std::string name = start == 0 ? "upper" : "lower";
    send(first, first.call(name, "aten.slice.Tensor", {x, 0, start, start + 2}, {2, 3}), 1);
  }
  GraphBuilder& second = c.rank(1);
  const TensorRef a = receive(second, "a", {2, 3}, 0);
  const TensorRef b = receive(second, "b", {2, 3}, 0);
  const std::vector<Argument> halves =
      exchanged ? std::vector<Argument>{b, a} : std::vector<Argument>{a, b};
  const TensorRef whole = second.call("whole", "aten.cat.default", {halves, 0}, {4, 3});
  second.output(relu(second, "y", whole));
  c.relate("x", {"x@0"});
  c.expect("y", {"y@1"});
  return c.build();
}

TEST(Exchange, MessagesArriveInTheOrderInWhichTheyAreSent) {
  EXPECT_TRUE(proves(two_messages(false)));
  EXPECT_FALSE(proves(two_messages(true)));
}

/// x goes from rank to rank, each of which adds it to its own; the last holds three times x.
/// `shortcut`: rank 2 gets it from rank 0 directly.
Case ring(bool shortcut) {
  CaseBuilder c(3);
  GraphBuilder& s = c.sequential();
  s.output(s.call("y", "aten.mul.Scalar", {s.input("x", {4}), 3.0}, {4}));
  for (int r = 0; r < 3; ++r) {
    GraphBuilder& g = c.rank(r);
    TensorRef sum = g.input("x", {4});
    if (r > 0) {
      const TensorRef received = receive(g, "received", {4}, shortcut && r == 2 ? 0 : r - 1);
      sum = g.call("y", "aten.add.Tensor", {sum, received}, {4});
    }
    if (r == 0 && shortcut) send(g, sum, 2);
    if (r == 0 || (r == 1 && !shortcut)) send(g, sum, r + 1);
    if (r == 2) g.output(sum);
  }
  c.replicate("x");
  c.expect("y", {"y@2"});
  return c.build();
}

TEST(Exchange, WhatIsReceivedIsTheSendersValue) {
  EXPECT_TRUE(proves(ring(false)));
  EXPECT_FALSE(proves(ring(true)));
}

/// A sum that goes to rank 1 alone; `user` uses it.
Case reduced_to_one(int user) {
  CaseBuilder c(2);
  sequential_relu(c, {4, 3});
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef sum =
        g.call("sum", "c10d.reduce.default", {g.input("x", {4, 3}), "sum", 1, "tp"}, {4, 3});
    if (r == user) g.output(relu(g, "y", sum));
  }
  c.relate("x", {"sum(x@0, x@1)"});
  c.expect("y", {"y@" + std::to_string(user)});
  return c.build();
}

TEST(Exchange, AReductionToOneRankIsUnwrittenAtTheOthers) {
  EXPECT_TRUE(proves(reduced_to_one(1)));
  EXPECT_FALSE(proves(reduced_to_one(0)));
}

/// Rank 0 gathers rows; `exchanged`: it takes the pieces the other way round.
Case gathered_to_one(bool exchanged) {
  CaseBuilder c(2);
  sequential_relu(c, {4, 3});
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef y = relu(g, "part", g.input("x", {2, 3}));
    const std::vector<Argument> args{y, 0, 2, "tp"};
    if (r == 1) {
      g.effect("c10d.gather.default", args);
      continue;
    }
    auto rows = g.call_many("rows", "c10d.gather.default", args, {{{2, 3}}, {{2, 3}}});
    if (exchanged) std::swap(rows[0], rows[1]);
    const std::vector<Argument> pieces{rows[0], rows[1]};
    g.output(g.call("y", "aten.cat.default", {pieces, 0}, {4, 3}));
  }
  c.shard("x", 0);
  c.expect("y", {"y@0"});
  return c.build();
}

TEST(Exchange, AGatherGivesOneRankThePiecesInGroupOrder) {
  EXPECT_TRUE(proves(gathered_to_one(false)));
  EXPECT_FALSE(proves(gathered_to_one(true)));
}

/// Rank 0 has x and scatters its rows; `exchanged`: the wrong piece to each rank.
Case scattered(bool exchanged) {
  CaseBuilder c(2);
  sequential_relu(c, {4, 3});
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef own = memory(g, "own", {2, 3});
    std::vector<Argument> pieces;
    if (r == 0) {
      const TensorRef x = g.input("x", {4, 3});
      const TensorRef upper = g.call("upper", "aten.slice.Tensor", {x, 0, 0, 2}, {2, 3});
      const TensorRef lower = g.call("lower", "aten.slice.Tensor", {x, 0, 2, 4}, {2, 3});
      pieces =
          exchanged ? std::vector<Argument>{lower, upper} : std::vector<Argument>{upper, lower};
    }
    const TensorRef piece = g.call("piece", "c10d.scatter.default", {own, pieces, 0, "tp"}, {2, 3});
    g.output(relu(g, "y", piece));
  }
  c.relate("x", {"x@0"});
  c.expect("y", {"concat(y@0, y@1; dim=0)"});
  return c.build();
}

TEST(Exchange, AScatterSendsPieceIToMemberI) {
  EXPECT_TRUE(proves(scattered(false)));
  EXPECT_FALSE(proves(scattered(true)));
}

/// Columns gathered as a list and put together along dim 1; along dim 0 they are something else.
Case gathered_list(int dim) {
  CaseBuilder c(2);
  sequential_relu(c, {4, 4});
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef y = relu(g, "part", g.input("x", {4, 2}));
    const std::vector<Argument> memories{memory(g, "m0", {4, 2}), memory(g, "m1", {4, 2})};
    const auto parts =
        g.call_many("all", "c10d.all_gather.default", {memories, y, 2, "tp"}, {{{4, 2}}, {{4, 2}}});
    const std::vector<Argument> pieces{parts[0], parts[1]};
    const TensorRef whole =
        g.call("whole", "aten.cat.default", {pieces, dim}, dim == 1 ? Shape{4, 4} : Shape{8, 2});
    g.output(g.call("y", "aten.view.default", {whole, {4, 4}}, {4, 4}));
  }
  c.shard("x", 1);
  c.expect("y", {"y@0", "y@1"});
  return c.build();
}

TEST(Exchange, AGatheredListIsPutTogetherByTheProgram) {
  EXPECT_TRUE(proves(gathered_list(1)));
  EXPECT_FALSE(proves(gathered_list(0)));
}

/// Summands of two rows each, scattered as a list; `exchanged`: the list is in the other order.
Case reduced_and_scattered_list(bool exchanged) {
  CaseBuilder c(2);
  sequential_relu(c, {2, 3});
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef x = g.input("x", {2, 3});
    auto rows = g.call_many("rows", "aten.split.Tensor", {x, 1}, {{{1, 3}}, {{1, 3}}});
    if (exchanged) std::swap(rows[0], rows[1]);
    const std::vector<Argument> pieces{rows[0], rows[1]};
    const TensorRef sum =
        g.call("sum", "c10d.reduce_scatter.default", {pieces, "sum", 2, "tp"}, {1, 3});
    g.output(relu(g, "y", sum));
  }
  c.relate("x", {"sum(x@0, x@1)"});
  c.expect("y", {"concat(y@0, y@1; dim=0)"});
  return c.build();
}

TEST(Exchange, AReducedListIsScatteredInItsOrder) {
  EXPECT_TRUE(proves(reduced_and_scattered_list(false)));
  EXPECT_FALSE(proves(reduced_and_scattered_list(true)));
}

/// Each rank keeps one column of its rows and sends two, or the other way round: tensors of
/// different shapes.
Case exchanged_lists(bool wrong_order) {
  CaseBuilder c(2);
  sequential_relu(c, {4, 3});
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef x = g.input("x", {2, 3});
    const auto columns = g.call_many("columns", "aten.split_with_sizes.default", {x, {1, 2}, 1},
                                     {{{2, 1}}, {{2, 2}}});
    const Shape mine{2, r == 0 ? 1 : 2};
    const std::vector<Argument> memories{memory(g, "m0", mine), memory(g, "m1", mine)};
    const std::vector<Argument> sent{columns[0], columns[1]};
    auto got =
        g.call_many("got", "c10d.all_to_all.default", {memories, sent, "tp"}, {{mine}, {mine}});
    if (wrong_order) std::swap(got[0], got[1]);
    const std::vector<Argument> pieces{got[0], got[1]};
    const TensorRef whole = g.call("whole", "aten.cat.default", {pieces, 0}, {4, mine[1]});
    g.output(relu(g, "y", whole));
  }
  c.shard("x", 0);
  c.expect("y", {"concat(y@0, y@1; dim=1)"});
  return c.build();
}

TEST(Exchange, AnExchangeOfListsSendsTensorIToMemberI) {
  EXPECT_TRUE(proves(exchanged_lists(false)));
  EXPECT_FALSE(proves(exchanged_lists(true)));
}

/// Two summands in one call; `summed`: with sum, not with avg.
Case coalesced(bool summed) {
  CaseBuilder c(2);
  GraphBuilder& s = c.sequential();
  s.output(relu(s, "y", s.input("x", {4})));
  s.output(relu(s, "z", s.input("w", {3})));
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const std::vector<Argument> both{g.input("x", {4}), g.input("w", {3})};
    const auto sums = g.call_many("sums", "_c10d_functional.all_reduce_coalesced.default",
                                  {both, summed ? "sum" : "avg", "tp"}, {{{4}}, {{3}}});
    g.output(relu(g, "y", sums[0]));
    g.output(relu(g, "z", sums[1]));
  }
  c.relate("x", {"sum(x@0, x@1)"});
  c.relate("w", {"sum(w@0, w@1)"});
  c.expect("y", {"y@0", "y@1"});
  c.expect("z", {"z@0", "z@1"});
  return c.build();
}

TEST(Exchange, ACoalescedCallIsOneCollectiveForEachTensor) {
  EXPECT_TRUE(proves(coalesced(true)));
  EXPECT_FALSE(proves(coalesced(false)));
}

/// Each rank sorts its tokens by the expert of their choice, sends half of them to each rank, and
/// puts what comes back in its place, by the inverse of that order: y = relu(x). Or by the order
/// itself.
Case dispatched_by_choice(bool by_inverse) {
  CaseBuilder c(2);
  sequential_relu(c, {8, 3});
  const Shape ids{4}, rows{4, 3};
  for (int r = 0; r < 2; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef x = g.input("x", rows);
    const TensorRef choice = g.call("choice", "aten.argmax.default", {x, 1}, ids, DType::kInt64);
    const TensorRef order = g.call("order", "aten.argsort.default", {choice}, ids, DType::kInt64);
    const TensorRef back = g.call("back", "aten.argsort.default", {order}, ids, DType::kInt64);
    const auto moved = [&](const std::string& name, TensorRef tensor, TensorRef by) {
      return g.call(name, "aten.index.Tensor", {tensor, std::vector<Argument>{by}}, rows);
    };
    const auto exchanged = [&](const std::string& name, TensorRef tensor) {
      const std::vector<Argument> half{2, 2};
      return g.call(name, "_c10d_functional.all_to_all_single.default", {tensor, half, half, "tp"},
                    rows);
    };
    const TensorRef sent = exchanged("sent", moved("sorted", x, order));
    const TensorRef returned = exchanged("returned", relu(g, "result", sent));
    g.output(moved("y", returned, by_inverse ? back : order));
  }
  c.shard("x", 0);
  c.expect("y", {"concat(y@0, y@1; dim=0)"});
  return c.build();
}

TEST(Exchange, ADispatchThatDependsOnDataIsProvedWhereItIsUndone) {
  const auto verdict = [](bool by_inverse) {
    return static_check(dispatched_by_choice(by_inverse), OperatorTable::builtin()).report;
  };
  const StaticReport right = verdict(true);
  EXPECT_EQ(right.verdict, Verdict::kProved);
  EXPECT_THAT(right.assumptions, testing::Contains(testing::HasSubstr("equal elements of a row")));
  EXPECT_NE(verdict(false).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace assay::test
