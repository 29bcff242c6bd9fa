// Compares runs of which traces were kept: distributed against sequential through relations, or one
// run with another tensor by tensor. Without LibTorch in this header: the command line includes it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_ir/case/case.h"
#include "shared_ir/clean_expr.h"
#include "shared_ir/report/report.h"
#include "shared_ir/report/verdict.h"

namespace assay {

struct TraceComparison {
  // How the base is made of the ranks: sequential tensor -> replicas. nullopt: every tensor of the
  // base equals that of the same name in the one other trace.
  std::optional<std::vector<Relation>> relations;
  // What the ranks' tensors hold of sequential ones besides (StaticResult); none: not known.
  std::vector<std::map<std::string, CleanExpr>> views;
  // The case of the relations. Given it, its expectations are compared too, each operator of the
  // ranks is held against its own inputs, as far as they are in the traces, and where something
  // deviates, spreads are raised by runs of the graphs, as in a run (raise_spreads.h,
  // rank_noise.h).
  std::optional<Case> refinement;
  // Sequential tensors that the base must have; others with a relation may be missing.
  std::vector<std::string> required;
  Verdict static_verdict = Verdict::kUnproved;

  std::filesystem::path base;                  // the sequential run, or the older one
  std::vector<std::filesystem::path> ranks;    // of one distributed run, in any order
  std::vector<std::filesystem::path> samples;  // perturbed sequential runs; at least 3, or bound
  // More perturbed runs, as many as there are samples, some times over: where something deviates,
  // each time is one more estimate of the spreads.
  std::vector<std::filesystem::path> further;
  // The sequential run in float64, around which samples spread; empty: the base stands in for it.
  std::filesystem::path exact;
  std::optional<double> bound;  // relative error allowed, where there are no samples
  double family_rate = 1e-5;    // chance that a correct program deviates anywhere, by the model
};

// Reads one tensor of each trace at a time, unless something deviates. Throws UserError, naming the
// file and what to do, for what is no trace, or for traces that do not belong together: ranks
// missing or twice, other precisions, seeds or shapes, and where a required tensor is missing.
DynamicReport compare_traces(const TraceComparison& question);

}  // namespace assay
