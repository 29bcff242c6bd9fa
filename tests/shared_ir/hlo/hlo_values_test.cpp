// Programs in HLO text against XLA itself: hlo_values/record.py drew them and ran XLA's CPU
// backend, whose values hlo_values.jsonl keeps. ASSAY_HLO_VALUES=FILE reads another file of that
// kind, and prints what was not judged, and why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "shared_ir/base/error.h"
#include "shared_ir/cast.h"
#include "shared_ir/import/hlo/hlo.h"
#include "shared_ir/lower/lower.h"
#include "shared_ir/operator_table/operator_table.h"
#include "shared_ir/reference/reference.h"
#include "tests/support/hlo_values.h"

namespace assay::test {
namespace {

constexpr double kExactIntegers = 0x1p53;  // in float64

struct Lowered {
  explicit Lowered(const std::string& text)
      : graph(HloModule::parse(text, "m.hlo.txt").graph(0, 1, groups)),
        program(lower(graph, groups, 0, operators())) {}

  static const OperatorTable& operators() {
    static const OperatorTable table = OperatorTable::builtin();
    return table;
  }

  const std::string& input(size_t i) const {
    return graph.tensors[static_cast<size_t>(graph.inputs[i])].name;
  }

  bool assumes(const std::string& words) const {
    return std::any_of(program.notes.begin(), program.notes.end(), [&](const std::string& note) {
      return note.find(words) != std::string::npos;
    });
  }

  // The operator that has no meaning here; empty where there is none.
  std::string opaque_part() const {
    for (const CoreOp& op : program.ops)
      if (op.prim == Prim::kOpaque && !op.fn.starts_with("literal") &&
          !op.fn.starts_with("constant"))
        return graph.nodes[static_cast<size_t>(op.origin)].op;
    return {};
  }

  std::vector<ReferenceTensor> run(const HloValues::Run& run) const {
    return evaluate({program}, {[&](Rank, const CoreOp& op) -> ReferenceTensor {
                                  const auto& tensor =
                                      graph.tensors[static_cast<size_t>(op.tensor)];
                                  return {op.shape, run.inputs.at(tensor.name)};
                                },
                                {}})
        .at(0);
  }

  Groups groups;
  Graph graph;
  CoreProgram program;
};

// What the inputs break of that on which the meaning rests; empty where it holds.
std::string broken(const Lowered& lowered, const std::vector<ReferenceTensor>& values) {
  const auto out_of = [](const ReferenceTensor& tensor, DType type) {
    const auto [low, high] = integer_range(type);
    return std::any_of(tensor.values.begin(), tensor.values.end(),
                       [&, low = low, high = high](double x) {
                         return !(std::trunc(x) >= static_cast<double>(low) &&
                                  std::trunc(x) <= static_cast<double>(high));
                       });
  };
  if (lowered.assumes("initial values of reductions"))
    return "an initial value that is not neutral";
  for (size_t i = 0; i < values.size(); ++i) {
    const CoreOp& op = lowered.program.ops[i];
    const auto operand_type = [&] {
      return lowered.program.ops[static_cast<size_t>(op.operands[0])].dtype;
    };
    if (op.prim == Prim::kOneHot)
      for (const double index : values[static_cast<size_t>(op.operands[0])].values)
        if (index < 0 || index >= static_cast<double>(op.shape.back()))
          return "an index beyond its table";
    if (op.prim == Prim::kCast && is_floating(op.dtype) && is_integer(operand_type()))
      for (const double x : values[i].values)
        if (std::abs(x) * machine_epsilon(op.dtype) > 2) return "an integer that is rounded";
    if (!is_integer(op.dtype)) continue;
    if (op.prim == Prim::kCast && is_floating(operand_type()) &&
        out_of(values[static_cast<size_t>(op.operands[0])], op.dtype))
      return "a floating number that no integer is";
    for (const double x : values[i].values)
      if (!(std::abs(x) <= kExactIntegers)) return "an integer beyond float64";
    if (lowered.assumes("do not wrap around") && out_of(values[i], op.dtype))
      return "an integer that wraps around";
  }
  return {};
}

// Whether a function is not defined at its operands: arithmetic on what it gives is none on real
// numbers.
bool infinite_on_the_way(const Lowered& lowered, const std::vector<ReferenceTensor>& values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (lowered.program.ops[i].prim == Prim::kMap &&
        !std::all_of(values[i].values.begin(), values[i].values.end(),
                     [](double x) { return std::isfinite(x); }))
      return true;
  return false;
}

std::string difference(const std::vector<double>& xla, const std::vector<double>& assay,
                       const std::string& type) {
  if (xla.size() != assay.size()) return "another number of elements";
  for (size_t i = 0; i < xla.size(); ++i)
    if (!same_hlo_value(xla[i], assay[i], type))
      return "element " + std::to_string(i) + " is " + std::to_string(xla[i]) + ", and here " +
             std::to_string(assay[i]);
  return {};
}

// What no line and no name of an instruction varies.
std::string reason_of(const UserError& error) {
  static const std::regex kOwn("[vpkt]?[0-9]+");
  return std::regex_replace(error.message(), kOwn, "_");
}

struct Tally {
  int judged = 0, opaque = 0, refused = 0, outside = 0;
  std::map<std::string, int> reasons;

  void judge(const HloValues& drawn) {
    const Lowered lowered(drawn.text);
    judge(lowered, drawn, drawn.text);
    if (drawn.twin.empty()) return;
    const Lowered twin(drawn.twin);
    HloValues other = drawn;  // the same numbers by the names of the twin's parameters
    for (size_t run = 0; run < drawn.runs.size(); ++run) {
      other.runs[run] = {{}, drawn.twin_values[run]};
      for (size_t i = 0; i < twin.graph.inputs.size(); ++i)
        other.runs[run].inputs[twin.input(i)] = drawn.runs[run].inputs.at(lowered.input(i));
    }
    judge(twin, other, drawn.twin);
  }

  void judge(const Lowered& lowered, const HloValues& drawn, const std::string& text) {
    if (const std::string part = lowered.opaque_part(); !part.empty()) {
      ++opaque;
      ++reasons["no meaning: " + part];
      return;
    }
    const CoreId result =
        lowered.program.value_of[static_cast<size_t>(lowered.graph.outputs.at(0))];
    for (const HloValues::Run& run : drawn.runs) {
      const std::vector<ReferenceTensor> values = lowered.run(run);
      if (const std::string why = broken(lowered, values); !why.empty()) {
        ++outside;
        ++reasons["outside: " + why];
        continue;
      }
      const std::string found =
          difference(run.values, values[static_cast<size_t>(result)].values, drawn.coarsest);
      if (!found.empty() && infinite_on_the_way(lowered, values)) {
        ++outside;
        ++reasons["outside: a function that is not defined"];
        continue;
      }
      EXPECT_EQ(found, "") << text << testing::PrintToString(run.inputs)
                           << testing::PrintToString(lowered.program.notes);
      ++judged;
    }
  }
};

TEST(HloValues, ProgramsMeanWhatXlaMakesOfThem) {
  Tally tally;
  for_each_hlo_values([&](const HloValues& drawn) {
    try {
      tally.judge(drawn);
    } catch (const UserError& error) {
      ++tally.refused;
      ++tally.reasons[reason_of(error)];
    }
  });
  EXPECT_GT(tally.judged, 2 * (tally.opaque + tally.refused + tally.outside));
  if (!hlo_values_asked()) return;
  printf("%d judged, %d outside of what is meant, %d without a meaning, %d refused\n", tally.judged,
         tally.outside, tally.opaque, tally.refused);
  for (const auto& [reason, count] : tally.reasons) printf("%6d %s\n", count, reason.c_str());
}

}  // namespace
}  // namespace assay::test
