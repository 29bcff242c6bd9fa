#include "static_check/smt/z3_limit.h"

#include <algorithm>
#include <chrono>

namespace assay {
namespace {

constexpr std::chrono::milliseconds kGrace{250};  // what starting and stopping z3 may take

}  // namespace

z3::check_result check_within(z3::solver& solver, int64_t limit_ms) {
  z3::params params(solver.ctx());
  params.set("timeout", static_cast<unsigned>(std::clamp<int64_t>(limit_ms, 1, UINT32_MAX)));
  solver.set(params);
  const auto start = std::chrono::steady_clock::now();
  const z3::check_result found = solver.check();
  const auto taken = std::chrono::steady_clock::now() - start;
  return taken - kGrace > std::chrono::milliseconds(limit_ms) ? z3::unknown : found;
}

}  // namespace assay
