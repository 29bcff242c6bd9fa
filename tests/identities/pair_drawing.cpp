#include "tests/identities/pair_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace assay::test {
namespace {

using Kind = PairFormula::Kind;

constexpr char kRows[] = "b";  // sizes of this name are of dimensions that nothing mixes

class Drawing {
 public:
  Drawing(const IdentityTable& table, uint64_t seed)
      : table_(table), random_(seed * 0x9E3779B97F4A7C15ull + 1) {}

  PairProgram draw(size_t first) {
    const bool several = below(3) == 0;
    size_t count = 1 + (below(2) == 0 ? 0 : below(3));
    program_.ranks = several || table_.identities[first].of_ranks ? 2 : 1;
    for (size_t i = 0; i < count; ++i) {
      // The first one of the table is anywhere among them.
      const size_t left = count - i;
      const bool now = first != kNoIdentity && below(left) == 0;
      size_t which = now ? first : below(table_.identities.size());
      if (now) first = kNoIdentity;
      if (table_.identities[which].of_ranks && program_.ranks == 1) {
        if (!now) continue;
      }
      try {
        add(table_.identities[which]);
      } catch (const UserError& error) {
        throw UserError({}, table_.identities[which].name + ": " + error.what());
      }
    }
    if (below(3) == 0) add_context();
    for (const PairStep& step : program_.steps)
      if (!used_.contains(step.name)) program_.outputs.push_back(step.name);
    return std::move(program_);
  }

 private:
  static constexpr size_t kNoIdentity = ~size_t{0};

  size_t below(size_t limit) { return random_() % limit; }

  PairFormula size(const std::string& letter) {
    if (letter == "R") return number_of(program_.ranks);
    const auto [found, first] = sizes_.try_emplace(letter, 0);
    if (first) {
      found->second = 2 + static_cast<int64_t>(below(3));
      if (letter == kRows) found->second = program_.ranks * (1 + static_cast<int64_t>(below(2)));
    }
    return number_of(static_cast<double>(found->second));
  }

  Shape shape(const IdentityOperand& operand) {
    Shape shape;
    for (const PairFormula& dim : operand.shape)
      shape.push_back(static_cast<int64_t>(folded(substituted(dim, [&](const std::string& letter) {
                                             return size(letter);
                                           })).number));
    return shape;
  }

  std::string name(const char* prefix) { return fmt::format("{}{}", prefix, names_++); }

  std::string input(const Shape& shape, DType dtype = DType::kFloat32) {
    program_.inputs.push_back({name("x"), shape, dtype});
    return program_.inputs.back().name;
  }

  // The same on both sides.
  std::string step(const PairFormula& formula) {
    program_.steps.push_back({name("t"), formula, formula, ""});
    return program_.steps.back().name;
  }

  PairFormula use(const std::string& of) {
    used_.insert(of);
    return named(of);
  }

  // A tensor of that shape: an input, or something of what there is.
  std::string real(const Shape& shape) {
    std::vector<std::string> results;
    if (below(2) == 0 && !program_.steps.empty())
      for (const auto& [of, type] : types_of(program_, table_))
        if (is_floating(type.dtype)) results.push_back(of);
    const std::string fresh = input(shape);
    if (!results.empty()) {
      const std::string& of = results[below(results.size())];
      const TensorType type = types_of(program_, table_).at(of);
      if (type.shape == shape && below(2) == 0) return of;
      PairFormula result = use(of);
      if (type.shape != shape) result = call_of("mean_all", {std::move(result)});
      return step(call_of(below(2) == 0 ? "add" : "mul", {use(fresh), std::move(result)}));
    }
    switch (below(8)) {
      case 0:
        return step(call_of("mul", {use(fresh), number_of(0.5)}));
      case 1:
        return step(call_of("add", {use(fresh), use(input(shape))}));
      case 2:
        return step(call_of("mul", {use(fresh), use(input(shape))}));
      case 3:
        return step(call_of("sub", {number_of(1), use(fresh)}));
      default:
        return fresh;
    }
  }

  std::string operand(const IdentityOperand& of) {
    const Shape dims = shape(of);
    if (of.kind == "index") return input(dims, DType::kInt64);
    if (of.kind == "mask") {
      if (below(2) == 0) return input(dims, DType::kBool);
      return step(call_of("gt", {use(real(dims)), number_of(0)}));
    }
    const std::string x = real(dims);
    if (of.kind == "real") return x;
    const PairFormula value = use(x);
    if (of.kind == "small") return step(call_of("mul", {call_of("tanh", {value}), number_of(0.5)}));
    if (of.kind == "unit") return step(call_of("sigmoid", {value}));
    if (of.kind == "probability") return step(call_of("softmax", {value, number_of(-1)}));
    switch (below(4)) {
      case 0:
        return step(call_of("exp", {value}));
      case 1:
        return step(call_of("sigmoid", {value}));
      default:
        return step(call_of("add", {call_of("mul", {value, value}), number_of(0.5)}));
    }
  }

  void add(const PairIdentity& identity) {
    sizes_.clear();
    std::map<std::string, std::string> operands;
    std::set<std::string> rows;  // of operands whose rows the identity does not mix
    const size_t before = program_.inputs.size();
    for (const IdentityOperand& of : identity.operands) {
      operands[of.name] = operand(of);
      if (!of.shape.empty() && of.shape[0].name == kRows) rows.insert(of.name);
    }
    const auto bound = [&](const PairFormula& formula) {
      return folded(substituted(formula, [&](const std::string& of) {
        if (const auto found = operands.find(of); found != operands.end())
          return use(found->second);
        const bool letter = of.size() == 1;
        return letter ? size(of) : named(of);
      }));
    };
    const bool swapped = !identity.of_ranks && below(2) == 0;
    const PairFormula& left = swapped ? identity.right : identity.left;
    const PairFormula& right = swapped ? identity.left : identity.right;
    PairStep made{name("t"), bound(left), bound(right), identity.name};
    if (!identity.of_ranks && program_.ranks > 1 && !rows.empty() && below(2) == 0 &&
        has_whole_rows(made)) {
      int64_t& count = sizes_[kRows];
      count /= program_.ranks;
      by_rows(made, bound(right), operands, rows);
      count *= program_.ranks;
    }
    program_.steps.push_back(made);
    shard_inputs(before, made.name);
  }

  bool has_whole_rows(const PairStep& made) {
    program_.steps.push_back(made);
    const Shape shape = types_of(program_, table_).at(made.name).shape;
    program_.steps.pop_back();
    return !shape.empty() && sizes_[kRows] == shape[0];
  }

  // Each rank computes its rows: `right`, of as many as it has.
  static void by_rows(PairStep& made, const PairFormula& right,
                      const std::map<std::string, std::string>& operands,
                      const std::set<std::string>& rows) {
    std::set<std::string> split;
    for (const std::string& of : rows) split.insert(operands.at(of));
    const PairFormula of_rows = substituted(right, [&](const std::string& of) {
      return split.contains(of) ? call_of("part", {named(of), number_of(0)}) : named(of);
    });
    made.right = call_of("all_gather", {of_rows, number_of(0)});
  }

  // Inputs of which ranks use parts alone may be in parts.
  void shard_inputs(size_t first, const std::string& user) {
    for (size_t i = first; i < program_.inputs.size(); ++i) {
      PairInput& input = program_.inputs[i];
      std::set<int64_t> dims;
      bool whole = false;
      const std::function<void(const PairFormula&)> look = [&](const PairFormula& formula) {
        if (formula.is_call("part") && formula.operands[0].kind == Kind::kName &&
            formula.operands[0].name == input.name) {
          dims.insert(static_cast<int64_t>(formula.operands[1].number));
          return;
        }
        whole |= formula.kind == Kind::kName && formula.name == input.name;
        for (const PairFormula& operand : formula.operands) look(operand);
      };
      for (const PairStep& step : program_.steps) look(step.right);
      if (whole || dims.size() != 1 || below(2) == 0) continue;
      input.sharded = *dims.begin();
      for (PairStep& step : program_.steps)
        if (step.name == user) step.right = without_parts(step.right, input.name);
    }
  }

  static PairFormula without_parts(PairFormula formula, const std::string& of) {
    if (formula.is_call("part") && formula.operands[0].name == of) return formula.operands[0];
    for (PairFormula& operand : formula.operands) operand = without_parts(std::move(operand), of);
    return formula;
  }

  // Something of the last result.
  void add_context() {
    if (program_.steps.empty()) return;
    const std::string last = program_.steps.back().name;
    const TensorType type = types_of(program_, table_).at(last);
    if (!is_floating(type.dtype)) return;
    switch (below(4)) {
      case 0:
        step(call_of("tanh", {use(last)}));
        return;
      case 1:
        step(call_of("mul", {use(last), use(last)}));
        return;
      case 2:
        step(call_of("sum_all", {use(last)}));
        return;
      default:
        step(call_of("mul", {use(last), use(input(type.shape))}));
    }
  }

  const IdentityTable& table_;
  std::mt19937_64 random_;
  PairProgram program_;
  std::map<std::string, int64_t> sizes_;
  std::set<std::string> used_;
  int names_ = 0;
};

}  // namespace

PairProgram draw_pair(const IdentityTable& table, uint64_t seed) {
  return Drawing(table, seed).draw(seed % table.identities.size());
}

}  // namespace assay::test
