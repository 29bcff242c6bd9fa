// What is asked of a run and of its comparison.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dynamic_check/keep/keep.h"
#include "dynamic_check/question/question.h"
#include "shared_ir/base/progress.h"
#include "shared_ir/cast.h"

namespace assay {

class Executor;

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
  c10::Device device() const { return cuda ? c10::kCUDA : c10::kCPU; }
  CompletionHook completion = {};  // empty: collectives complete at once
  KernelHook kernel = {};          // empty: kernels are left alone
  Executor* executor = nullptr;    // of the ranks; none: threads of this process
  // Bytes of memory that recorded tensors may take; what goes beyond is kept in temporary files
  // (kept_copy.h). Of the whole process.
  int64_t copy_memory = default_copy_memory();
  // Folder that keeps what every operator made, in every run, and the case, for `assay compare`
  // (shared_ir/trace/trace_folder.h); traces that are there are replaced. Empty: nothing is kept.
  std::filesystem::path traces = {};
  // Devices ("cpu", "cuda:0", ...) on which the sequential program runs as stages, from its
  // captured graph, where it is too large for one: each holds about the same share of the weights
  // and of what is made of them, a device that is named twice two. What is compared is kept by the
  // host, as copy_memory says. Empty: the program itself runs, on one device.
  std::vector<std::string> reference_stages = {};
  ProgressSink progress = {};  // told of every run, comparison and operator
};

// What the tensors of a run in that precision are.
inline DType storage_dtype(DType precision) {
  return is_float8(precision) ? DType::kBFloat16 : precision;
}

}  // namespace assay
