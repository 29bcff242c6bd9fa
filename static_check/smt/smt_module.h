// What the module libassay_smt.so offers: to the solver (solver.h), and to the certification of
// lemmas (certify/certify.h).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/proof/lemma.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/smt/solver.h"

namespace assay {

inline constexpr const char* kSmtModule = "assay_smt";
inline constexpr const char* kDecidePartition = "assay_smt_decide_partition";
inline constexpr const char* kDecideLemma = "assay_smt_decide_lemma";
inline constexpr const char* kFindSymbols = "assay_smt_find_symbols";

// Precondition: as checked by Solver::decide.
using DecidePartition = Answer(const PartitionQuery& query, Int limit_ms);

// Are the lemma's sides equal, at every coordinate, whenever its conditions hold? Over the reals;
// exp, log, sqrt, sin and cos are uninterpreted but for axioms.
struct LemmaQuery {
  const Lemma& lemma;
  std::set<std::string> masks;       // masks_of(lemma)
  std::map<std::string, Int> sizes;  // of each dimension
  Int limit_ms;
};

struct LemmaAnswer {
  Answer answer = Answer::kUnknown;
  std::set<std::string> axioms;  // that the answer rests on
  std::string model;             // kNo: values for which the sides differ
};

// Values of symbols for which all constraints hold and, of each list in `beyond`, not all
// conditions.
struct SymbolQuery {
  std::vector<std::string> symbols;
  std::vector<Constraint> constraints;
  std::vector<std::vector<Constraint>> beyond;
  bool prefer_small = true;  // and distinct from each other and from `avoid`, where that can be
  std::vector<Int> avoid;
  Int limit_ms;
};

struct SymbolAnswer {
  Answer answer = Answer::kUnknown;  // kNo: there are none
  SymbolInstance instance;
};

using FindSymbols = void(const SymbolQuery& query, SymbolAnswer& answer);

using DecideLemma = void(const LemmaQuery& query, LemmaAnswer& answer);

}  // namespace assay

extern "C" assay::DecidePartition assay_smt_decide_partition;
extern "C" assay::DecideLemma assay_smt_decide_lemma;
extern "C" assay::FindSymbols assay_smt_find_symbols;
