#include "shared_ir/base/progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace assay {
namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kBetween{100};

// To the line's beginning, and whatever is in it erased (ECMA-48: EL).
constexpr const char* kEmptyLine = "\r\033[K";

}  // namespace

void tell(const ProgressSink& sink, std::string_view phase, int64_t step, int64_t steps) {
  if (sink) sink(phase, step, steps);
}

ProgressLine::ProgressLine(std::string what, std::ostream& out, bool terminal, Clock now)
    : what_(std::move(what)),
      out_(out),
      terminal_(terminal),
      now_(std::move(now)),
      begin_(now_()),
      shown_(begin_) {}

ProgressLine::ProgressLine(std::string what)
    : ProgressLine(std::move(what), std::cerr, isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (written_) out_ << kEmptyLine << std::flush;
}

void ProgressLine::show(std::string_view phase, int64_t step, int64_t steps) {
  if (!terminal_) return;
  const auto now = now_();
  if (now - begin_ < kPatience || (written_ && now - shown_ < kBetween)) return;
  out_ << kEmptyLine << what_ << ": " << phase;
  if (steps > 0) out_ << " " << step << " of " << steps;
  out_ << std::flush;
  shown_ = now;
  written_ = true;
}

ProgressSink ProgressLine::sink() {
  return [this](std::string_view phase, int64_t step, int64_t steps) { show(phase, step, steps); };
}

}  // namespace assay
