// Lemmas: equalities of formulas under conditions. Data, in static_check/lemmas/*.toml and in files
// of users:
//
//   [softmax_shift]
//   left = "softmax[d](x + c)"
//   right = "softmax[d](x)"
//   where = ["independent(c, d)"]      # left out: none
//   source = "where it stands, or why it holds"
//
// A lemma holds for every size of its dimensions. A condition is positive(formula),
// nonnegative(formula), nonzero(formula), disjoint(mask, mask), or independent(variable,
// dimension): the variable has one value along the dimension.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/proof/formula.h"

namespace assay {

struct Condition {
  enum class Kind : uint8_t { kPositive, kNonnegative, kNonzero, kDisjoint, kIndependent };
  Kind kind = Kind::kPositive;
  std::vector<Formula> operands;  // two masks for kDisjoint, a variable for kIndependent, else one
  std::string dim;                // kIndependent
  bool operator==(const Condition&) const = default;
};

// As in the file: "independent(c, d)".
std::string to_string(const Condition& condition);

struct Lemma {
  std::string name;
  Formula left;
  Formula right;
  std::vector<Condition> conditions;
  std::string source;
  SourcePlace place;
};

// Of both sides and the conditions, sorted. Masks are the variables that stand where a mask must.
std::set<std::string> variables_of(const Lemma& lemma);
std::set<std::string> masks_of(const Lemma& lemma);
std::set<std::string> dims_of(const Lemma& lemma);
// Whether it is a mask, where these are its variables that are.
bool is_mask(const Formula& formula, const std::set<std::string>& masks);

class LemmaTable {
 public:
  // Adds the lemmas of a TOML text. Throws UserError with file, line and column for what is
  // malformed: unknown keys, a name that is taken, a formula that does not parse, a variable that
  // is a mask here and a number there, a condition on a variable that neither side has.
  void add_text(std::string_view toml, const std::string& file);
  // The lemma must have a name that is not taken.
  void add(Lemma lemma);
  // Throws UserError that names a file that cannot be read, and as add_text.
  void add_file(const std::filesystem::path& file);

  // In the order in which they were added.
  const std::vector<Lemma>& lemmas() const { return lemmas_; }
  // nullptr when there is none.
  const Lemma* find(const std::string& name) const;

 private:
  std::vector<Lemma> lemmas_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace assay
