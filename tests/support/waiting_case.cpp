#include "tests/support/waiting_case.h"

#include "tests/support/graph_builder.h"

namespace assay::test {

Case waiting_case(const StepsOfRanks& program) {
  const auto ranks = static_cast<int>(program.ranks.size());
  CaseBuilder c(ranks);
  const Shape shape{4, 2};
  GraphBuilder& s = c.sequential();
  s.output(s.call("y", "aten.mul.Tensor", {s.input("x", shape), 2 * ranks}, shape));
  for (int r = 0; r < ranks; ++r) {
    GraphBuilder& g = c.rank(r);
    const TensorRef x = g.input("x", shape);
    g.at("rank" + std::to_string(r) + ".cpp", 10 + r);
    TensorRef begun[2], done[2];
    for (const char step : program.ranks[static_cast<size_t>(r)]) {
      const std::string name = "t" + std::to_string(g.graph().nodes.size());
      const bool second = step == 'h' || step == 'H';
      if (step == 'g' || step == 'h')
        begun[second] = g.call(name, "_c10d_functional.all_reduce.default",
                               {x, "sum", second ? "h" : "g"}, shape);
      else if (step == 'b')
        g.effect("c10d.barrier.default", {"g"});
      else
        done[second] = g.call(name, "_c10d_functional.wait_tensor.default", {begun[second]}, shape);
    }
    g.output(g.call("y", "aten.add.Tensor", {done[0], done[1]}, shape));
  }
  c.replicate("x");
  Case result = c.build();
  result.distributed_groups["g"] = result.distributed_groups["h"] = result.distributed_groups["tp"];
  return result;
}

const std::vector<StepsOfRanks>& deadlocks_of_waits() {
  static const std::vector<StepsOfRanks> programs{{"OtherOrder", {"gGhH", "hHgG"}},
                                                  {"OneOfThreeRanks", {"gGhH", "gGhH", "hHgG"}},
                                                  {"TwoOfThreeRanks", {"gGhH", "hHgG", "hHgG"}},
                                                  {"BehindABarrier", {"gbGhH", "hHgbG"}},
                                                  {"BarrierFirst", {"bghGH", "hHbgG"}}};
  return programs;
}

const std::vector<StepsOfRanks>& waits_that_end() {
  static const std::vector<StepsOfRanks> programs{
      {"SameOrder", {"gGhH", "gGhH"}},          {"BothBegunFirst", {"ghGH", "hgHG"}},
      {"OneInterleaved", {"ghGH", "gGhH"}},     {"WaitedInAnotherOrder", {"ghGH", "ghHG"}},
      {"OneSideWaitsAtOnce", {"hgHG", "ghGH"}}, {"ThreeRanks", {"ghGH", "hgGH", "ghHG"}},
      {"BarrierBetween", {"gbGhH", "gbhHG"}}};
  return programs;
}

}  // namespace assay::test
