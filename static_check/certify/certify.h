// Certification of lemmas: what makes a stated equality one that proofs may use.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "shared_ir/proof/lemma.h"
#include "static_check/certify/numeric.h"

namespace assay {

struct CertifyOptions {
  std::chrono::milliseconds limit{10'000};  // for one question to z3
  NumericSearch numeric;
};

// Certified: z3 shows the equality on all small shapes, float64 finds no difference on larger ones,
// and no condition can be left out. exp, log, sqrt, sin and cos are uninterpreted for z3, but for
// the axioms that are named.
struct Certification {
  std::string lemma;
  std::vector<std::string> shapes;    // for which z3 was asked: "d = 2, e = 1"; "" where the lemma
                                      // has no dimension
  std::set<std::string> axioms;       // trusted
  int64_t draws = 0;                  // in float64
  std::vector<std::string> failures;  // empty: certified

  bool certified() const { return failures.empty(); }
};

Certification certify(const Lemma& lemma, const CertifyOptions& options = {});

// The same by the default options, once in a process for lemmas that state the same, whatever they
// are called. From any thread.
const Certification& certify_once(const Lemma& lemma);

// One line a lemma, one for each failure, and a summary with the trusted axioms.
std::string to_text(const std::vector<Certification>& certifications);

}  // namespace assay
