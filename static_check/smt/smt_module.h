// What the module libassay_smt.so offers: to the solver (solver.h), and to the certification of
// lemmas (certify/certify.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "shared_ir/lemma/lemma.h"
#include "static_check/smt/solver.h"

namespace assay {

inline constexpr const char* kSmtModule = "assay_smt";
inline constexpr const char* kDecidePartition = "assay_smt_decide_partition";
inline constexpr const char* kDecideLemma = "assay_smt_decide_lemma";

// Precondition: as checked by Solver::decide.
using DecidePartition = Answer(const PartitionQuery& query, int64_t limit_ms);

// Are the lemma's sides equal, at every coordinate, whenever its conditions hold? Over the reals;
// exp, log, sqrt, sin and cos are uninterpreted but for axioms.
struct LemmaQuery {
  const Lemma& lemma;
  std::set<std::string> masks;           // masks_of(lemma)
  std::map<std::string, int64_t> sizes;  // of each dimension
  int64_t limit_ms;
};

struct LemmaAnswer {
  Answer answer = Answer::kUnknown;
  std::set<std::string> axioms;  // that the answer rests on
  std::string model;             // kNo: values for which the sides differ
};

using DecideLemma = void(const LemmaQuery& query, LemmaAnswer& answer);

}  // namespace assay

extern "C" assay::DecidePartition assay_smt_decide_partition;
extern "C" assay::DecideLemma assay_smt_decide_lemma;
