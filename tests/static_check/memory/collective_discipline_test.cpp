// Members, order, shapes, dtypes and reductions match across a group, and between groups that
// overlap; messages are those that their receivers expect. What does not match is refuted, with
// both lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/golden.h"
#include "tests/support/prove.h"

namespace assay::test {
namespace {

using Call = std::function<void(GraphBuilder&, TensorRef x)>;

/// What each rank does with its replica of x [4, 2] before all of them compute y = relu(x).
struct Program {
  std::vector<Call> ranks;
  Groups groups;  // beside "tp", which holds every rank
};

Case case_of(const Program& program) {
  CaseBuilder c(static_cast<int>(program.ranks.size()));
  const Shape shape{4, 2};
  c.sequential().output(
      c.sequential().call("y", "aten.relu.default", {c.sequential().input("x", shape)}, shape));
  for (int r = 0; r < c.ranks(); ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef x = g.input("x", shape);
    g.at("rank" + std::to_string(r) + ".cpp", 10 + r);
    program.ranks[static_cast<size_t>(r)](g, x);
    g.output(g.call("y", "aten.relu.default", {x}, shape));
  }
  c.replicate("x");
  Case result = c.build();
  for (const auto& [name, members] : program.groups) result.distributed_groups[name] = members;
  return result;
}

Call reduce(const char* how, const char* group = "tp") {
  return [=](GraphBuilder& g, TensorRef x) {
    g.call("sum_" + std::to_string(g.graph().nodes.size()), "_c10d_functional.all_reduce.default",
           {x, how, group}, {4, 2});
  };
}

Call gather() {
  return [](GraphBuilder& g, TensorRef x) {
    g.call("all", "_c10d_functional.all_gather_into_tensor.default", {x, 2, "tp"}, {8, 2});
  };
}

Call reduce_rows(int rows) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef part = g.call("part", "aten.slice.Tensor", {x, 0, 0, rows}, {rows, 2});
    g.call("sum", "_c10d_functional.all_reduce.default", {part, "sum", "tp"}, {rows, 2});
  };
}

Call reduce_in(DType dtype) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef cast = g.call("cast", "aten._to_copy.default", {x, dtype}, {4, 2}, dtype);
    g.call("sum", "_c10d_functional.all_reduce.default", {cast, "sum", "tp"}, {4, 2}, dtype);
  };
}

Call broadcast(int source) {
  return [=](GraphBuilder& g, TensorRef x) {
    g.call("same", "_c10d_functional.broadcast.default", {x, source, "tp"}, {4, 2});
  };
}

Call exchange(int kept) {
  return [=](GraphBuilder& g, TensorRef x) {
    const std::vector<Argument> rows{kept, 4 - kept};
    g.call("exchanged", "_c10d_functional.all_to_all_single.default", {x, rows, rows, "tp"},
           {4, 2});
  };
}

Call send(int to, int rows = 4, int tag = 0) {
  return [=](GraphBuilder& g, TensorRef x) {
    const TensorRef part =
        g.call("sent" + std::to_string(to), "aten.slice.Tensor", {x, 0, 0, rows}, {rows, 2});
    g.effect("c10d.send.default", {part, to, tag, "tp"});
  };
}

Call receive(int from, DType dtype = DType::kFloat32) {
  return [=](GraphBuilder& g, TensorRef) {
    const TensorRef memory = g.call("memory" + std::to_string(from), "aten.empty.memory_format",
                                    {{4, 2}, dtype}, {4, 2}, dtype);
    g.call("received" + std::to_string(from), "c10d.recv.default", {memory, from, 0, "tp"}, {4, 2},
           dtype);
  };
}

Call barrier() {
  return [](GraphBuilder& g, TensorRef) { g.effect("c10d.barrier.default", {"tp"}); };
}

Call nothing() {
  return [](GraphBuilder&, TensorRef) {};
}

Call both(Call first, Call second) {
  return [=](GraphBuilder& g, TensorRef x) {
    first(g, x);
    second(g, x);
  };
}

struct Mismatch {
  const char* name;
  Program wrong;
  Program twin;
};

const Groups kPairs = {{"a", {0, 1}}, {"b", {1, 2}}, {"c", {2, 0}}};

std::vector<Mismatch> mismatches() {
  return {
      {"AnotherCollective", {{reduce("sum"), gather()}, {}}, {{gather(), gather()}, {}}},
      {"AnotherReduction",
       {{reduce("sum"), reduce("max")}, {}},
       {{reduce("max"), reduce("max")}, {}}},
      {"AnotherRoot", {{broadcast(0), broadcast(1)}, {}}, {{broadcast(1), broadcast(1)}, {}}},
      {"AnotherOrderOfMembers",
       {{reduce("sum", "back"), reduce("sum")}, {{"back", {1, 0}}}},
       {{reduce("sum", "back"), reduce("sum", "back")}, {{"back", {1, 0}}}}},
      {"AnotherShape",
       {{reduce_rows(2), reduce_rows(3)}, {}},
       {{reduce_rows(3), reduce_rows(3)}, {}}},
      {"AnotherDtype",
       {{reduce_in(DType::kFloat32), reduce_in(DType::kBFloat16)}, {}},
       {{reduce_in(DType::kBFloat16), reduce_in(DType::kBFloat16)}, {}}},
      {"OtherRows", {{exchange(1), exchange(2)}, {}}, {{exchange(2), exchange(2)}, {}}},
      {"NeverJoined", {{reduce("sum"), nothing()}, {}}, {{nothing(), nothing()}, {}}},
      {"NeverJoinedBarrier", {{nothing(), barrier()}, {}}, {{barrier(), barrier()}, {}}},
      {"CallsInAnotherOrder",
       {{both(reduce("sum"), gather()), both(gather(), reduce("sum"))}, {}},
       {{both(gather(), reduce("sum")), both(gather(), reduce("sum"))}, {}}},
      {"CircleOfGroups",
       {{both(reduce("sum", "a"), reduce("sum", "c")), both(reduce("sum", "b"), reduce("sum", "a")),
         both(reduce("sum", "c"), reduce("sum", "b"))},
        kPairs},
       {{both(reduce("sum", "a"), reduce("sum", "c")), both(reduce("sum", "a"), reduce("sum", "b")),
         both(reduce("sum", "b"), reduce("sum", "c"))},
        kPairs}},
      {"CircleOfReceivers",
       {{both(receive(1), send(1)), both(receive(0), send(0))}, {}},
       {{both(receive(1), send(1)), both(send(0), receive(0))}, {}}},
      {"ReceiverBehindACollective",
       {{both(reduce("sum"), send(1)), both(receive(0), reduce("sum"))}, {}},
       {{both(send(1), reduce("sum")), both(receive(0), reduce("sum"))}, {}}},
      {"NeverSent", {{nothing(), receive(0)}, {}}, {{send(1), receive(0)}, {}}},
      {"NeverReceived", {{send(1), nothing()}, {}}, {{send(1), receive(0)}, {}}},
      {"MessageOfAnotherShape", {{send(1, 3), receive(0)}, {}}, {{send(1, 4), receive(0)}, {}}},
      {"MessageOfAnotherDtype",
       {{send(1), receive(0, DType::kInt64)}, {}},
       {{send(1), receive(0, DType::kFloat32)}, {}}},
      {"MessageOfAnotherTag", {{send(1, 4, 7), receive(0)}, {}}, {{send(1, 4, 0), receive(0)}, {}}},
  };
}

class CollectiveDiscipline : public testing::TestWithParam<Mismatch> {};

TEST_P(CollectiveDiscipline, AMismatchIsRefutedWithBothLines) {
  const StaticReport report =
      static_check(case_of(GetParam().wrong), OperatorTable::builtin()).report;
  EXPECT_EQ(report.verdict, Verdict::kRefuted);
  ASSERT_EQ(report.failures.size(), 1u);
  const FailureReport& failure = report.failures[0];
  EXPECT_EQ(failure.kind, "collective_mismatch");
  EXPECT_THAT(failure.source, testing::HasSubstr(".cpp:1"));
  const bool one_sided = failure.nearest.find("already finished") != std::string::npos;
  EXPECT_EQ(failure.distributed_source.empty(), one_sided) << failure.distributed_source;
}

TEST_P(CollectiveDiscipline, TheTwinIsProved) { EXPECT_TRUE(proves(case_of(GetParam().twin))); }

INSTANTIATE_TEST_SUITE_P(All, CollectiveDiscipline, testing::ValuesIn(mismatches()),
                         [](const auto& mismatch) { return std::string(mismatch.param.name); });

TEST(CollectiveDiscipline, SaysWhatDoesNotMatch) {
  std::string text;
  for (const Mismatch& mismatch : mismatches()) {
    const StaticReport report =
        static_check(case_of(mismatch.wrong), OperatorTable::builtin()).report;
    for (const FailureReport& failure : report.failures)
      text += std::string(mismatch.name) + "\n  " + failure.reason + "\n  " + failure.source +
              ", " + failure.distributed_source + "\n";
  }
  expect_golden("report/collective_mismatches.txt", text);
}

}  // namespace
}  // namespace assay::test
