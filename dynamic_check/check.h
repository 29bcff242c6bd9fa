// The dynamic layer's one entry: runs both programs on real tensors and holds the distributed one
// against the sequential one through the relations that the static layer inferred.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dynamic_check/hooks.h"
#include "dynamic_check/input_role.h"
#include "dynamic_check/machine_memory.h"
#include "dynamic_check/targets.h"
#include "shared_ir/capture/program.h"
#include "shared_ir/case.h"
#include "shared_ir/progress.h"
#include "shared_ir/report.h"
#include "shared_ir/verdict.h"

namespace assay {

class Executor;

// One declared input of the sequential program. Its parts on the ranks follow from Case::inputs.
struct DynamicInput {
  std::string name;
  Shape shape;                    // of the whole tensor
  DType dtype = DType::kFloat32;  // a floating type is replaced by the precision of the run
  InputRole role = InputRole::kActivation;
  int64_t bound = 0;  // kTokenIds, kLabels: 0 <= element < bound
  bool requires_grad = false;
  bool guessed_role = false;  // nobody said it: it follows from the number of dimensions
  bool self_made = false;     // the ranks make it themselves, in Programs::parameters
};

// The programs under test. They are those that were captured into the case.
struct Programs {
  RankProgram sequential;
  RankProgram distributed;
  // Makes the self-made inputs of one rank before the run: output(input name, this rank's part).
  // May be empty.
  RankProgram parameters;
  Mesh mesh;  // of the distributed program
  std::vector<DynamicInput> inputs;
};

struct DynamicOptions {
  // Any floating dtype. In a float8 run tensors are bfloat16, and the factors of linear layers'
  // products go through float8, emulated (float8_products.h). A program that casts
  // to float8 itself, with scales of its own, runs as it is in any of the others.
  DType precision = DType::kFloat32;
  uint64_t seed = 0;
  int samples = 10;  // perturbed sequential runs; at least 3
  double family_rate =
      1e-5;  // chance that a correct program deviates anywhere, by the tolerance's model
  std::chrono::milliseconds timeout{60'000};  // of one collective or one run
  bool cuda = false;                          // run on the first GPU instead of the CPU
  CompletionHook completion = {};             // empty: collectives complete at once
  KernelHook kernel = {};                     // empty: kernels are left alone
  Executor* executor = nullptr;               // of the ranks; none: threads of this process
  // Bytes of memory that recorded tensors may take; what goes beyond is kept in temporary files
  // (kept_copy.h). Of the whole process.
  int64_t copy_memory = default_copy_memory();
  // Folder that keeps what every operator made, in every run, and the case, for `assay compare`
  // (traces/trace_folder.h); traces that are there are replaced. Empty: nothing is kept.
  std::filesystem::path traces = {};
  // Devices ("cpu", "cuda:0", ...) on which the sequential program runs as stages, from its
  // captured graph, where it is too large for one: each holds about the same share of the weights
  // and of what is made of them, a device that is named twice two. What is compared is kept by the
  // host, as copy_memory says. Empty: the program itself runs, on one device.
  std::vector<std::string> reference_stages = {};
  ProgressSink progress = {};  // told of every run, comparison and operator
};

// Runs the programs and compares every sequential tensor that has a relation, and every expectation
// of the case. `relations`: sequential tensor -> replicas, as inferred; nothing else tells the
// merger where a shard is. `views`: what the ranks' tensors hold of sequential ones, by the
// proof; those that no relation names are compared too. `static_verdict` serves the triage, and
// says what may stand on the proof alone: outputs of random numbers. The report's verdict: kProved
// when everything that has a relation was within tolerance, kRefuted when something deviated,
// kTimeout when a rank got stuck, kError when a rank failed. Throws UserError when inputs and case
// do not fit each other.
DynamicReport dynamic_check(const Case& refinement, const std::vector<Relation>& relations,
                            Verdict static_verdict, const Programs& programs,
                            const DynamicOptions& options = {}, const RankViews& views = {});

}  // namespace assay
