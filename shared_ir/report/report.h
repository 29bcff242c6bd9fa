// The report model: what every front end (JSON, text, GoogleTest message) prints. Field names are
// those of report JSON, version 1 (docs/architecture.md). Fields are added, never renamed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/report/run_verdict.h"
#include "shared_ir/report/verdict.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

struct TensorReport {
  std::string name;
  Verdict verdict = Verdict::kUnproved;
  std::vector<std::string> relation;  // replicas, as clean expressions
  bool pending_sum = false;    // the relation is a sum over ranks: a reduction is still to be done
  bool by_evaluation = false;  // not derived, but tested at random places of finite fields
};

// What the user accepts in place of one operator's result.
struct ApproximationReport {
  std::string tensor;                 // sequential
  std::string op;                     // that computes it
  std::string source;                 // file:line in the user's program
  std::vector<std::string> relation;  // what it counts as, as clean expressions
  std::string reason;
};

struct FailureReport {
  std::string kind;  // "no_relation", "expectation", "collective_mismatch", "opaque_operator", ...
  std::string node;  // sequential tensor (or distributed node, for collectives)
  std::string op;
  std::string source;  // file:line in the user's program
  std::vector<TensorReport> inputs;
  std::string nearest;  // the nearest distributed candidate, as a clean expression or NAME@RANK
  std::string distributed_source;  // its file:line
  std::string reason;  // how it differs: "holds 2x the value", "a partial sum over tp", ...
  std::string hint;    // what to look at
};

// For which sizes a case with symbols is proved.
struct SizesReport {
  struct Symbol {
    std::string name;
    std::vector<std::string> constraints;
    Int value = 0;  // that the report is about
  };
  struct Condition {
    std::string text;      // "512 - s0 >= 0"
    std::string asked_by;  // the operator, or its proof
  };
  // A proof at these sizes; it is one as well wherever the conditions hold.
  struct Proved {
    std::map<std::string, Int> instance;
    std::vector<Condition> conditions;
  };
  std::vector<Symbol> symbols;
  bool all = false;  // the proofs together hold for all sizes that satisfy the constraints
  std::vector<Proved> proved;
  std::map<std::string, Int> example;  // sizes that the proofs leave, if any were found
  std::string why;                     // not all
};

// A lemma of the user that a proof used. Where it is not certified, that proof counts for nothing.
struct LemmaReport {
  std::string name;
  bool certified = false;
  std::vector<std::string> shapes;  // at which z3 was asked: "d = 2, e = 1"; "" without dimensions
  Int draws = 0;                    // of numbers, in float64
  std::vector<std::string> axioms;  // that the certification trusts
  std::vector<std::string> failures;  // why it is not certified
};

struct StaticReport {
  Verdict verdict = Verdict::kUnproved;
  std::vector<TensorReport> outputs;
  std::vector<TensorReport> tensors;
  std::vector<FailureReport> failures;  // most suspicious first
  std::vector<std::string> assumptions;
  std::vector<ApproximationReport> approximations;  // accepted: the verdict is given these
  std::optional<Verdict> without_approximations;    // the verdict, were none accepted
  std::vector<std::string> trusted;
  std::vector<std::string> unanswered;  // questions that the proof asked for nothing, and why
  // Where lemmas were tried and gave no proof: the tensors, and the bound that was reached or that
  // nothing was left to try.
  std::vector<std::string> searches;
  std::vector<LemmaReport> lemmas;   // of the user, that were certified for this report, or not
  std::optional<SizesReport> sizes;  // of a case with symbols
  bool accepted = false;  // unproved, but the user accepts exactly these tensors: exit code 0, and
                          // the report says so
  struct Counts {
    Int sequential_ops = 0;
    Int distributed_ops = 0;
    Int terms = 0;
    std::map<std::string, Int> lemmas;
  } counts;
  struct Milliseconds {
    double import = 0;
    double check = 0;
  } ms;
};

struct DeviationReport {
  std::string tensor;  // sequential tensor
  std::string op;
  std::string source;  // file:line in the user's program
  std::string kind;  // "value", "replicas_disagree", "nan", "shape", "dtype", "overlap", "omission"
  double error = 0;  // relative Frobenius error seen
  double allowed = 0;  // the tolerance at this tensor
  std::vector<int32_t> ranks;
  std::string detail;
};

// The ranks' operators that were held against their own recorded inputs.
struct OperatorCounts {
  Int total = 0;
  Int views = 0;                        // they compute nothing
  std::map<std::string, Int> judged;    // by what ("exact reference", "itself") -> how many
  std::vector<std::string> not_judged;  // "OP (how many): why"
  Int not_judged_count = 0;
};

struct DynamicReport {
  RunVerdict verdict = RunVerdict::kInconclusive;
  Int compared = 0;  // sequential tensors compared
  Int skipped = 0;   // sequential tensors that have a relation and were not compared
  std::vector<std::string> skipped_why;
  // Integers and booleans that differ where rounding decides, and by how much: no deviations, as
  // they are within what perturbed runs do.
  std::vector<std::string> flips;
  std::vector<std::string> uncompared;  // outputs that nothing compared, and why: no pass
  std::vector<std::string> incomplete;  // what could not be run, and why
  std::optional<DeviationReport> first_deviation;
  Int deviations = 0;
  std::string triage;     // "pass", "kernel", "runtime", "precision", "rounding", "logic",
                          // "domain" (an assumption of the proof does not hold), "input_relation",
                          // "unproved", "not_compared" (there is a proof), of traces alone
                          // "deviation", "agreement"
  std::string precision;  // dtype of the run
  double family_false_positive_rate = 0;  // infinite: none can be stated
  Int samples = 0;
  // What is allowed, in root mean squares of what the samples deviate.
  double tolerance_factor = 0;
  std::optional<double> bound;  // relative error that the user allowed instead
  // Why the spreads were not raised by runs of the graphs, though something deviated: a correct
  // program may then fail more often. Empty when they were, or need not be.
  std::string not_raised;
  uint64_t seed = 0;
  // Of one compared tensor, as relative Frobenius norms.
  struct Tolerance {
    std::string tensor;
    double allowed = 0;
    double error = 0;
    std::string op;      // that computes it in the sequential program; empty for an input
    std::string source;  // its file:line in the user's program
    bool within = true;  // every replica of it is, and every block
    // Where runs of the ranks' graphs round more than any order of the sequential program's sums
    // does: how many times as much. 0: that was not looked at, or they do not.
    double excess_noise = 0;
  };
  std::vector<Tolerance> tolerances;  // in dependency order
  // Of what the ranks hold of an approximated tensor from what the sequential program computes,
  // relative Frobenius norm.
  struct Distance {
    std::string tensor;
    double error;
  };
  std::vector<Distance> approximations;
  // Where the reference ran in stages: their devices, and the most bytes of tensors that each held
  // at one time.
  struct Stage {
    std::string device;
    Int bytes = 0;
  };
  std::vector<Stage> reference_stages;
  std::optional<OperatorCounts> operators;
  // Inputs whose distribution follows from their shape alone, and which: "norm.weight: a scale".
  std::vector<std::string> guessed_inputs;
  double ms = 0;
};

struct CaseReport {
  std::string name;
  Verdict verdict = Verdict::kUnproved;
  int exit = 1;
  std::optional<StaticReport> statics;  // "static" in JSON
  std::optional<DynamicReport> dynamic;
  std::string error;               // when the verdict is kError
  std::vector<std::string> notes;  // what was left out, and why ("not run on numbers: ...")
};

struct Report {
  std::vector<CaseReport> cases;
};

// What the proof's verdict is given: ", given 1 accepted approximation"; empty when it is given
// none.
std::string given_in_words(const CaseReport& report);

// Report JSON, version 1, two-space indented, keys in the order above.
std::string to_json(const Report& report);

// Reads what to_json wrote. Throws UserError, naming `file`, for anything else.
Report report_from_json(std::string_view text, const std::string& file);

// What a person reads on a terminal: one screen per case.
std::string to_text(const CaseReport& report);

// JUnit XML: one test case a case; exit 1 is a failure, exit 2 and 3 are errors.
std::string to_junit(const Report& report);

// One <svg> element: the errors of a run's tensors and what is allowed of each, in dependency
// order, on a logarithmic scale, with the first deviation marked. `title` names the case. Throws
// UserError when the report has no tolerances.
std::string tolerance_plot(const std::string& title, const DynamicReport& report);

// A self-contained page: a table of the cases, then the text of each.
std::string to_html(const Report& report);

}  // namespace assay
