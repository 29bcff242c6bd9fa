// Operators that are declared to write: whatever of their results a capture records, later reads
// see what `writes` says, or the program is refused at the operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared_ir/import/fx_json/fx_json.h"
#include "static_check/check.h"

namespace assay::test {
namespace {

using testing::HasSubstr;

constexpr const char* kWrittenOperands[] = {"a", "b", "c"};
constexpr int kWrittenFactors[] = {3, 5, 7};

/// own.wNrM: writes N operands, by a factor each, and returns M sums with the first.
std::string own_operator(size_t writes, size_t returns) {
  return fmt::format("own.w{}r{}.default", writes, returns);
}

OperatorTable declared_writes() {
  OperatorTable table = OperatorTable::builtin();
  for (size_t writes = 1; writes <= 3; ++writes) {
    for (size_t returns = 0; returns <= 2; ++returns) {
      std::string schema, body;
      for (size_t i = 0; i < writes; ++i) {
        schema += fmt::format("{}{}!", i == 0 ? "" : ", ", kWrittenOperands[i]);
        body += fmt::format("writes.{} = 'mul({}, {})'\n", kWrittenOperands[i], kWrittenOperands[i],
                            kWrittenFactors[i]);
      }
      if (returns == 1) body += "returns = 'add(a, 1)'\n";
      if (returns == 2) body += "returns = ['add(a, 1)', 'add(a, 2)']\n";
      table.add_text(
          fmt::format("[\"{}\"]\nschema = '{}'\n{}", own_operator(writes, returns), schema, body),
          "own.toml");
    }
  }
  table.add_text(R"(
["own.each.default"]
schema = 'a!'
writes.a = 'mul(a, 3)'
each = true
["own.mixed.default"]
schema = 'a!, b!'
writes.a = 'mul(a, 3)'
writes.b = 'mul(b, 5)'
each = true
["own.optional.default"]
schema = 'a!=none, b!'
writes.a = 'mul(b, 3)'
writes.b = 'mul(b, 5)'
)",
                 "lists.toml");
  return table;
}

/// fx-JSON, node by node.
class FxProgram {
 public:
  explicit FxProgram(bool functional = false) : functional_(functional) {
    add("placeholder", "x", "x", "", "", "6, 4");
  }
  static std::string node(const std::string& name) {
    return fmt::format(R"({{"node": "{}"}})", name);
  }

  std::string call(const std::string& name, const std::string& target, const std::string& args,
                   const std::string& shape, const std::string& kwargs = "") {
    add("call_function", name, target, args, kwargs, shape);
    return name;
  }
  std::string times(const std::string& name, const std::string& x, int factor,
                    const std::string& shape) {
    return call(name, "aten.mul.Tensor", fmt::format("{}, {}", node(x), factor), shape);
  }
  std::string rows(const std::string& name, const std::string& x, size_t start, size_t end) {
    return call(name, "aten.slice.Tensor", fmt::format("{}, 0, {}, {}", node(x), start, end),
                fmt::format("{}, 4", end - start));
  }
  void getitem(const std::string& name, const std::string& tuple, size_t index,
               const std::string& shape) {
    call(name, "operator.getitem", fmt::format("{}, {}", node(tuple), index), shape);
  }
  /// What the tensor holds here is an output, under the name of another.
  void read(const std::string& name, const std::string& x, const std::string& shape) {
    outputs_.push_back(call("read_" + name, "aten.relu.default", node(x), shape));
  }
  const std::vector<std::string>& outputs() const { return outputs_; }

  Graph graph() const {
    std::vector<std::string> results;
    for (const std::string& output : outputs_) results.push_back(node(output));
    return parse_fx_json(
        fmt::format(R"({{"format": "fx-json", "version": 1, "rank": 0{}, "nodes": [{}
{{"op": "output", "name": "output", "target": "output", "args": [[{}]], "kwargs": {{}}}}]}})",
                    functional_ ? R"(, "functional": true)" : "", text_, fmt::join(results, ", ")),
        "program.json");
  }

 private:
  void add(const char* op, const std::string& name, const std::string& target,
           const std::string& args, const std::string& kwargs, const std::string& shape) {
    const std::string value =
        shape.empty() ? ""
                      : fmt::format(R"(, "value": {{"dtype": "float32", "shape": [{}]}})", shape);
    text_ += fmt::format(
        R"({{"op": "{}", "name": "{}", "target": "{}", "args": [{}], "kwargs": {{{}}}{}}},)"
        "\n",
        op, name, target, args, kwargs, value);
  }

  bool functional_;
  std::string text_;
  std::vector<std::string> outputs_;
};

/// "proved", "unproved", or why it was refused.
std::string judged_writes(const FxProgram& sequential, const FxProgram& rank) {
  static const OperatorTable table = declared_writes();
  Case refinement;
  refinement.name = "writes";
  try {
    refinement.sequential = sequential.graph();
    refinement.ranks = {rank.graph()};
    refinement.inputs = {{"x", {parse_clean_expr("x@0", {})}, {}}};
    refinement.outputs = sequential.outputs();
    for (const std::string& output : refinement.outputs)
      refinement.expect.push_back({parse_clean_expr(output, {}, Leaves::kSequential),
                                   {parse_clean_expr(output + "@0", {})},
                                   {}});
    const Verdict verdict = static_check(refinement, table).report.verdict;
    return verdict == Verdict::kProved ? "proved" : "unproved";
  } catch (const UserError& error) {
    return error.what();
  }
}

enum class OperandLayout { kApart, kViews, kOverlapping, kSame };
enum class CallForm { kInPlace, kAutoFunctionalized, kFunctionalGraph };

/// One place of the grid: a call, and what is recorded of its results.
struct RecordedCall {
  size_t writes, returns;
  OperandLayout layout;
  CallForm form;
  bool as_value;                 // result 0, as the node's own
  std::vector<size_t> recorded;  // results

  bool in_place() const { return form == CallForm::kInPlace; }
  std::string shape() const {
    return layout == OperandLayout::kApart || layout == OperandLayout::kSame ? "6, 4" : "2, 4";
  }

  std::vector<std::string> operands(FxProgram& p) const {
    std::vector<std::string> made;
    if (layout != OperandLayout::kApart) p.times("buffer", "x", 2, "6, 4");
    for (size_t i = 0; i < writes; ++i) {
      const std::string name = fmt::format("v{}", i);
      if (layout == OperandLayout::kSame) made.emplace_back("buffer");
      if (layout == OperandLayout::kApart)
        made.push_back(p.times(name, "x", static_cast<int>(i) + 2, shape()));
      if (layout == OperandLayout::kViews) made.push_back(p.rows(name, "buffer", 2 * i, 2 * i + 2));
      if (layout == OperandLayout::kOverlapping) made.push_back(p.rows(name, "buffer", i, i + 2));
    }
    return made;
  }

  /// Number of results, and of the first that is what was written.
  size_t first_written() const {
    return form == CallForm::kAutoFunctionalized ? std::max<size_t>(returns, 1) : returns;
  }
  bool is_result(size_t i) const {
    if (i < returns) return true;
    if (in_place()) return returns == 0 && writes == 1 && i == 0;  // what it wrote
    return i >= first_written() && i < first_written() + writes;
  }
  bool is_refused() const {
    const bool entangled = layout == OperandLayout::kOverlapping || layout == OperandLayout::kSame;
    if (in_place() && writes > 1 && entangled) return true;
    return !std::ranges::all_of(recorded, [&](size_t i) { return is_result(i); });
  }

  FxProgram program() const {
    FxProgram p(form == CallForm::kFunctionalGraph);
    const std::vector<std::string> given = operands(p);
    std::vector<std::string> args, kwargs;
    for (size_t i = 0; i < writes; ++i) {
      args.push_back(FxProgram::node(given[i]));
      kwargs.push_back(fmt::format("\"{}\": {}", kWrittenOperands[i], args.back()));
    }
    const std::string op = own_operator(writes, returns), value = as_value ? shape() : "";
    if (form == CallForm::kAutoFunctionalized)
      p.call("call", "auto_functionalized", fmt::format("\"{}\"", op), value,
             fmt::format("{}", fmt::join(kwargs, ", ")));
    else
      p.call("call", op, fmt::format("{}", fmt::join(args, ", ")), value);
    for (const size_t i : recorded)
      if (!as_value) p.getitem(name_of(i), "call", i, shape());
    read_all(p, given, given);
    return p;
  }

  /// The same without writes; `wrong`: the last that is read is written where it is not, or is not.
  FxProgram meaning(bool wrong) const {
    FxProgram p;
    const std::vector<std::string> given = operands(p);
    std::vector<std::string> after = given, written;
    for (size_t i = 0; i < writes; ++i) {
      written.push_back(p.times(fmt::format("w{}", i), given[i], kWrittenFactors[i], shape()));
      if (in_place() != (wrong && i + 1 == read())) after[i] = written[i];
    }
    for (const size_t i : recorded) {
      const std::string name = name_of(i);
      if (i < returns)
        p.call(name, "aten.add.Scalar", fmt::format("{}, {}", FxProgram::node(given[0]), i + 1),
               shape());
      else if (is_result(i))
        p.times(name, written[in_place() ? 0 : i - first_written()], 1, shape());
      else
        p.times(name, given[0], 1, shape());
    }
    read_all(p, given, after);
    return p;
  }

 private:
  /// Different operands.
  size_t read() const { return layout == OperandLayout::kSame ? 1 : writes; }
  std::string name_of(size_t result) const {
    return as_value ? "call" : fmt::format("result{}", result);
  }

  void read_all(FxProgram& p, const std::vector<std::string>& given,
                const std::vector<std::string>& after) const {
    for (const size_t i : recorded) p.read(name_of(i), name_of(i), shape());
    for (size_t i = 0; i < read(); ++i) p.read(given[i], after[i], shape());
  }
};

std::vector<RecordedCall> recorded_calls() {
  std::vector<RecordedCall> calls;
  for (const size_t writes : {1, 2, 3})
    for (const size_t returns : {0, 1, 2})
      for (const OperandLayout layout : {OperandLayout::kApart, OperandLayout::kViews,
                                         OperandLayout::kOverlapping, OperandLayout::kSame})
        for (const CallForm form :
             {CallForm::kInPlace, CallForm::kAutoFunctionalized, CallForm::kFunctionalGraph})
          for (const std::vector<size_t>& recorded :
               std::vector<std::vector<size_t>>{{}, {0}, {1}, {0, 1}, {2}, {1, 3}, {0, 1, 2, 3}})
            for (const bool as_value : {false, true})
              if (!as_value || recorded == std::vector<size_t>{0})
                calls.push_back({writes, returns, layout, form, as_value, recorded});
  return calls;
}

std::string to_string(const RecordedCall& call) {
  return fmt::format("{} {} layout {} form {} {} of results {}", call.writes, call.returns,
                     static_cast<int>(call.layout), static_cast<int>(call.form),
                     call.as_value ? "value" : "getitems", fmt::join(call.recorded, ","));
}

TEST(DeclaredWrites, AreSeenWhateverIsRecordedOfResultsOrRefused) {
  size_t seen = 0, refused = 0;
  for (const RecordedCall& call : recorded_calls()) {
    SCOPED_TRACE(to_string(call));
    const FxProgram program = call.program();
    const std::string right = judged_writes(call.meaning(false), program);
    if (call.is_refused()) {
      ++refused;
      EXPECT_THAT(right, HasSubstr("(" + own_operator(call.writes, call.returns) + "): "));
      continue;
    }
    ++seen;
    EXPECT_EQ(right, "proved");
    EXPECT_EQ(judged_writes(call.meaning(true), program), "unproved");
  }
  EXPECT_GT(seen, 100u);
  EXPECT_GT(refused, 100u);
}

/// A call of `op` on x * 2 and x * 4, and what both hold afterwards.
FxProgram of_two(const std::string& op, const std::string& args, const std::string& results = "") {
  FxProgram p;
  p.times("u", "x", 2, "6, 4");
  p.times("v", "x", 4, "6, 4");
  p.call("call", op, args, "");
  for (const char result : results)
    p.getitem(fmt::format("result{}", result), "call", static_cast<size_t>(result - '0'), "6, 4");
  for (const char result : results)
    p.read(fmt::format("result{}", result), fmt::format("result{}", result), "6, 4");
  for (const char* name : {"u", "v"}) p.read(name, name, "6, 4");
  return p;
}

/// x times each: what results and then both operands are.
FxProgram multiples(std::vector<int> factors, const std::string& results = "") {
  FxProgram p;
  std::vector<std::string> names;
  for (const char result : results) names.push_back(fmt::format("result{}", result));
  names.insert(names.end(), {"u", "v"});
  for (size_t i = 0; i < names.size(); ++i)
    p.read(names[i], p.times("made" + names[i], "x", factors[i], "6, 4"), "6, 4");
  return p;
}

constexpr const char* kBoth = R"([{"node": "u"}, {"node": "v"}])";

TEST(DeclaredWrites, OfElementsAreResultsOneByOne) {
  const FxProgram program = of_two("own.each.default", kBoth, "01");
  EXPECT_EQ(judged_writes(multiples({6, 12, 6, 12}, "01"), program), "proved");
  EXPECT_EQ(judged_writes(multiples({6, 6, 6, 12}, "01"), program), "unproved");
  EXPECT_THAT(judged_writes(multiples({6, 6, 12}, "2"), of_two("own.each.default", kBoth, "2")),
              HasSubstr("own.each.default"));
}

TEST(DeclaredWrites, OfAListAreOfItsElementsAlone) {
  for (const char* op : {"own.w1r0.default", "own.mixed.default"}) {
    const std::string more = std::string(op) == "own.mixed.default" ? R"(, {"node": "v"})" : "";
    const std::string list = more.empty() ? kBoth : R"([{"node": "u"}, {"node": "u"}])";
    EXPECT_THAT(judged_writes(multiples({6, 12}), of_two(op, list + more)), HasSubstr(op));
  }
}

TEST(DeclaredWrites, OfAnOperandThatIsNotGivenAreNotThoseOfTheNext) {
  const FxProgram program = of_two("own.optional.default", R"(null, {"node": "u"})");
  EXPECT_EQ(judged_writes(multiples({10, 4}), program), "proved");
  EXPECT_EQ(judged_writes(multiples({6, 4}), program), "unproved");
  const FxProgram both = of_two("own.optional.default", R"({"node": "v"}, {"node": "u"})");
  EXPECT_EQ(judged_writes(multiples({10, 6}), both), "proved");
}

TEST(DeclaredWrites, OfBasesAreListedInTheOrderOfTheSchema) {
  const auto program = [](const std::string& first, const std::string& second) {
    FxProgram p;
    p.times("u", "x", 2, "6, 4");
    p.times("v", "x", 4, "6, 4");
    p.call("call", "auto_functionalized_v2", R"("own.w2r0.default")", "",
           fmt::format(R"("_{}_base_index": 0, "_{}_base_index": 1, "_all_bases": {})", first,
                       second, kBoth));
    p.getitem("result1", "call", 1, "6, 4");
    p.read("result1", "result1", "6, 4");
    for (const char* name : {"u", "v"}) p.read(name, name, "6, 4");
    return p;
  };
  EXPECT_EQ(judged_writes(multiples({6, 2, 4}, "1"), program("a", "b")), "proved");
  EXPECT_EQ(judged_writes(multiples({10, 2, 4}, "1"), program("a", "b")), "unproved");
  EXPECT_THAT(judged_writes(multiples({12, 2, 4}, "1"), program("b", "a")),
              HasSubstr("own.w2r0.default"));
}

}  // namespace
}  // namespace assay::test
