// Runs a case's graphs in float64 on random inputs that satisfy its input relation: turns a missing
// proof into a witness, and a proof that does not agree into an internal error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"

namespace assay {

struct WitnessOptions {
  std::vector<uint64_t> seeds = {1, 2, 3};  // one run each; every second one with large inputs
  bool reduce = true;  // run the smallest sizes that can be run (shrink_case.h), not the case's own
  double tolerance = 1e-9;  // relative Frobenius norm; float64 rounding stays far below, but where
                            // values cancel: there it is what perturbed runs say
  // Leaves out elements that the sequential program itself makes infinite, too. Those that it makes
  // NaN are never compared: a proof claims nothing there.
  bool finite_only = false;
  // Leaves out the elements that the ranks alone make NaN or infinite: what a proof says that lists
  // their operators as defined.
  bool ranks_defined = false;
  // Whether perturbed runs of the ranks explain a witness is asked: some runs more.
  bool explain = false;
  // Of all tensors of the reduced graphs, 8 bytes each; larger cases are not run.
  int64_t max_elements = int64_t{1} << 27;
};

// An input on which the distributed program does not give what it should.
struct Witness {
  std::string tensor;      // the sequential tensor or expression that differs
  std::string expression;  // what it should equal
  double error = 0;        // relative Frobenius norm; 1 for NaN at other places
  uint64_t seed = 0;       // of the inputs
  bool reduced = false;    // seen at smaller sizes than the case's own
  // All that differs is that the ranks have NaN or an infinity where the specification has a
  // number.
  bool undefined = false;
  // Perturbed runs of the ranks move it as far: over the reals the ranks may give what they should.
  // Asked for by WitnessOptions::explain.
  bool rounding = false;
  // When the ranks cannot run to their end, though the sequential program does: both calls of
  // collectives that do not meet, or the operator that reads outside a table. `tensor` and
  // `expression` are empty then.
  std::string failure;
};

struct WitnessSearch {
  int64_t compared = 0;  // expressions compared, over all seeds
  std::optional<Witness> witness;
  std::string why_not;  // why nothing could be run, e.g. an operator without a kernel
};

// The ranks get what the sequential program computes in place of what an accepted approximation
// takes out (approximation.h). Compares every expectation of the case, and every one of `relations`
// (inferred ones: they must hold, or the proof is wrong). Does not throw for what cannot be run:
// says so in why_not.
WitnessSearch find_witness(const Case& refinement, const std::vector<Relation>& relations = {},
                           const WitnessOptions& options = {});

}  // namespace assay
