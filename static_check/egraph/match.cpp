#include "static_check/egraph/match.h"

#include <algorithm>

#include "shared_ir/symbolic/integer.h"

namespace assay {
namespace {

std::vector<std::string> as_list(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

int32_t position_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<int32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
}

// What a side fixes when it is matched.
std::set<std::string> bound_by(const Formula& side) {
  Lemma alone;
  alone.left = alone.right = side;
  std::set<std::string> names = variables_of(alone);
  for (const std::string& dim : dims_of(alone)) names.insert("[" + dim);
  return names;
}

}  // namespace

Rule::Rule(const Lemma& lemma, int32_t position, bool forward)
    : lemma_(&lemma),
      position_(position),
      forward_(forward),
      variables_(as_list(variables_of(lemma))),
      dims_(as_list(dims_of(lemma))) {
  const Formula& from = forward ? lemma.left : lemma.right;
  const Formula& to = forward ? lemma.right : lemma.left;
  pattern_ = compile(from, nodes_);
  int32_t others = 0;
  replacement_ = compile(to, others);
  usable_ = from.kind == Formula::Kind::kCall &&
            bound_by(from).size() == variables_.size() + dims_.size();
}

Rule::Pattern Rule::compile(const Formula& formula, int32_t& nodes) const {
  Pattern result;
  if (formula.kind == Formula::Kind::kVariable) {
    result.variable = position_in(variables_, formula.name);
    return result;
  }
  result.symbol = formula;
  result.symbol.operands.clear();
  result.node = nodes++;
  if (!formula.dim.empty()) result.dim = position_in(dims_, formula.dim);
  for (const Formula& operand : formula.operands)
    result.operands.push_back(compile(operand, nodes));
  return result;
}

// Goes through the ways to match, depth first. What is still to be matched is a list on the stack
// of the calls, so that a match allocates nothing before it is complete.
class Rule::Matcher {
 public:
  Matcher(const Rule& rule, const EGraph& graph, size_t limit, Int visits)
      : rule_(rule),
        graph_(graph),
        limit_(limit),
        visits_(visits),
        symbols_(static_cast<size_t>(rule.nodes_), kNone) {
    missing_ = !resolve(rule.pattern_);
  }

  Matches run() {
    if (missing_) return {};
    for (TermId term = 0; static_cast<size_t>(term) < graph_.size(); ++term) {
      if (graph_.find(term) != term) continue;
      so_far_ = {term, std::vector<TermId>(rule_.variables_.size(), kNone),
                 std::vector<DimId>(rule_.dims_.size(), kNone)};
      if (!match(rule_.pattern_, term, nullptr)) {
        result_.all = false;
        break;
      }
    }
    return std::move(result_);
  }

 private:
  // The operands of `term` from `next` on, and then the rest of what is outside of it.
  struct Left {
    const Pattern* pattern;
    TermId term;
    size_t next;
    const Left* outside;
  };

  // False where no term of the graph has one of the symbols.
  bool resolve(const Pattern& pattern) {
    if (pattern.variable != kNone) return true;
    const SymbolId symbol = graph_.find_symbol(pattern.symbol);
    symbols_[static_cast<size_t>(pattern.node)] = symbol;
    return symbol != kNone && std::all_of(pattern.operands.begin(), pattern.operands.end(),
                                          [&](const Pattern& operand) { return resolve(operand); });
  }

  // False when a bound was reached.
  bool match(const Pattern& pattern, TermId term, const Left* left) {
    if (pattern.variable != kNone) {
      TermId& bound = so_far_.variables[static_cast<size_t>(pattern.variable)];
      if (bound != kNone) return !graph_.same(bound, term) || go_on(left);
      bound = term;
      const bool more = go_on(left);
      bound = kNone;
      return more;
    }
    const auto& members = graph_.members(graph_.find(term));
    visits_ -= static_cast<Int>(members.size());
    if (visits_ < 0) return false;
    const SymbolId symbol = symbols_[static_cast<size_t>(pattern.node)];
    for (const TermId member : members) {
      const EGraph::Term& made = graph_.term(member);
      if (made.symbol == symbol && !match_call(pattern, made.dim, {&pattern, member, 0, left}))
        return false;
    }
    return true;
  }

  bool match_call(const Pattern& pattern, DimId made, const Left& operands) {
    if (pattern.dim == kNone) return go_on(&operands);
    DimId& dim = so_far_.dims[static_cast<size_t>(pattern.dim)];
    const DimId before = dim;
    if (before != made) {
      // Another dimension of the lemma is another dimension of the terms.
      const bool taken =
          std::find(so_far_.dims.begin(), so_far_.dims.end(), made) != so_far_.dims.end();
      if (before != kNone || taken) return true;
    }
    dim = made;
    const bool more = go_on(&operands);
    dim = before;
    return more;
  }

  bool go_on(const Left* left) {
    while (left != nullptr && left->next == left->pattern->operands.size()) left = left->outside;
    if (left == nullptr) {
      if (result_.found.size() == limit_) return false;
      result_.found.push_back(so_far_);
      return true;
    }
    const Left rest{left->pattern, left->term, left->next + 1, left->outside};
    return match(left->pattern->operands[left->next], graph_.operands(left->term)[left->next],
                 &rest);
  }

  const Rule& rule_;
  const EGraph& graph_;
  const size_t limit_;
  Int visits_;
  std::vector<SymbolId> symbols_;  // of the rule's calls in this graph
  bool missing_ = false;
  Match so_far_{};
  Matches result_;
};

Rule::Matches Rule::matches(const EGraph& graph, size_t limit, Int visits) const {
  return Matcher(*this, graph, limit, visits).run();
}

TermId Rule::add(EGraph& graph, const Pattern& pattern, const Match& match) const {
  if (pattern.variable != kNone) return match.variables[static_cast<size_t>(pattern.variable)];
  std::vector<TermId> operands;
  for (const Pattern& operand : pattern.operands) operands.push_back(add(graph, operand, match));
  const DimId dim = pattern.dim == kNone ? kNone : match.dims[static_cast<size_t>(pattern.dim)];
  return graph.add(graph.symbol(pattern.symbol), dim, operands);
}

size_t Rule::slot(const std::string& variable) const {
  return static_cast<size_t>(position_in(variables_, variable));
}

TermFacts Rule::facts(const EGraph& graph, const Formula& formula, const Match& match) const {
  switch (formula.kind) {
    case Formula::Kind::kVariable:
      return graph.facts(match.variables[slot(formula.name)]);
    case Formula::Kind::kNumber:
    case Formula::Kind::kSize: {
      const Rational number =
          formula.kind == Formula::Kind::kNumber
              ? formula.number
              : graph.dim_size(match.dims[static_cast<size_t>(position_in(dims_, formula.dim))]);
      TermFacts result;
      result.number = number;
      result.positive = number.is_positive();
      result.nonnegative = !number.is_negative();
      result.nonzero = !number.is_zero();
      return result;
    }
    case Formula::Kind::kCall:
      break;
  }
  std::vector<TermFacts> operands;
  for (const Formula& operand : formula.operands) operands.push_back(facts(graph, operand, match));
  const DimId dim = formula.dim.empty()
                        ? kNone
                        : match.dims[static_cast<size_t>(position_in(dims_, formula.dim))];
  return graph.facts_of_call(formula.name, dim, operands);
}

bool Rule::holds(const EGraph& graph, const Condition& condition, const Match& match) const {
  using Kind = Condition::Kind;
  const TermFacts known = facts(graph, condition.operands[0], match);
  switch (condition.kind) {
    case Kind::kPositive:
      return known.positive;
    case Kind::kNonnegative:
      return known.nonnegative;
    case Kind::kNonzero:
      return known.nonzero;
    case Kind::kIndependent: {
      const DimId dim = match.dims[static_cast<size_t>(position_in(dims_, condition.dim))];
      return (known.dims >> dim & 1) == 0;
    }
    case Kind::kDisjoint:
      return false;  // decided in choose(), where both masks are variables
  }
  return false;
}

// Puts, for each variable of a condition, a term of its class on which the condition shows.
bool Rule::choose(const EGraph& graph, Match& match) const {
  for (const Condition& condition : lemma_->conditions) {
    if (condition.kind == Condition::Kind::kDisjoint) {
      if (!choose_disjoint(graph, condition, match)) return false;
      continue;
    }
    if (holds(graph, condition, match)) continue;
    if (condition.operands[0].kind != Formula::Kind::kVariable) return false;
    TermId& chosen = match.variables[slot(condition.operands[0].name)];
    const auto& members = graph.members(graph.find(chosen));
    const bool found = std::any_of(members.begin(), members.end(), [&](TermId member) {
      chosen = member;
      return holds(graph, condition, match);
    });
    if (!found) return false;
  }
  // A later choice may have undone an earlier one.
  return std::all_of(
      lemma_->conditions.begin(), lemma_->conditions.end(), [&](const Condition& condition) {
        return condition.kind == Condition::Kind::kDisjoint || holds(graph, condition, match);
      });
}

// One mask is the other's negation.
bool Rule::choose_disjoint(const EGraph& graph, const Condition& condition, Match& match) const {
  Formula negation = make_call("not", {make_number(0)});
  const SymbolId is_not = graph.find_symbol(negation);
  if (is_not == kNone) return false;
  for (const auto& [positive, negative] : {std::pair{0, 1}, std::pair{1, 0}}) {
    const TermId mask =
        match.variables[slot(condition.operands[static_cast<size_t>(positive)].name)];
    TermId& other = match.variables[slot(condition.operands[static_cast<size_t>(negative)].name)];
    for (const TermId member : graph.members(graph.find(other))) {
      if (graph.term(member).symbol != is_not || !graph.same(graph.operands(member)[0], mask))
        continue;
      other = member;
      match.variables[slot(condition.operands[static_cast<size_t>(positive)].name)] =
          graph.operands(member)[0];
      return true;
    }
  }
  return false;
}

std::optional<Rule::Instance> Rule::instantiate(EGraph& graph, const Match& found) const {
  Match match = found;
  if (!choose(graph, match)) return std::nullopt;
  Instance instance{add(graph, pattern_, match), add(graph, replacement_, match), {}};
  instance.reason.kind = Reason::Kind::kLemma;
  instance.reason.lemma = position_;
  instance.reason.variables = match.variables;
  instance.reason.dims = match.dims;
  return instance;
}

}  // namespace assay
