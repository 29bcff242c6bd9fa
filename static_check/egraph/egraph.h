// Terms and classes of equal terms. A union needs a reason, and any two terms of one class have an
// explanation: the chain of reasons between them.
//
// Equality saturation after Willsey et al., egg: Fast and Extensible Equality Saturation, POPL 2021
// (deferred rebuilding); explanations by a proof forest after Nieuwenhuis and Oliveras,
// Proof-Producing Congruence Closure, RTA 2005.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shared_ir/graph.h"
#include "shared_ir/proof/formula.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

using TermId = int32_t;   // a term as it was added: symbol, dimension and operands, exactly
using ClassId = int32_t;  // a term that stands for its class
using SymbolId = int32_t;
using DimId = int32_t;

// What a term shows of itself, whatever else it is equal to: who replays an explanation sees the
// terms alone.
struct TermFacts {
  uint64_t dims = 0;  // that it may depend on, as bits by DimId
  bool positive = false;
  bool nonnegative = false;
  bool nonzero = false;
  std::optional<Rational> number;
  bool operator==(const TermFacts&) const = default;
};

// Why two terms are equal.
struct Reason {
  enum class Kind : uint8_t { kLemma, kArithmetic, kCongruence, kGiven };
  Kind kind = Kind::kCongruence;
  int32_t lemma = 0;  // kLemma: position in the list that saturate() had; kGiven: a number
                      // of the caller's own
  std::vector<TermId> variables;  // kLemma: what stands for its variables, sorted by name
  std::vector<DimId> dims;        // kLemma: and for its dimensions
};

class EGraph {
 public:
  struct Term {
    SymbolId symbol = 0;
    DimId dim = kNone;
    int32_t first = 0;  // operands: operand_list_[first .. first + count)
    int32_t count = 0;
  };

  // At most 64 dimensions; their sizes are known. Throws InternalError beyond.
  DimId dim(const std::string& name, Int size);
  // kNone when there is none.
  DimId find_dim(const std::string& name) const;
  const std::string& dim_name(DimId dim) const { return dims_[static_cast<size_t>(dim)].name; }
  Int dim_size(DimId dim) const { return dims_[static_cast<size_t>(dim)].size; }

  // What a variable of added formulas depends on, and is. To be said before it is added.
  void declare(const std::string& variable, const TermFacts& facts);

  // Throws InternalError for a dimension that dim() was not told of.
  TermId add(const Formula& formula);
  TermId add(SymbolId symbol, DimId dim, std::span<const TermId> operands);
  Formula formula(TermId term) const;

  // Symbols: "add", "exp"; variables, numbers and sizes have symbols of their own.
  SymbolId symbol(const Formula& formula);
  // kNone when no term has it.
  SymbolId find_symbol(const Formula& formula) const;

  ClassId find(TermId term) const;
  bool same(TermId a, TermId b) const { return find(a) == find(b); }
  // The terms become equal for that reason; rebuild() draws the consequences. False when they were.
  bool unite(TermId a, TermId b, Reason reason);
  // Congruence: equal operands make equal terms.
  void rebuild();

  const TermFacts& facts(TermId term) const { return facts_[static_cast<size_t>(term)]; }
  // What is known of a call by what is known of its operands.
  TermFacts facts_of_call(std::string_view name, DimId dim,
                          std::span<const TermFacts> operands) const;

  const Term& term(TermId id) const { return terms_[static_cast<size_t>(id)]; }
  std::span<const TermId> operands(TermId id) const;
  // One term for each different way to make the class.
  const std::vector<TermId>& members(ClassId id) const {
    return classes_[static_cast<size_t>(id)].members;
  }
  size_t size() const { return terms_.size(); }

  // The reasons that lead from a to b, in order: (from, to, reason, true when the reason says "from
  // equals to" rather than "to equals from"). Empty for one term. Precondition: same(a, b).
  struct Link {
    TermId from;
    TermId to;
    const Reason* reason;
    bool forward;
  };
  std::vector<Link> links(TermId a, TermId b) const;

 private:
  struct Dim {
    std::string name;
    Int size;
  };
  struct Class {
    std::vector<TermId> members;
    std::vector<TermId> parents;  // terms that have the class as an operand
  };
  // Towards the root of the proof forest.
  struct Proof {
    TermId next = kNone;
    int32_t reason = 0;
    bool forward = true;
  };
  using Key = std::vector<int32_t>;  // symbol, dim, operands
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  Key exact_key(const Term& term) const;
  Key class_key(const Term& term) const;
  TermFacts derive(const Term& term) const;
  void note_number(TermId term);
  void reroot(TermId term);

  std::vector<Dim> dims_;
  std::vector<Formula> symbols_;  // without operands
  std::map<std::pair<Formula::Kind, std::string>, SymbolId> symbol_ids_;
  std::map<std::string, TermFacts> declared_;
  std::vector<Term> terms_;
  std::vector<TermFacts> facts_;
  std::vector<TermId> operand_list_;
  mutable std::vector<TermId> up_;  // union-find
  std::vector<Class> classes_;      // by term; those of representatives count
  std::vector<Proof> proofs_;
  std::vector<Reason> reasons_;
  std::unordered_map<Key, TermId, KeyHash> exact_, by_class_;
  std::vector<ClassId> changed_;
};

}  // namespace assay
