// A number that depends on a flag is selected by a row of the two values that the flag may have: a
// function of it is selected by the flag of what it is of both.
#include <algorithm>

#include "static_check/checker/facts/regions.h"
#include "static_check/checker/identity/algebra.h"
#include "static_check/checker/identity/selections/rankings.h"

namespace assay::checker::identity {
namespace {

// Numbers that an argument may be by its flags, of all arguments together.
constexpr size_t kMostBranches = 6;

}  // namespace

bool Algebra::is_conditional(const Number& x) const {
  if (is_integer_type(x.type)) return false;
  if (x.kind == Kind::kKept) return !is_flag(x);
  const Selection* selection = selection_of(x);
  return selection != nullptr && selection->ranking.of_flag;
}

bool Algebra::may_be_nothing(const Number& x) const {
  return x.kind == Kind::kKept || is_exactly(x, Rational(0));
}

// Selections are found by what they are equal to, and may be values of each other: `depth` of them.
size_t Algebra::branches_of(const Number& x, size_t depth) const {
  if (depth == kMostBranches) return kMostBranches + 1;
  if (x.kind == Kind::kKept)
    return kept_[index(x)].flags.size() + branches_of(kept_[index(x)].value, depth + 1);
  const Selection* selection = selection_of(x);
  if (selection == nullptr || !selection->ranking.of_flag) return 1;
  return branches_of(selection->values[0], depth + 1) +
         branches_of(selection->values[1], depth + 1);
}

bool Algebra::few_branches(std::span<const Number> of) const {
  size_t count = 1;
  for (const Number& x : of) count = std::min(count * branches_of(x), kMostBranches + 1);
  return count <= kMostBranches;
}

// One of a flag and its negation.
Ranking Algebra::ranking_of_flag(const Residues& flag) {
  const Residues one{1, 1}, other = one - flag, of = flag.r < other.r ? flag : other;
  const auto known = flag_rankings_.find(of.r);
  if (known != flag_rankings_.end()) return known->second;
  Ranking ranking{{{Residues{}}, {one}}};
  ranking.index = of;
  ranking.of_flag = true;
  ranking.marks = std::make_shared<const Marks>(
      Marks{{exact(Rational(0)), exact(Rational(1))}, {one - of, of}});
  return flag_rankings_.emplace(of.r, ranking).first->second;
}

// What it is where the flag is not met, and where it is; nullopt of what is not kept by the flag.
std::optional<std::vector<Number>> Algebra::values_by_flag(const Number& x,
                                                           const Ranking& ranking) {
  if (!ranking.of_flag || x.kind != Kind::kKept) return std::nullopt;
  const KeptForm form = kept_[index(x)];
  for (const Residues& flag : form.flags) {
    const bool met = flag.r == ranking.index->r;
    if (!met && plus<kP>(flag.r, ranking.index->r) != 1) continue;
    std::vector<Residues> rest;
    for (const Residues& other : form.flags)
      if (other.r != flag.r) rest.push_back(other);
    const Number value = kept(std::move(rest), form.value), zero = exact(Rational(0), x.type);
    return met ? std::vector{zero, value} : std::vector{value, zero};
  }
  return std::nullopt;
}

Number Algebra::selected_by_flag(const Ranking& ranking, const std::vector<Number>& values,
                                 Type type) {
  const Number &unmet = values[0], &met = values[1];
  if (!unmet.is_finite() || !met.is_finite()) throw Rejection{"an infinity that is selected"};
  if (unmet.value.r == met.value.r) return met;
  const std::vector<Residues>& indicators = ranking.marks->indicators;
  if (is_exactly(unmet, Rational(0))) return kept({indicators[1]}, met);
  if (is_exactly(met, Rational(0))) return kept({indicators[0]}, unmet);
  const Residues total = indicators[0] * unmet.value + indicators[1] * met.value;
  Number result = type == kFlag ? flag(total) : ordinary(total, type);
  if (result.is_constant()) return result;
  store(values.size());
  result.nonnegative |= unmet.nonnegative && met.nonnegative;
  result.positive |= unmet.positive && met.positive;
  note_nonnegative(result);
  selections_.try_emplace(total.r, Selection{ranking, values});
  return result;
}

std::optional<Number> Algebra::branch_by_branch(std::span<const Number> of, Type type,
                                                const OfMembers& function) {
  if (cases() != nullptr) return std::nullopt;
  const auto first = std::ranges::find_if(of, [&](const Number& x) { return is_conditional(x); });
  if (first == of.end() || !few_branches(of)) return std::nullopt;
  const Ranking ranking = first->kind == Kind::kKept
                              ? ranking_of_flag(Residues(kept_[index(*first)].flags[0]))
                              : selection_of(*first)->ranking;
  std::vector<std::vector<Number>> arguments(2);
  for (const Number& x : of) {
    const Selection* selection = selection_of(x);
    const bool same = selection != nullptr && selection->ranking.is_same(ranking);
    const auto values = same ? std::optional(selection->values) : values_by_flag(x, ranking);
    for (size_t i = 0; i < 2; ++i) arguments[i].push_back(values ? (*values)[i] : x);
  }
  std::vector<Number> results;
  try {
    for (const auto& branch : arguments) {
      const auto result = function(branch);
      if (!result || !result->is_finite()) return std::nullopt;
      results.push_back(*result);
    }
  } catch (const Rejection&) {
    return std::nullopt;
  }
  return selected_by_flag(ranking, results, type);
}

}  // namespace assay::checker::identity
