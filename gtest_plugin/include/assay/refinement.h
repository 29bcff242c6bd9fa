// A refinement question as a test states it, and the function that answers it. The macros of
// gtest.h fill in a RefinementSpec and call check_refinement; code that wants to look at the report
// calls it directly.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/placement.h"
#include "assay/program.h"
#include "dynamic_check/question/question.h"
#include "shared_ir/case/case.h"
#include "shared_ir/dtype.h"
#include "shared_ir/graph.h"
#include "shared_ir/mesh.h"
#include "shared_ir/report/report.h"

namespace assay {

struct InputSpec {
  std::string name;
  Shape shape;                    // of the whole
  DType dtype = DType::kFloat32;  // floating ones run in each precision of the check
  Placement placement;
  InputRole role = InputRole::kActivation;
  int64_t bound = 0;  // kTokenIds, kLabels: 0 <= element < bound
  bool requires_grad = true;
  // A parameter that the distributed program makes itself, with its own random numbers and
  // collectives; called on every rank before the run. What it returns is held against the
  // placement.
  std::function<at::Tensor(Program&)> make;
  SourcePlace place;
  bool guessed_role = false;  // nobody said it: it follows from the number of dimensions
};

// An input of the distributed program alone, as ZeRO and FSDP keep parameters and optimizer states:
// one dimension, in which a rank's parts of several inputs of the sequential program lie flattened
// one after the other. The buffer is padded at its end to a multiple of the ranks that split it;
// what stands there is arbitrary. The distributed program has the members in the buffer only.
// (ZeRO: Rajbhandari et al. 2020; FSDP: Zhao et al. 2023, section 3.2.)
struct FlatBufferSpec {
  std::string name;
  std::vector<std::string> members;  // names of inputs, in order; of one dtype and requires_grad
  Placement placement;               // of the buffer: Shard(AXIS, 0), most often
  SourcePlace place;
};

// An output of both programs that the ranks compute otherwise than the sequential program, with the
// user's consent: it counts as the sequential one, placed as the distributed program says.
struct ApproximationSpec {
  std::string output;
  std::string reason;
  SourcePlace place;
};

using ProgramBody = std::function<void(Program&)>;

struct RefinementSpec {
  std::string name;  // "Suite.Name"
  SourcePlace place;
  std::vector<InputSpec> inputs;
  std::vector<FlatBufferSpec> flat_buffers;
  ProgramBody sequential;
  ProgramBody distributed;
  Mesh mesh;
  // Outputs whose proof may be missing if the run is within tolerance, and why. The report says so.
  std::optional<Accepted> accept;
  // The verdict is given these; what depends on them is compared as if they held.
  std::vector<ApproximationSpec> approximations;
  // Declarations, in TOML, of operators that Assay does not know (the form of
  // shared_ir/operators/*.toml).
  std::vector<std::filesystem::path> operator_files;
  // Lemmas, in TOML, that the proof may use beside those of static_check/lemmas/*.toml.
  std::vector<std::filesystem::path> lemma_files;
};

// float32 and bfloat16.
std::vector<DType> default_precisions();

// What the ranks of the distributed program run as.
enum class ExecutorKind : uint8_t {
  kThreads,  // of this process, with collectives in its memory
  kGloo,     // processes, with LibTorch's Gloo: this program again, once per rank, unless a
             // launcher has started it so
  kNccl,     // the same with LibTorch's NCCL, each on a GPU of its own
};

struct CheckOptions {
  std::vector<DType> precisions = default_precisions();  // empty: proof only
  uint64_t seed = 1;
  // That no target of a loss is its ignore_index (-100): an assumption of the proof.
  bool no_target_ignored = false;
  std::chrono::milliseconds timeout{60'000};  // of one run, and of the proof
  // None: what the variable ASSAY_EXECUTOR says (threads, gloo, nccl); else gloo where a launcher
  // has started several ranks, and threads where not.
  std::optional<ExecutorKind> executor;
  // Where the programs run whose ranks are threads: "cpu" or "cuda", the first GPU. Empty: what the
  // variable ASSAY_DEVICE says, else "cpu".
  std::string device;
  int samples = 10;  // perturbed sequential runs from which the tolerance is derived; at least 3
  // Folder that keeps the traces of each precision's runs (PRECISION/base.trace and others, with
  // the case) for `assay compare`. Empty: none are kept.
  std::filesystem::path traces;
  // Devices ("cpu", "cuda:0", ...) on which the sequential program runs as stages, from its
  // captured graph, where it is too large for one: each holds about the same share, a device that
  // is named twice two. Empty: in a refinement test, those that the variable ASSAY_REFERENCE_STAGES
  // lists ("cuda:0,cuda:1"); else none: the program itself runs, on one device.
  std::vector<std::string> reference_stages;
  // Seams of the run (dynamic_check/question/hooks.h): when collectives complete, and faults of
  // kernels.
  CompletionHook completion;
  KernelHook kernel;
};

// Captures both programs on meta tensors. `precision` replaces the dtype of every floating input;
// for a float8 run they are bfloat16. Throws UserError when a declaration, an output or a program
// is wrong.
Case capture_case(const RefinementSpec& spec, DType precision = DType::kFloat32);

// Proves, then runs in each precision through the relations that the proof inferred. Does not
// throw: an error of the user or of Assay is the report's verdict kError with its text.
CaseReport check_refinement(const RefinementSpec& spec, const CheckOptions& options = {});

// The same for a case folder (case.toml and its graphs), as `assay check` does: proves; where no
// proof is found, looks for a witness: runs both sides in float64.
CaseReport check_case_folder(std::string name, const std::filesystem::path& folder,
                             const CheckOptions& options = {});

}  // namespace assay
