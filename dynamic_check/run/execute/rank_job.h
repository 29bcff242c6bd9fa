// What a leader asks the processes of all ranks to do once.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "shared_ir/dtype.h"

namespace assay {

struct RankJob {
  enum class Kind : uint8_t { kParameters, kProgram };
  Kind kind = Kind::kProgram;
  std::string check;    // RankQuestion::name: every rank must be at the same
  std::string run;      // names this run among all of the processes
  std::string backend;  // of process_backend.h
  DType precision = DType::kFloat32;
  std::chrono::milliseconds timeout{60'000};  // of one collective
  int kernel_threads = 1;
  std::vector<std::string> differentiable;  // inputs that require grad

  std::string payload() const;
  static RankJob from_payload(std::string_view payload);
};

}  // namespace assay
