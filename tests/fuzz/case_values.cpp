#include "tests/fuzz/case_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "shared_ir/lower/lower.h"
#include "shared_ir/reference/reference.h"

namespace assay::test {
namespace {

using Values = std::map<std::pair<Rank, std::string>, ReferenceTensor>;  // sequential: rank kNone

// Eighths: sums of few are exact, so that comparisons of equal numbers are equal.
double element(const Placed& input, std::mt19937_64& random) {
  if (is_bool(input.dtype)) return static_cast<double>(random() % 2);
  if (input.below > 0) return static_cast<double>(random() % static_cast<uint64_t>(input.below));
  if (is_integer(input.dtype)) return static_cast<double>(random() % 7) - 3;
  return (static_cast<double>(random() % 33) - 16) / 8;
}

CleanExpr sliced(CleanExpr operand, size_t dim, int64_t start, int64_t end) {
  CleanExpr expr;
  expr.kind = CleanExpr::Kind::kSlice;
  expr.dim = static_cast<int64_t>(dim);
  expr.start = start;
  expr.end = end;
  expr.operands.push_back(std::move(operand));
  return expr;
}

class Running {
 public:
  Running(const RandomCase& drawn, uint64_t seed) : case_(drawn.refinement), random_(seed) {
    for (size_t i = 0; i < drawn.inputs.size(); ++i) {
      const Placed& input = drawn.inputs[i];
      ReferenceTensor value{input.shape, {}};
      for (int64_t left = element_count(input.shape); left > 0; --left)
        value.values.push_back(element(input, random_));
      const Relation& relation = case_.inputs[i];
      for (const CleanExpr& replica : relation.replicas) assign(replica, value);
      inputs_[{kNone, relation.tensor}] = std::move(value);
    }
    const OperatorTable& operators = table();
    sequential_ = {lower(case_.sequential, case_.sequential_groups, 0, operators)};
    for (size_t r = 0; r < case_.ranks.size(); ++r)
      ranks_.push_back(
          lower(case_.ranks[r], case_.distributed_groups, static_cast<Rank>(r), operators));
  }

  static const OperatorTable& table() {
    static const OperatorTable operators = OperatorTable::builtin();
    return operators;
  }

  std::string run(const StaticResult& result) {
    auto sequential = evaluate(sequential_, sources(true))[0];
    double scale = 1;
    for (const ReferenceTensor& tensor : sequential)
      for (const double value : tensor.values) {
        if (!std::isfinite(value) || std::abs(value) > 1e9) return {};
        scale = std::max(scale, std::abs(value));
      }
    const auto assumes = [&](const std::string& what) {
      return std::ranges::any_of(result.report.assumptions, [&](const std::string& assumption) {
        return assumption.starts_with(what);
      });
    };
    if (assumes("indices of") && leaves_a_table(sequential_[0], sequential)) return {};
    auto ranks = evaluate(ranks_, sources(false));
    std::vector<std::vector<ReferenceTensor>> whole{std::move(sequential)};
    leave_out_turned(sequential_, whole);
    sequential = std::move(whole[0]);
    leave_out_turned(ranks_, ranks);
    // A proof may rest on the ranks' partial functions being defined where they are called.
    domains_ = assumes("domains:");
    if (domains_)
      for (size_t r = 0; r < ranks.size(); ++r) undefine(ranks_[r], ranks[r]);
    const auto of_sequential = [&](const std::string& name, Rank) {
      const auto id = static_cast<size_t>(case_.sequential.find(name));
      return sequential[static_cast<size_t>(sequential_[0].value_of[id])];
    };
    const auto of_rank = [&](const std::string& name, Rank rank) {
      const auto r = static_cast<size_t>(rank);
      const auto id = static_cast<size_t>(case_.ranks[r].find(name));
      return ranks[r][static_cast<size_t>(ranks_[r].value_of[id])];
    };
    for (const Certificate::Covered& covered : result.certificate.relations)
      for (const CleanExpr& replica : covered.replicas) {
        const std::string found =
            compare(of_sequential(covered.tensor, 0), evaluate(replica, of_rank), scale);
        if (!found.empty()) return covered.tensor + " = " + to_string(replica) + ": " + found;
      }
    if (result.report.verdict != Verdict::kProved) return {};
    for (const Expectation& expectation : case_.expect)
      for (const CleanExpr& replica : expectation.replicas) {
        const std::string found = compare(evaluate(expectation.sequential, of_sequential),
                                          evaluate(replica, of_rank), scale);
        if (!found.empty()) return "expected " + to_string(replica) + ": " + found;
      }
    return {};
  }

 private:
  static constexpr double kTurned = 1e300;

  static bool is_turned(double value) { return std::isfinite(value) && std::abs(value) > 1e250; }

  // Indices that lowering names beside the rows are no rows.
  static bool leaves_a_table(const CoreProgram& program,
                             const std::vector<ReferenceTensor>& values) {
    return std::ranges::any_of(program.ops, [&](const CoreOp& op) {
      if (op.prim != Prim::kOneHot) return false;
      const auto lies_in = [&](double index) {
        return (index >= 0 && index < static_cast<double>(op.shape.back())) ||
               std::ranges::any_of(
                   op.ints, [&](const auto& other) { return index == static_cast<double>(other); });
      };
      const auto& indices = values[static_cast<size_t>(op.operands[0])].values;
      return !std::ranges::all_of(indices, lies_in);
    });
  }

  // Reads a number that rounding alone moved away from where a comparison or a whole number turns:
  // a proof says what it is without rounding.
  static bool turns_by_rounding(const CoreProgram& program, const CoreOp& op,
                                const std::vector<ReferenceTensor>& values) {
    static const std::set<std::string> kCompares{"lt", "le", "gt", "ge", "eq", "ne"},
        kSteps{"floor", "ceil", "trunc", "round", "sign"};
    const auto nearly = [](double x, double y) {
      return x != y && std::abs(x - y) <= 1e-9 * std::max({1.0, std::abs(x), std::abs(y)});
    };
    const auto operand = [&](size_t i) -> const ReferenceTensor& {
      return values[static_cast<size_t>(op.operands[i])];
    };
    if (op.operands.empty() || !is_floating(program.ops[static_cast<size_t>(op.operands[0])].dtype))
      return false;
    const bool map = op.prim == Prim::kMap;
    const bool whole =
        (op.prim == Prim::kCast && !is_floating(op.dtype)) || (map && kSteps.contains(op.fn));
    for (size_t i = 0; i < operand(0).values.size(); ++i) {
      const double x = operand(0).values[i];
      if (whole && nearly(x, std::round(x))) return true;
      if (map && kCompares.contains(op.fn) && nearly(x, operand(1).values[i])) return true;
    }
    return false;
  }

  // What turns, and what is made of it, is not compared: it becomes so large that sums and
  // multiples of it are seen to be. What a collective gives may be made of what any rank has.
  static void leave_out_turned(const std::vector<CoreProgram>& programs,
                               std::vector<std::vector<ReferenceTensor>>& values) {
    bool some = false;
    std::vector<std::vector<bool>> turned(programs.size());
    const auto spread = [&](bool collectives) {
      for (size_t p = 0; p < programs.size(); ++p) {
        turned[p].resize(programs[p].ops.size());
        for (size_t i = 0; i < values[p].size(); ++i) {
          const CoreOp& op = programs[p].ops[i];
          turned[p][i] = turned[p][i] || turns_by_rounding(programs[p], op, values[p]) ||
                         (collectives && op.prim == Prim::kCollective) ||
                         std::ranges::any_of(op.operands, [&](CoreId operand) {
                           return turned[p][static_cast<size_t>(operand)];
                         });
          some = some || turned[p][i];
        }
      }
    };
    spread(false);
    if (some) spread(true);
    for (size_t p = 0; p < programs.size(); ++p)
      for (size_t i = 0; i < values[p].size(); ++i)
        if (turned[p][i]) std::ranges::fill(values[p][i].values, kTurned);
  }

  // Integers and flags read off what is not finite are not defined either, nor what is made of
  // them.
  static void undefine(const CoreProgram& program, std::vector<ReferenceTensor>& values) {
    std::vector<bool> undefined(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const CoreOp& op = program.ops[i];
      undefined[i] = std::ranges::any_of(op.operands, [&](CoreId operand) {
        const auto of = static_cast<size_t>(operand);
        return undefined[of] ||
               (!is_floating(op.dtype) &&
                std::ranges::any_of(values[of].values, [](double x) { return !std::isfinite(x); }));
      });
      if (undefined[i])
        std::ranges::fill(values[i].values, std::numeric_limits<double>::quiet_NaN());
    }
  }

  Shape shape_of(const CleanExpr& expr) const {
    return infer_shape(expr,
                       [&](const std::string& name, Rank rank) {
                         const Graph& graph = case_.ranks[static_cast<size_t>(rank)];
                         return graph.tensors[static_cast<size_t>(graph.find(name))].shape;
                       },
                       {});
  }

  // Gives the leaves of the expression values that make it that one.
  void assign(const CleanExpr& expr, const ReferenceTensor& value) {
    const auto of = [&](const std::string&, Rank) { return value; };
    CleanExpr whole;
    whole.name = "whole";
    if (expr.kind == CleanExpr::Kind::kTensor) {
      inputs_[{expr.rank, expr.name}] = value;
    } else if (expr.kind == CleanExpr::Kind::kConcat) {
      int64_t start = 0;
      for (const CleanExpr& part : expr.operands) {
        const int64_t end = start + shape_of(part)[static_cast<size_t>(expr.dim)];
        assign(part, evaluate(sliced(whole, static_cast<size_t>(expr.dim), start, end), of));
        start = end;
      }
    } else {
      ReferenceTensor left = value;
      for (size_t i = 1; i < expr.operands.size(); ++i) {
        ReferenceTensor part = value;
        for (size_t e = 0; e < part.values.size(); ++e) {
          part.values[e] = (static_cast<double>(random_() % 33) - 16) / 8;
          left.values[e] -= part.values[e];
        }
        assign(expr.operands[i], part);
      }
      assign(expr.operands[0], left);
    }
  }

  ReferenceSources sources(bool sequential) const {
    ReferenceSources made;
    made.input = [this, sequential](Rank rank, const CoreOp& op) {
      const Graph& graph = sequential ? case_.sequential : case_.ranks[static_cast<size_t>(rank)];
      return inputs_.at(
          {sequential ? kNone : rank, graph.tensors[static_cast<size_t>(op.tensor)].name});
    };
    return made;
  }

  std::string compare(const ReferenceTensor& wanted, const ReferenceTensor& found,
                      double scale) const {
    if (wanted.shape != found.shape)
      return to_string(wanted.shape) + " is compared with " + to_string(found.shape);
    for (size_t i = 0; i < wanted.values.size(); ++i) {
      if (std::abs(wanted.values[i] - found.values[i]) <= 1e-6 * scale) continue;
      if (domains_ && !std::isfinite(found.values[i])) continue;
      if (is_turned(wanted.values[i]) || is_turned(found.values[i])) continue;
      return fmt::format("element {} is {}, and {} on the ranks", i, wanted.values[i],
                         found.values[i]);
    }
    return {};
  }

  const Case& case_;
  std::mt19937_64 random_;
  Values inputs_;
  bool domains_ = false;
  std::vector<CoreProgram> sequential_, ranks_;
};

}  // namespace

std::string difference_of(const RandomCase& drawn, const StaticResult& result, uint64_t seed) {
  return Running(drawn, seed).run(result);
}

}  // namespace assay::test
